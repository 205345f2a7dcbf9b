#include "daemon/file_engine.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "daemon/member_config.hpp"

namespace allot::daemon {

FileEngine::FileEngine(boost::asio::io_context& loop, const Config& config, Subject subject, Events events)
    : Engine(config, subject, std::move(events)), register_(config.agreed.file), certificates_(loop) {}

std::optional<std::string> FileEngine::open(const HostFolder::Memory& before) {
    auto occupied = register_.occupy(config_.host);
    if (!occupied) return occupied.error();
    occupied_ = std::move(*occupied);
    const bool after_earlier_version = before.incarnation == 0 && before.view > 0;
    if (after_earlier_version)
        if (const auto made = register_.found(before.view, false); !made) return made.error();
    const auto value = register_.read();
    if (!value) return value.error();
    is_first_ = value->members.empty() && value->quiet;
    if (value->view >= before.view) return std::nullopt;
    return fmt::format(
        "{}: it holds view {}, and this host has worked in view {}: the register was wiped, or put back from "
        "an earlier time",
        config_.agreed.file, value->view, before.view);
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

std::uint32_t FileEngine::certified() const {
    return register_.gone(config_.host).value_or(0);
}

std::optional<guardian::Testament> FileEngine::testament(std::uint32_t incarnation) const {
    return guardian::Testament{std::filesystem::absolute(register_.place_of(config_.host)).string(),
                               incarnation};
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

void FileEngine::look_for_certificates() {
    const auto& members = member_.host().known().members;
    std::erase_if(gone_, [&](net::HostId one) {
        return std::ranges::find(members, SiteId(one), &Peer::site) == members.end();
    });
    for (const Peer& member : members) {
        if (!gone_.contains(member.site)) continue;
        const auto certified = register_.gone(config_.name_of(member.site));
        if (certified && member.incarnation <= *certified) member_.host().certify(member);
    }
    events_.changed();
    if (!gone_.empty()) certificates_.set(tick / 2, [this] { look_for_certificates(); });
}

}  // namespace allot::daemon
