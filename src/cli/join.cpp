#include "cli/join.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "cli/commands.hpp"
#include "cli/operator.hpp"
#include "core/bytes.hpp"
#include "daemon/config.hpp"
#include "daemon/council_file.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/roster.hpp"
#include "net/petition.hpp"

namespace allot::cli {

namespace {

// The register may need some seconds to agree.
constexpr std::chrono::seconds agreed_within{15};

Result<net::PetitionAnswer> ask(const daemon::Config& config, const std::string& address, bool dry_run) {
    net::TlsPtr tls;
    if (config.tls) {
        auto loaded = net::load_tls(*config.tls);
        if (!loaded) return Error{loaded.error()};
        tls = *loaded;
    }
    net::Petition petition{
        .name = config.host, .address = config.own_address(), .settings = config.required_settings()};
    if (dry_run) petition.opening.magic = net::trial_magic;
    return net::ask_to_join(address, tls, config.plaintext, petition, agreed_within);
}

// The folder may be one of another cluster, whose numbers mean other hosts.
std::optional<std::string> contradiction(const agreement::Settings& before, const agreement::Settings& now) {
    for (std::size_t i = 0; i < std::min(before.hosts.size(), now.hosts.size()); ++i)
        if (before.hosts[i].name != now.hosts[i].name)
            return fmt::format("host {} is {} there, and was {} here", i + 1, now.hosts[i].name,
                               before.hosts[i].name);
    return std::nullopt;
}

// Where the register is kept. A voter knows that better.
Result<bool> note_record(const std::string& folder, const agreement::Record& record,
                         const agreement::Value& sealed, Edition edition) {
    boost::asio::io_context loop;
    daemon::CouncilFile file(loop, folder, [] {});
    auto files = file.read();
    if (!files) return Error{files.error()};
    daemon::CouncilFile::Files next = *files ? std::move(**files) : daemon::CouncilFile::Files{};
    if (next.papers.used && next.papers.used->generation >= record.generation) return true;
    next.papers.used = record;
    next.papers.sealed = sealed;
    return file.write_now(next, edition);
}

Result<bool> take(const daemon::Config& config, daemon::HostFolder& folder,
                  const daemon::Admission& admission) {
    const auto before = folder.settings();
    if (!before) return Error{before.error()};
    if (*before)
        if (const auto why = contradiction(**before, admission.settings))
            return Error{fmt::format(
                "{}: this folder belongs to another cluster ({}); move it away if nothing there is needed",
                config.state, *why)};
    if (const auto usable = daemon::with_agreed(config, admission.settings); !usable)
        return Error{usable.error()};
    if (admission.record)
        if (const auto noted =
                note_record(config.state, *admission.record, admission.sealed, admission.settings.edition());
            !noted)
            return noted;
    return folder.note_settings(admission.settings);
}

}  // namespace

int join_cluster(const std::string& address, const std::string& config_file, bool dry_run) {
    const auto config = daemon::load_config(config_file);
    if (!config) return wrong_usage(config.error());
    if (!config->has_address())
        return wrong_usage(
            fmt::format("{}: write where the other hosts reach this one, as in address = \"10.0.0.4:7400\"",
                        config_file));
    daemon::HostFolder folder(config->state);
    if (const auto opened = folder.open(); !opened) return wrong_usage(opened.error());
    const auto answer = ask(*config, address, dry_run);
    if (!answer || !answer->done) {
        print_error(answer ? answer->text : answer.error());
        return answer ? exit_refused : exit_unreachable;
    }
    if (dry_run) {
        fmt::print("{}\n", answer->text);
        return exit_ok;
    }
    const auto admission = from_dated_bytes<daemon::Admission>(answer->content);
    if (!admission) return wrong_usage(address + ": its answer is malformed");
    if (const auto taken = take(*config, folder, *admission); !taken) return wrong_usage(taken.error());
    note_operator(*config, "joined", fmt::format("the cluster of {}", address));
    std::vector<std::string> names;
    for (const agreement::HostSettings& one : admission->settings.hosts)
        if (one.standing == agreement::Standing::in) names.push_back(one.name);
    fmt::print("host {} is in the cluster of {}; start it: allot node --config {}\n", config->host,
               fmt::join(names, ", "), config_file);
    return exit_ok;
}

}  // namespace allot::cli
