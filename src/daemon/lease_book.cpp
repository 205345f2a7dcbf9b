#include "daemon/lease_book.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.hpp"
#include "daemon/epoch.hpp"

namespace allot::daemon {

namespace {

// Longer than anybody waits, and short enough to be added to the time of day.
std::chrono::microseconds patience_of(const session::Acquire& want) {
    constexpr std::uint64_t year_us = std::uint64_t{365} * 86400 * 1'000'000;
    return std::chrono::microseconds(std::min(want.patience_us, year_us));
}

}  // namespace

LeaseBook::LeaseBook(const Config& config, Say say) : config_(config), say_(std::move(say)) {
    for (const auto& [name, semaphore] : config.semaphores) semaphores_.push_back(name);
}

// --- Asking.

void LeaseBook::acquire(Owner owner, const session::Acquire& want) {
    wake();
    if (const auto refused = objection(owner, want)) return refuse(owner, want, *refused);
    Lease lease{.owner = owner, .ticket = want.ticket, .want = want, .since_ms = epoch_ms()};
    std::ranges::sort(lease.want.permits, {}, &session::Permit::semaphore);
    ask(add(std::move(lease)));
    pump();
}

LeaseBook::Lease& LeaseBook::add(Lease lease) {
    const Key key{lease.owner, lease.ticket};
    Lease& added = leases_[key] = std::move(lease);
    if (!added.granted) set_deadline(added);
    return added;
}

void LeaseBook::refuse(Owner owner, const session::Acquire& want, const session::Refused& refused) {
    witness_({.owner = owner, .ticket = want.ticket, .want = want, .since_ms = epoch_ms()}, refused);
    say_(owner, refused);
}

std::optional<session::Refused> LeaseBook::objection(Owner owner, const session::Acquire& want) const {
    using session::Refusal;
    const auto refused = [&](Refusal why, std::string reason) {
        return session::Refused{want.ticket, why, std::move(reason)};
    };
    if (leases_.contains({owner, want.ticket}))
        return refused(Refusal::wrong, fmt::format("ticket {} is in use", want.ticket));
    if (auto why = wrong_names(want)) return refused(Refusal::wrong, std::move(*why));
    if (auto why = wrong_permits(want)) return refused(Refusal::wrong, std::move(*why));
    if (leases_of(owner).size() >= config_.limits.requests_per_session)
        return refused(Refusal::limit, fmt::format("this session has {} open requests, which is the limit",
                                                   config_.limits.requests_per_session));
    if (auto why = obstacle(want)) return refused(Refusal::unavailable, std::move(*why));
    return std::nullopt;
}

std::optional<std::string> LeaseBook::wrong_names(const session::Acquire& want) const {
    if (want.locks.empty() && want.permits.empty()) return "name at least one lock or semaphore";
    if (want.locks.size() > config_.limits.locks_per_request)
        return fmt::format("{} locks at once are too many; name at most {}", want.locks.size(),
                           config_.limits.locks_per_request);
    std::set<std::string> seen;
    for (const std::string& lock : want.locks) {
        if (lock.empty()) return "the name of a lock is empty; name each lock";
        if (!is_utf8(lock)) return "the name of a lock is not UTF-8; write it in UTF-8";
        if (lock.size() > config_.limits.name_length)
            return fmt::format("a name of {} characters is too long; write at most {}", lock.size(),
                               config_.limits.name_length);
        if (!seen.insert(lock).second) return fmt::format("{} is named twice; name each lock once", lock);
    }
    return std::nullopt;
}

std::optional<std::string> LeaseBook::wrong_permits(const session::Acquire& want) const {
    std::set<std::string> seen;
    for (const session::Permit& permit : want.permits) {
        const auto place = config_.semaphores.find(permit.semaphore);
        if (place == config_.semaphores.end())
            return semaphores_.empty() ? fmt::format("{}: no semaphore is declared here", permit.semaphore)
                                       : fmt::format("{}: no such semaphore; there is {}", permit.semaphore,
                                                     fmt::join(semaphores_, ", "));
        if (!seen.insert(permit.semaphore).second)
            return fmt::format("{} is named twice; name each semaphore once", permit.semaphore);
        if (permit.units < 1 || permit.units > place->second.max_request)
            return fmt::format("{}={}: write a number from 1 to {}", permit.semaphore, permit.units,
                               place->second.max_request);
    }
    return std::nullopt;
}

// --- Answers.

void LeaseBook::finish(Lease& lease) {
    clear_deadline({lease.owner, lease.ticket});
    lease.granted = true;
    const session::Granted granted{lease.ticket, lease.held, valid_us()};
    witness_(lease, granted);
    lease.since_ms = epoch_ms();
    ++grants_;
    begun(lease);
    say_(lease.owner, granted);
}

void LeaseBook::tell_lost(const Lease& lease, const std::string& why) {
    witness_(lease, session::Lost{lease.ticket, why});
    say_(lease.owner, session::Lost{lease.ticket, why});
}

// --- Giving back.

void LeaseBook::release(Owner owner, session::Ticket ticket) {
    wake();
    end({owner, ticket}, session::Released{ticket});
    pump();
}

void LeaseBook::abandon(Owner owner, const std::set<session::Ticket>& spared) {
    wake();
    std::vector<session::Ticket> mine;
    for (const Lease* lease : leases_of(owner))
        if (!spared.contains(lease->ticket)) mine.push_back(lease->ticket);
    for (const session::Ticket ticket : mine) end({owner, ticket}, session::Released{ticket});
    pump();
}

void LeaseBook::end(const Key& key, const session::DaemonMessage& message) {
    // It is out of the book first: whatever follows may end other leases, or the whole session.
    if (auto ended = leases_.extract(key)) {
        witness_(ended.mapped(), message);
        give_back(ended.mapped());
    }
    clear_deadline(key);
    say_(key.first, message);
}

// --- Patience.

void LeaseBook::set_deadline(const Lease& lease) {
    if (lease.want.patience_us == 0) return;
    const Key key{lease.owner, lease.ticket};
    const auto due = Clock::now() + patience_of(lease.want);
    deadlines_[key] = due;
    due_.insert({due, key});
}

void LeaseBook::clear_deadline(const Key& key) {
    const auto place = deadlines_.find(key);
    if (place == deadlines_.end()) return;
    due_.erase({place->second, key});
    deadlines_.erase(place);
}

std::optional<Clock::time_point> LeaseBook::expire(Clock::time_point now) {
    if (!due_.empty() && due_.begin()->first <= now) wake();
    while (!due_.empty() && due_.begin()->first <= now) {
        const Key key = due_.begin()->second;
        end(key, session::Refused{key.second, session::Refusal::timed_out, "not granted in time"});
    }
    pump();
    if (due_.empty()) return std::nullopt;
    return due_.begin()->first;
}

// --- For others to look at.

session::Validity LeaseBook::valid_us() const {
    const auto time = valid_for();
    if (!time) return std::nullopt;
    return static_cast<std::uint64_t>(time->count());
}

LeaseBook::Lease* LeaseBook::find(const Key& key) {
    const auto place = leases_.find(key);
    return place == leases_.end() ? nullptr : &place->second;
}

const LeaseBook::Lease* LeaseBook::find(Owner owner, session::Ticket ticket) const {
    const auto place = leases_.find({owner, ticket});
    return place == leases_.end() ? nullptr : &place->second;
}

std::vector<const LeaseBook::Lease*> LeaseBook::leases() const {
    std::vector<const Lease*> all;
    for (const auto& [key, lease] : leases_) all.push_back(&lease);
    return all;
}

std::vector<const LeaseBook::Lease*> LeaseBook::leases_of(Owner owner) const {
    std::vector<const Lease*> mine;
    const auto end = leases_.lower_bound({owner + 1, 0});
    for (auto place = leases_.lower_bound({owner, 0}); place != end; ++place) mine.push_back(&place->second);
    return mine;
}

}  // namespace allot::daemon
