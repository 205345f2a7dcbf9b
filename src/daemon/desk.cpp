#include "daemon/desk.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.hpp"
#include "core/bytes.hpp"
#include "core/stamps.hpp"
#include "daemon/epoch.hpp"

namespace allot::daemon {

namespace {

// Longer than anybody waits, and short enough to be added to the time of day.
std::chrono::microseconds patience_of(const session::Acquire& want) {
    constexpr std::uint64_t year_us = std::uint64_t{365} * 86400 * 1'000'000;
    return std::chrono::microseconds(std::min(want.patience_us, year_us));
}

}  // namespace

Desk::Desk(const Config& config, Say say, std::function<void()> wake)
    : config_(config), say_(std::move(say)), wake_(std::move(wake)) {
    for (const auto& [name, semaphore] : config.semaphores) semaphores_.push_back(name);
}

void Desk::add_space(std::unique_ptr<Space> space) {
    spaces_.push_back(std::move(space));
}

// --- Asking.

void Desk::acquire(Owner owner, const session::Acquire& want) {
    wake_();
    if (const auto refused = objection(owner, want)) return refuse(owner, want, *refused);
    const Key key{owner, want.ticket};
    Lease& lease = leases_[key];
    lease.owner = owner;
    lease.ticket = want.ticket;
    lease.want = want;
    lease.since_ms = epoch_ms();
    std::ranges::sort(lease.want.permits, {}, &session::Permit::semaphore);
    set_deadline(lease);
    ask_next(lease);
    pump();
}

void Desk::refuse(Owner owner, const session::Acquire& want, const session::Refused& refused) {
    witness_({.owner = owner, .ticket = want.ticket, .want = want, .since_ms = epoch_ms()}, refused);
    say_(owner, refused);
}

std::optional<session::Refused> Desk::objection(Owner owner, const session::Acquire& want) const {
    using session::Refusal;
    const auto refused = [&](Refusal why, std::string reason) {
        return session::Refused{want.ticket, why, std::move(reason)};
    };
    if (leases_.contains({owner, want.ticket}))
        return refused(Refusal::wrong, fmt::format("ticket {} is in use", want.ticket));
    if (auto why = wrong_names(want)) return refused(Refusal::wrong, std::move(*why));
    if (leases_of(owner).size() >= config_.limits.requests_per_session)
        return refused(Refusal::limit, fmt::format("this session has {} open requests, which is the limit",
                                                   config_.limits.requests_per_session));
    if (!want.locks.empty() && !spaces_[locks_space]->closed().empty())
        return refused(Refusal::unavailable,
                       "locks are not available here: " + spaces_[locks_space]->closed());
    for (const session::Permit& permit : want.permits)
        if (const std::string& why = spaces_[space_of(permit.semaphore)]->closed(); !why.empty())
            return refused(Refusal::unavailable,
                           fmt::format("{} is not available here: {}", permit.semaphore, why));
    return std::nullopt;
}

std::optional<std::string> Desk::wrong_names(const session::Acquire& want) const {
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
    seen.clear();
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

void Desk::ask_next(Lease& lease) {
    const bool has_locks = !lease.want.locks.empty();
    const std::size_t asked = lease.parts.size();
    Demand demand;
    std::uint32_t number = locks_space;
    if (has_locks && asked == 0) {
        demand.resources.assign(lease.want.locks.begin(), lease.want.locks.end());
    } else {
        const session::Permit& permit = lease.want.permits[asked - (has_locks ? 1 : 0)];
        demand.units = permit.units;
        number = space_of(permit.semaphore);
    }
    const Claim claim = next_claim_++;
    lease.parts.push_back({number, claim, false});
    claims_[claim] = {lease.owner, lease.ticket};
    spaces_[number]->request(claim, demand);
}

std::uint32_t Desk::space_of(const std::string& semaphore) const {
    const auto place = std::ranges::lower_bound(semaphores_, semaphore);
    return 1 + static_cast<std::uint32_t>(place - semaphores_.begin());
}

// --- Answers.

// Stamps of successive holders grow only together with their sites.
std::uint64_t Desk::permit_fence(const Answer& answer) const {
    return StampAccess::value(answer.fences.front()) * config_.hosts.size() * most_permit_seats + answer.site;
}

void Desk::pump() {
    // An answer may cause requests, which may be answered at once; they are taken in the same loop.
    if (pumping_) return;
    pumping_ = true;
    for (bool more = true; more;) {
        more = false;
        for (const auto& space : spaces_) {
            if (space->answers().empty()) continue;
            more = true;
            const auto answers = std::move(space->answers());
            space->answers().clear();
            for (const Answer& one : answers) answer(one);
        }
    }
    pumping_ = false;
}

void Desk::answer(const Answer& answer) {
    const auto place = claims_.find(answer.claim);
    if (place == claims_.end()) return;  // given back in the meantime
    const Key key = place->second;
    Lease& lease = leases_.at(key);
    if (answer.kind == Answer::Kind::granted) {
        Part& part = lease.parts.back();
        part.granted = true;
        const bool locks = part.space == locks_space;
        for (std::size_t i = 0; locks && i < lease.want.locks.size(); ++i)
            lease.held.push_back({lease.want.locks[i], fence_base_ + StampAccess::value(answer.fences[i])});
        if (!locks)
            lease.held.push_back({name_of_space(part.space),
                                  fence_base_ + (answer.fences.empty() ? life_ : permit_fence(answer))});
        const std::size_t all = lease.want.permits.size() + (lease.want.locks.empty() ? 0 : 1);
        return lease.parts.size() < all ? ask_next(lease) : finish(lease);
    }
    // The space has forgotten this claim already.
    claims_.erase(place);
    const auto part = std::ranges::find(lease.parts, answer.claim, &Part::claim);
    const std::string name = name_of_space(part->space);
    lease.parts.erase(part);
    if (answer.kind == Answer::Kind::lost && lease.granted) {
        std::erase_if(lease.held, [&](const session::Held& held) { return held.name == name; });
        return lose(key.first, key.second, answer.reason);
    }
    end(key, session::Refused{key.second, session::Refusal::unavailable, answer.reason});
}

void Desk::finish(Lease& lease) {
    const Key key{lease.owner, lease.ticket};
    clear_deadline(key);
    lease.granted = true;
    const session::Granted granted{lease.ticket, lease.held};
    witness_(lease, granted);
    lease.since_ms = epoch_ms();
    ++grants_;
    say_(lease.owner, granted);
}

// --- Giving back.

void Desk::release(Owner owner, session::Ticket ticket) {
    wake_();
    end({owner, ticket}, session::Released{ticket});
    pump();
}

void Desk::lose(Owner owner, session::Ticket ticket, const std::string& why) {
    const Key key{owner, ticket};
    const auto place = leases_.find(key);
    if (place == leases_.end()) return;
    Lease& lease = place->second;
    if (!lease.granted) return end(key, session::Refused{ticket, session::Refusal::unavailable, why});
    const bool told = !std::exchange(lease.lost, why).empty();
    const bool keeps_locks = std::ranges::count(lease.parts, locks_space, &Part::space) > 0;
    if (!keeps_locks) return end(key, session::Lost{ticket, why});
    if (told) return;
    witness_(lease, session::Lost{ticket, why});
    say_(owner, session::Lost{ticket, why});
}

void Desk::abandon(Owner owner, const std::set<session::Ticket>& spared) {
    wake_();
    std::vector<session::Ticket> mine;
    for (const Lease* lease : leases_of(owner))
        if (!spared.contains(lease->ticket)) mine.push_back(lease->ticket);
    for (const session::Ticket ticket : mine) end({owner, ticket}, session::Released{ticket});
    pump();
}

// Also of what is not known: then it is released already.
void Desk::end(const Key& key, const session::DaemonMessage& message) {
    if (const auto place = leases_.find(key); place != leases_.end()) {
        witness_(place->second, message);
        give_back(place->second);
        leases_.erase(place);
    }
    clear_deadline(key);
    say_(key.first, message);
}

void Desk::give_back(Lease& lease) {
    // The last taken first: who waits for locks is served when nothing else is missing any more.
    for (auto part = lease.parts.rbegin(); part != lease.parts.rend(); ++part) {
        claims_.erase(part->claim);
        spaces_[part->space]->release(part->claim);
    }
}

void Desk::set_deadline(const Lease& lease) {
    if (lease.want.patience_us == 0) return;
    const Key key{lease.owner, lease.ticket};
    const auto due = Clock::now() + patience_of(lease.want);
    deadlines_[key] = due;
    due_.insert({due, key});
}

void Desk::clear_deadline(const Key& key) {
    const auto place = deadlines_.find(key);
    if (place == deadlines_.end()) return;
    due_.erase({place->second, key});
    deadlines_.erase(place);
}

std::optional<Clock::time_point> Desk::expire(Clock::time_point now) {
    if (!due_.empty() && due_.begin()->first <= now) wake_();
    while (!due_.empty() && due_.begin()->first <= now) {
        const Key key = due_.begin()->second;
        end(key, session::Refused{key.second, session::Refusal::timed_out, "not granted in time"});
    }
    pump();
    if (due_.empty()) return std::nullopt;
    return due_.begin()->first;
}

// --- For others to look at.

const Desk::Lease* Desk::find(Owner owner, session::Ticket ticket) const {
    const auto place = leases_.find({owner, ticket});
    return place == leases_.end() ? nullptr : &place->second;
}

std::vector<const Desk::Lease*> Desk::leases() const {
    std::vector<const Lease*> all;
    for (const auto& [key, lease] : leases_) all.push_back(&lease);
    return all;
}

std::vector<const Desk::Lease*> Desk::leases_of(Owner owner) const {
    std::vector<const Lease*> mine;
    const auto end = leases_.lower_bound({owner + 1, 0});
    for (auto place = leases_.lower_bound({owner, 0}); place != end; ++place) mine.push_back(&place->second);
    return mine;
}

std::string Desk::saved() const {
    Saved saved;
    for (const auto& [key, lease] : leases_) saved.leases.push_back(lease);
    for (const auto& space : spaces_) saved.spaces.push_back(space->saved());
    saved.next_claim = next_claim_;
    return to_bytes(saved);
}

// Patience begins anew: what a stop of the daemon took is not the program's fault.
bool Desk::resume(std::string_view bytes) {
    const auto saved = from_bytes<Saved>(bytes);
    if (!saved || saved->spaces.size() != spaces_.size()) return false;
    next_claim_ = saved->next_claim;
    for (const Lease& lease : saved->leases) {
        const Key key{lease.owner, lease.ticket};
        leases_[key] = lease;
        for (const Part& part : lease.parts) claims_[part.claim] = key;
        if (!lease.granted) set_deadline(lease);
    }
    for (std::size_t i = 0; i < spaces_.size(); ++i)
        if (!spaces_[i]->resume(saved->spaces[i])) return false;
    return true;
}

}  // namespace allot::daemon
