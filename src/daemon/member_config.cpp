#include "daemon/member_config.hpp"

#include <algorithm>
#include <sys/resource.h>

#include "base/descriptor_room.hpp"
#include "daemon/incarnations.hpp"
#include "daemon/settings_text.hpp"

namespace allot::daemon {

using host::Member;
using std::chrono::milliseconds;

namespace {

host::Ticks ticks_in(milliseconds time) {
    return static_cast<host::Ticks>((time + tick - milliseconds(1)) / tick);
}

// No shorter than a lease on any clock whose rate is wrong by one in a hundred, and one tick for the one that
// has begun already.
host::Ticks hold_off_of(milliseconds lease) {
    constexpr milliseconds margin{200};
    return ticks_in(lease * 101 / 99 + margin) + 1;
}

host::Config host_config(const Config& config) {
    host::Config all;
    all.locks.seats = config.lock_seats;
    all.locks.line.most_of_user = static_cast<std::uint32_t>(host::share_of_one(config.lock_seats));
    all.settings = settings_of(config);
    all.hosts = static_cast<std::uint32_t>(config.hosts.size());
    all.lease = static_cast<host::Ticks>(config.agreed.lease / tick);
    all.grace = ticks_in(config.agreed.grace);
    // A lease that is renewed in time is never so short.
    all.least_use = (all.lease - all.grace) / 4;
    all.hold_off = hold_off_of(config.agreed.lease);
    all.renew_every = std::max<host::Ticks>(1, all.lease / 3);
    all.silence = ticks_in(config.agreed.silence);
    all.alive_every = 0;
    all.return_within = ticks_in(config.agreed.return_within);
    all.lives = 1U << bits_of_lives;
    all.most_weight = config.limits.names;
    all.weight_of_used = 8;
    return all;
}

// Each program is a descriptor, and the usual limit is low for historical reasons only.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

// The connection of a program, and the watch of its process.
constexpr std::size_t descriptors_per_session = 2;
// The watch of a process that a lease follows, and for the guardian pidfds of it and of its program.
constexpr std::size_t descriptors_per_process = 3;

// Names, of a session that ends: about a millisecond.
constexpr host::Cost end_at_once = 256;

host::SessionConfig session_config(const Config& config) {
    raise_descriptor_limit();
    const auto room = DescriptorRoom::of_this_process();
    const auto at_most = [](std::uint32_t number, std::size_t most) {
        return static_cast<std::uint32_t>(std::min<std::size_t>(number, most));
    };
    host::SessionConfig all{.host = config.host,
                            .limits = config.limits,
                            .lease = config.agreed.lease,
                            .allow = config.allow,
                            .modes = config.modes,
                            .end_at_once = end_at_once};
    all.limits.sessions = at_most(all.limits.sessions, room.sessions() / descriptors_per_session);
    all.limits.followed = at_most(~0U, room.processes() / descriptors_per_process);
    return all;
}

}  // namespace

Member::Config member_config(const Config& config) {
    Member::Config all{
        .sessions = session_config(config), .host = host_config(config), .council = std::nullopt};
    if (config.agreed.engine != Register::Engine::hosts) return all;
    agreement::CouncilConfig& council = all.council.emplace();
    council.hosts = all.host.hosts;
    for (const std::uint32_t voter : config.voters()) council.voters.emplace_back(voter);
    council.retry_after = ticks_in(milliseconds(300));
    council.rest = ticks_in(milliseconds(100));
    council.spread = ticks_in(milliseconds(1000));
    council.patience = 3 * all.host.silence;  // a copy of a live host is noticed before
    council.succeeds = true;
    return all;
}

}  // namespace allot::daemon
