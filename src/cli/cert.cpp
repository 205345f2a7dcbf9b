// allot cert: makes an authority, and certificates for hosts and programs.

#include "net/cert.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <optional>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/table.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

namespace {

struct CertOptions {
    net::CertificateOrder order;
    std::optional<std::vector<std::string>> revoke;
    bool json = false;
};

void print_json(const std::vector<net::CertificateFile>& files) {
    boost::json::array all;
    for (const net::CertificateFile& file : files)
        all.push_back({{"path", file.path},
                       {"content", file.content},
                       {"name", file.name},
                       {"until", file.until},
                       {"kept", file.kept}});
    fmt::print("{}\n", boost::json::serialize(all));
}

void print_table(const std::vector<net::CertificateFile>& files) {
    Table table({"file", "content", "name", "valid until", "state"});
    for (const net::CertificateFile& file : files)
        table.add({file.path, file.content, file.name, file.until, file.kept ? "kept" : "made"});
    fmt::print("{}", table.text());
}

Result<std::vector<net::CertificateFile>> made(const CertOptions& options) {
    const net::CertificateOrder& order = options.order;
    if (!options.revoke) return net::make_certificates(order);
    if (!order.hosts.empty() || !order.programs.empty())
        return Error{"--revoke: write it without names of hosts and programs"};
    auto list =
        net::revoke_certificates({.folder = order.folder, .revoke = *options.revoke, .days = order.days});
    if (!list) return Error{list.error()};
    return std::vector{std::move(*list)};
}

int make_certificates(const CertOptions& options) {
    const auto files = made(options);
    if (!files) return wrong_usage(files.error());
    options.json ? print_json(*files) : print_table(*files);
    return exit_ok;
}

}  // namespace

void add_cert(CommandLine& line) {
    Command& command =
        line.command("cert", "Make certificates for hosts and programs, signed by an authority of your own");
    command.footer(
        "Makes DIR/ca.pem and DIR/ca.key unless they exist, and NAME.pem and NAME.key for each NAME. A host "
        "needs ca.pem and its own two files; keep ca.key secret. A program that connects to a daemon "
        "on another machine needs ca.pem, programs/NAME.pem and programs/NAME.key; it cannot pass as a "
        "host.\n"
        "--revoke adds certificates to DIR/crl.pem, the list that daemons read (`crl` in [tls]).\n"
        "Example: allot cert --dir certs db1 db2 db3 --program ci,deploy");
    auto options = std::make_shared<CertOptions>();
    command.option("--dir", options->order.folder, "Directory of the files; created if it does not exist")
        .value("TEXT")
        .required();
    command.option("NAME", options->order.hosts, "Hosts, with their names in the configuration")
        .value("TEXT");
    const auto add_programs = [options](const std::string& list) {
        for (std::string& name : split_list(list)) options->order.programs.push_back(std::move(name));
    };
    command.option("--program", add_programs, "Programs, with their names in rules (cert:NAME): a,b")
        .repeatable()
        .one_at_a_time();
    const auto add_revoked = [options](const std::string& list) {
        if (!options->revoke) options->revoke.emplace();
        for (std::string& file : split_list(list))
            if (!file.empty()) options->revoke->push_back(std::move(file));
    };
    command.option("--revoke", add_revoked, "Certificates that count no more: FILE,FILE")
        .repeatable()
        .one_at_a_time();
    command.option("--days", options->order.days, "Days of validity");
    command.flag("--force", options->order.force, "Replace existing certificates; never the authority");
    command.flag("--json", options->json, "For programs");
    command.action([options] { return make_certificates(*options); });
}

}  // namespace allot::cli
