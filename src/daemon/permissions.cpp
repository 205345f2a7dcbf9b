#include "daemon/permissions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>
#include <vector>

#include "base/log.hpp"
#include "host/reading.hpp"
#include "net/process_watch.hpp"

namespace allot::daemon {

namespace {

constexpr std::size_t most_remembered = 1024;
constexpr std::chrono::minutes remembered_for{1};

std::optional<std::uint32_t> number_of_group(const std::string& name) {
    const struct group* entry = getgrnam(name.c_str());
    if (entry == nullptr) return std::nullopt;
    return entry->gr_gid;
}

// A number of a process from the kernel: the line of /proc/PID/status with this beginning.
std::optional<std::uint32_t> told_of(std::int32_t pid, const std::string& beginning) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string word; status >> word;) {
        std::uint32_t number = 0;
        if (word == beginning && status >> number) return number;
        std::getline(status, word);
    }
    return std::nullopt;
}

}  // namespace

std::string user_name(std::uint32_t number) {
    const struct passwd* entry = getpwuid(number);
    return entry != nullptr ? entry->pw_name : std::to_string(number);
}

bool is_administrator(const host::Caller& caller) {
    return caller.is_local && (caller.user == user_name(0) || caller.user == user_name(::geteuid()));
}

Permissions::Permissions(const Config& config)
    : config_(config),
      users_(user_name, most_remembered, remembered_for),
      groups_(number_of_group, most_remembered, remembered_for) {
    warn_of_unknown_users();
}

void Permissions::warn_of_unknown_users() {
    for (const host::Allowance& allowance : config_.allow)
        for (const std::string& user : allowance.users)
            if (const char* kind = unknown_kind(user))
                log_warning(fmt::format("allow.users: \"{}\": there is no such {} here yet", user, kind));
}

// The kind of a name that the system does not know yet, if it should; otherwise null.
const char* Permissions::unknown_kind(const std::string& user) {
    if (user.starts_with('@')) return groups_.get(user.substr(1)) ? nullptr : "group";
    const bool is_name = !user.starts_with("cert:") && !user.ends_with('*');
    const bool is_number = user.find_first_not_of("0123456789") == std::string::npos;
    return is_name && !is_number && getpwnam(user.c_str()) == nullptr ? "user" : nullptr;
}

std::string Permissions::user_of(const net::Identity& identity) {
    if (identity.process) return users_.get(identity.process->uid);
    return identity.program.empty() ? host::uncertified : identity.program;
}

bool Permissions::may_follow(const net::Identity& identity, std::int32_t pid) {
    if (!identity.process) return false;
    const auto& asker = *identity.process;
    return asker.uid == 0 || told_of(pid, "Uid:") == asker.uid ||
           told_of(pid, "PPid:") == static_cast<std::uint32_t>(asker.pid);
}

bool Permissions::is_one_of(const net::Identity& identity, const std::vector<std::string>& users) {
    return std::ranges::any_of(users, [&](const std::string& user) {
        if (user == "*") return true;
        if (user.starts_with("cert:"))
            return !identity.program.empty() && host::matches(user.substr(5), identity.program);
        if (!identity.process) return false;
        if (!user.starts_with('@')) return host::matches(user, users_.get(identity.process->uid));
        const auto group = groups_.get(user.substr(1));
        return group && std::ranges::find(identity.process->groups, *group) != identity.process->groups.end();
    });
}

host::Caller Permissions::caller(const net::Identity& identity) {
    host::Caller caller{.user = user_of(identity), .is_local = identity.process.has_value()};
    for (std::uint32_t place = 0; place < config_.allow.size(); ++place)
        if (is_one_of(identity, config_.allow[place].users)) caller.allowances.push_back(place);
    if (identity.process)
        caller.process =
            net::mark_of(identity.process->pid).value_or(ProcessMark{.pid = identity.process->pid});
    return caller;
}

StatusReader Permissions::reader(const host::Caller& caller) const {
    const bool is_known = caller.is_local || caller.user != host::uncertified;
    StatusReader reader{.user = is_known ? host::identity_of(caller) : "",
                        .host = caller.is_local ? config_.host : "",
                        .owner = host::Sessions::owner_of({.host = config_.host}, caller)};
    if (is_administrator(caller)) reader.others = host::Reading::all;
    const auto most = host::reading_of(config_.allow, caller.allowances);
    if (most && reader.others != host::Reading::all) reader.others = *most;
    return reader;
}

}  // namespace allot::daemon
