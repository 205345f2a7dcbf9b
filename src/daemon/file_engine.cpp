#include "daemon/file_engine.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/log.hpp"
#include "daemon/incarnations.hpp"
#include "daemon/member_config.hpp"

namespace allot::daemon {

FileEngine::FileEngine(boost::asio::io_context& loop, const Config& config, const Subject& subject,
                       Events events)
    : Engine(config, subject, std::move(events)), register_(config.agreed.file), certificates_(loop) {}

std::optional<std::string> FileEngine::open(const HostFolder::Memory& before) {
    auto occupied = register_.occupy(
        config_.host, fmt::format("the daemon at {} (process {})",
                                  config_.address_of(config_.hosts[config_.self()]), ::getpid()));
    if (!occupied) return occupied.error();
    occupied_ = std::move(*occupied);
    if (auto why = read_own_certificate(daemon_of(before.incarnation))) return why;
    const bool after_earlier_version = before.incarnation == 0 && before.view > 0;
    if (after_earlier_version)
        if (const auto made = register_.found(before.view, false); !made) return made.error();
    const auto value = register_.read();
    if (!value) return value.error();
    is_first_ = value->members.empty() && value->quiet;
    if (value->view >= before.view) return std::nullopt;
    const char* const why =
        after_earlier_version
            ? "another host has made the register, and has worked in earlier views than this one before"
            : "the register was wiped, or put back from an earlier time";
    return fmt::format(
        "{}: it holds view {}, and this host has worked in view {}: {}; stop all hosts and their programs, "
        "and begin again with `allot cluster init --above {}`",
        config_.agreed.file, value->view, before.view, why, before.view);
}

std::string FileEngine::went_back(const agreement::Value& found, const agreement::Value& known) const {
    return fmt::format(
        "{}: it holds view {}, and this host has seen view {}: the register was wiped, or put back from an "
        "earlier "
        "time. Stop all hosts, and begin again with `allot cluster init --above {}`",
        config_.agreed.file, found.view, known.view, known.view);
}

std::string FileEngine::trouble(const host::Member::Self&) const {
    return problem_.empty() ? "" : "the register cannot be used: " + problem_;
}

std::optional<guardian::Testament> FileEngine::testament(std::uint32_t incarnation) const {
    return guardian::Testament{std::filesystem::absolute(register_.certificate_of(config_.host)).string(),
                               {config_.host, last_life_of(incarnation)}};
}

void FileEngine::call(const host::Member::Self& self, const host::Call& call) {
    const auto value = [&]() -> Result<agreement::Value> {
        const agreement::Value& known = member_.host().known();
        auto newest = call.change
                          ? register_.exchange(known, *call.change, {self.host, self.incarnation, ++calls_})
                          : register_.read();
        // A value that was read once is never followed by an earlier one.
        if (newest && newest->version < known.version) return Error{went_back(*newest, known)};
        return newest;
    }();
    if (!value) {
        if (problem_ != value.error()) log_error("the register cannot be used: " + value.error());
        problem_ = value.error();
        return member_.host().forget_call();
    }
    if (!problem_.empty()) log_info("the register can be read again");
    problem_.clear();
    events_.returned(*value);
}

// --- Daemons that have ended.

void FileEngine::ended(net::HostId peer, bool has_ended) {
    has_ended ? void(gone_.insert(peer)) : void(gone_.erase(peer));
    if (has_ended) look_for_certificates();
}

// The incarnation whose end is certified; 0 if there is none. The error says why a certificate is not
// believed. `known`: a daemon that the host has had.
Result<std::uint32_t> FileEngine::certified(const std::string& host, std::uint32_t known) const {
    const auto certificate = register_.ended(host);
    if (!certificate) return Error{certificate.error()};
    if (!*certificate) return 0U;
    const std::uint32_t incarnation = (*certificate)->incarnation;
    if (can_have_been(daemon_of(incarnation), known)) return incarnation;
    return Error{fmt::format("{}: host {} cannot have had incarnation {} yet", register_.certificate_of(host),
                             host, incarnation)};
}

// Another daemon might believe a wrong one, and give out what this host holds: it must not stay there.
std::optional<std::string> FileEngine::read_own_certificate(std::uint32_t known) {
    const auto incarnation = certified(config_.host, known);
    if (incarnation) {
        certified_ = *incarnation;
        return std::nullopt;
    }
    const std::string file = register_.certificate_of(config_.host);
    const std::string aside = fmt::format("{}.refused-{}", file, std::time(nullptr));
    if (std::rename(file.c_str(), aside.c_str()) != 0)
        return fmt::format("{}; move it away: this host cannot rename it", incarnation.error());
    log_error(fmt::format("{}: it is not believed, and is now {}", incarnation.error(), aside));
    return std::nullopt;
}

void FileEngine::look_for_certificate(const Peer& member) {
    const auto incarnation = certified(config_.name_of(member.site), daemon_of(member.incarnation));
    if (incarnation && member.incarnation <= *incarnation) member_.host().certify(member);
    const std::string why = incarnation ? "" : incarnation.error();
    if (std::exchange(unbelieved_[member.site], why) != why && !why.empty())
        log_error(why + ": it is not believed; this host waits until the programs there have stopped");
}

void FileEngine::look_for_certificates() {
    std::vector<Peer> awaited = member_.host().known().members;
    for (const Peer& removed : member_.host().held_off()) awaited.push_back(removed);
    std::erase_if(gone_, [&](net::HostId one) {
        return std::ranges::find(awaited, SiteId(one), &Peer::site) == awaited.end();
    });
    for (const Peer& one : awaited)
        if (gone_.contains(one.site)) look_for_certificate(one);
    events_.changed();
    if (!gone_.empty()) certificates_.set(tick, [this] { look_for_certificates(); });
}

}  // namespace allot::daemon
