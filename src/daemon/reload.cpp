#include "daemon/reload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace allot::daemon {

namespace {

template <class Value>
void compare(const char* name, const Value& before, const Value& after, std::vector<std::string>& names) {
    if (!(before == after)) names.emplace_back(name);
}

}  // namespace

Differences differences(const Config& before, const Config& after) {
    Differences all;
    compare("log_level", before.log_level, after.log_level, all.taken);
    compare("http_names", before.http_names, after.http_names, all.taken);
    compare("[limits]", before.limits, after.limits, all.taken);
    compare("[status]", before.redact, after.redact, all.taken);
    compare("[[allow]]", before.allow, after.allow, all.taken);

    std::vector<std::string>& later = all.after_restart;
    compare("host", before.host, after.host, later);
    compare("address", before.address, after.address, later);
    compare("addresses", before.addresses, after.addresses, later);
    compare("socket", before.socket, after.socket, later);
    compare("socket_mode", before.socket_mode, after.socket_mode, later);
    compare("state", before.state, after.state, later);
    compare("http", before.http, after.http, later);
    compare("https", before.https, after.https, later);
    compare("clients", before.clients, after.clients, later);
    compare("[cluster]", before.plaintext, after.plaintext, later);
    compare("[tls]", before.tls, after.tls, later);
    compare("[audit]", before.audit, after.audit, later);
    const Register& was = before.agreed;
    const Register& is = after.agreed;
    if (was.engine != is.engine || was.file != is.file || was.key != is.key ||
        was.endpoints != is.endpoints || was.tls != is.tls)
        later.emplace_back("[register]");
    return all;
}

void take_over(const Config& file, Config& config) {
    config.log_level = file.log_level;
    config.http_names = file.http_names;
    config.limits = file.limits;
    config.redact = file.redact;
    config.allow = file.allow;
}

std::string Differences::taken_text() const {
    if (taken.empty()) return "nothing that counts without a restart has changed";
    return fmt::format("{} {} from now on", fmt::join(taken, ", "), taken.size() == 1 ? "counts" : "count");
}

std::string Differences::after_restart_text() const {
    if (after_restart.empty()) return "";
    return fmt::format("{} {} changed, and {} after a restart", fmt::join(after_restart, ", "),
                       after_restart.size() == 1 ? "has" : "have",
                       after_restart.size() == 1 ? "counts" : "count");
}

}  // namespace allot::daemon
