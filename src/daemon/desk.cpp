#include "daemon/desk.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/bytes.hpp"
#include "core/stamps.hpp"

namespace allot::daemon {

Desk::Desk(const Config& config, Say say, std::function<void()> wake)
    : LeaseBook(config, std::move(say)), wake_(std::move(wake)) {}

void Desk::add_space(std::unique_ptr<Space> space) {
    spaces_.push_back(std::move(space));
}

// --- Asking.

std::optional<std::string> Desk::obstacle(const session::Acquire& want) const {
    if (!want.locks.empty() && !spaces_[locks_space]->closed().empty())
        return "locks are not available here: " + spaces_[locks_space]->closed();
    for (const session::Permit& permit : want.permits)
        if (const std::string& why = spaces_[space_of(permit.semaphore)]->closed(); !why.empty())
            return fmt::format("{} is not available here: {}", permit.semaphore, why);
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
    const auto place = std::ranges::lower_bound(semaphores(), semaphore);
    return 1 + static_cast<std::uint32_t>(place - semaphores().begin());
}

// --- Answers.

// Stamps of successive holders grow only together with their sites.
std::uint64_t Desk::permit_fence(const Answer& answer) const {
    return StampAccess::value(answer.fences.front()) * config().hosts.size() * most_permit_seats +
           answer.site;
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
    Lease& lease = *find(key);
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

// --- Giving back.

void Desk::lose(Owner owner, session::Ticket ticket, const std::string& why) {
    const Key key{owner, ticket};
    Lease* found = find(key);
    if (found == nullptr) return;
    Lease& lease = *found;
    if (!lease.granted) return end(key, session::Refused{ticket, session::Refusal::unavailable, why});
    const bool told = !std::exchange(lease.lost, why).empty();
    const bool keeps_locks = std::ranges::count(lease.parts, locks_space, &Part::space) > 0;
    if (!keeps_locks) return end(key, session::Lost{ticket, why});
    if (!told) tell_lost(lease, why);
}

void Desk::give_back(Lease& lease) {
    // The last taken first: who waits for locks is served when nothing else is missing any more.
    for (auto part = lease.parts.rbegin(); part != lease.parts.rend(); ++part) {
        claims_.erase(part->claim);
        spaces_[part->space]->release(part->claim);
    }
}

// --- For others to look at.

// A request waits for what it asks for now; the rest comes later.
PositionOf Desk::positions() {
    std::map<Claim, SiteId> sites;
    for (const auto& space : spaces_)
        for (const SpaceView::Seat& seat : space->view().taken) sites[seat.claim] = seat.site;
    return [this, sites = std::move(sites)](const Lease& lease) {
        const Part& part = lease.parts.back();
        Position position;
        if (!part.granted && part.space == locks_space) position.waiting = lease.want.locks;
        if (!part.granted && part.space != locks_space) position.waiting = {name_of_space(part.space)};
        if (const auto site = sites.find(part.claim); site != sites.end()) position.site = site->second;
        return position;
    };
}

std::vector<QueueReport> Desk::tokens() {
    std::vector<QueueReport> all;
    for (SpaceView::Queue& queue : spaces_[locks_space]->view().tokens)
        all.push_back({std::move(queue.resource), std::move(queue.waiters)});
    return all;
}

// --- Saving.

std::string Desk::saved() const {
    Saved saved;
    for (const Lease* lease : leases()) saved.leases.push_back(*lease);
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
        add(lease);
        for (const Part& part : lease.parts) claims_[part.claim] = key;
    }
    for (std::size_t i = 0; i < spaces_.size(); ++i)
        if (!spaces_[i]->resume(saved->spaces[i])) return false;
    return true;
}

}  // namespace allot::daemon
