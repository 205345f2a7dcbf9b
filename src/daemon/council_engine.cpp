#include "daemon/council_engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.hpp"

namespace allot::daemon {

using agreement::Stage;

CouncilEngine::CouncilEngine(boost::asio::io_context& loop, const Config& config, const HostFolder& folder,
                             const Subject& subject, Events events)
    : Engine(config, subject, std::move(events)),
      folder_(folder),
      file_(loop, config.state, [this] { events_.synced(); }) {}

std::optional<std::string> CouncilEngine::open(const HostFolder::Memory& before) {
    if (auto why = choose_voters()) return why;
    member_config_.council->view = before.view;
    member_config_.council->quiet = before.quiet;
    // A host that others reach may have kept a register with them, and have lost its disk.
    member_config_.council->may_found_alone = before.quiet || !config_.has_address();
    auto files = file_.read();
    if (!files) return files.error();
    if (!*files) return std::nullopt;
    if (const auto& used = (*files)->papers.used) follow(*used);
    member_ = host::Member(std::move(**files));
    return std::nullopt;
}

// An operator may have named those of the file that form the register without the others.
std::optional<std::string> CouncilEngine::choose_voters() {
    const auto names = folder_.voters();
    if (!names) return names.error();
    are_chosen_ = !names->empty();
    if (!are_chosen_) return std::nullopt;
    Config chosen = config_;
    chosen.agreed.voters = *names;
    std::vector<SiteId>& voters = member_config_.council->voters;
    voters.clear();
    for (const std::uint32_t voter : chosen.voters()) voters.emplace_back(voter);
    if (voters.size() == names->size()) return std::nullopt;
    return fmt::format("{}/voters: not all of {} are in bootstrap.hosts; `allot cluster init` names others",
                       config_.state, fmt::join(*names, ", "));
}

// The register is formed, whatever the file says.
void CouncilEngine::follow(const agreement::Record& record) {
    std::vector<SiteId>& voters = member_config_.council->voters;
    voters.clear();
    for (const agreement::VoterId& voter : record.voters) voters.push_back(voter.host);
}

std::string CouncilEngine::trouble(const host::Member::Self& self) const {
    if (!file_.problem().empty()) return "cannot write what must survive a crash: " + file_.problem();
    if (list_problem_.empty()) return "";
    const bool is_unformed = !member_.council().unformed(member_.council_self(self)).empty();
    return is_unformed ? list_problem_ : "";
}

// Such hosts ignore each other until the register is formed; then its own list counts.
void CouncilEngine::compare(net::HostId from, const agreement::Hello& hello) {
    const std::vector<SiteId>& ours = member_config_.council->voters;
    const bool is_told = hello.stage != Stage::blank;
    const bool is_formed = member_.council().files().papers.stage != Stage::blank;
    // Voters change. A host that is formed may list those of the time when its daemon started, and one that
    // has joined those of the time when it did.
    if (member_.council().knows_register() && (!is_formed || is_told || hello.list == present_voters()))
        return;
    if (hello.list == ours || !other_lists_.insert({from, is_told}).second) return;
    const std::string why =
        fmt::format("host {} lists the voters {}; this host lists {}: {}", config_.name_of(from),
                    names_of(hello.list, ", "), names_of(ours, ", "), advice(hello, is_formed));
    log_error(why);
    if (is_formed) return;
    list_problem_ = why;
    if (is_told && are_chosen_) events_.failed();  // the operator was wrong: the other voters are there
}

std::vector<SiteId> CouncilEngine::present_voters() const {
    std::vector<SiteId> hosts;
    for (const agreement::VoterId& voter : member_.council().inner().record().voters)
        hosts.push_back(voter.host);
    return hosts;
}

std::string CouncilEngine::advice(const agreement::Hello& hello, bool is_formed) const {
    const auto command = [&](const std::vector<SiteId>& list) {
        return fmt::format("stop it, and tell it with `allot cluster init --voters {} --config FILE`",
                           names_of(list, ","));
    };
    const bool is_told = hello.stage != Stage::blank;
    if (is_formed == is_told) return "write the same bootstrap.hosts and bootstrap.voters everywhere";
    if (is_told) return "this host does not take part: " + command(hello.list);
    return "that host does not take part: " + command(member_config_.council->voters);
}

std::string CouncilEngine::names_of(const std::vector<SiteId>& hosts, const char* between) const {
    std::vector<std::string> all;
    for (const SiteId host : hosts) all.push_back(config_.name_of(host));
    return fmt::format("{}", fmt::join(all, between));
}

}  // namespace allot::daemon
