// allot cert: an authority of one's own, and certificates for hosts and programs.

#include "net/cert.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/table.hpp"

namespace allot::cli {

namespace {

struct CertOptions {
    net::CertificateOrder order;
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

int make_certificates(const CertOptions& options) {
    const auto files = net::make_certificates(options.order);
    if (!files) return wrong_usage(files.error());
    options.json ? print_json(*files) : print_table(*files);
    return exit_ok;
}

}  // namespace

void add_cert(CommandLine& line) {
    Command& command =
        line.command("cert", "Certificates for hosts and programs, signed by an authority of your own");
    command.footer(
        "Makes DIR/ca.pem and DIR/ca.key unless they are there, and NAME.pem and NAME.key for each NAME.\n"
        "A host needs ca.pem, and its own two files; keep ca.key to yourself. A program that asks a daemon "
        "of\n"
        "another machine needs ca.pem, programs/NAME.pem and programs/NAME.key, and can pass for no host.\n"
        "Example: allot cert --dir certs db1 db2 db3 --program ci,deploy");
    auto options = std::make_shared<CertOptions>();
    command.option("--dir", options->order.folder, "Where they are put; it is made if it is not there")
        .value("TEXT")
        .required();
    command.option("NAME", options->order.hosts, "Hosts, as the configuration calls them").value("TEXT");
    command.option("--program", options->order.programs, "Programs, as rules call them (cert:NAME): a,b")
        .separated_by(',')
        .one_at_a_time();
    command.option("--days", options->order.days, "So long they are valid");
    command.flag("--force", options->order.force, "Replace certificates that are there; never the authority");
    command.flag("--json", options->json, "For programs");
    command.action([options] { return make_certificates(*options); });
}

}  // namespace allot::cli
