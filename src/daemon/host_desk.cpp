#include "daemon/host_desk.hpp"

#include <algorithm>
#include <utility>

#include "core/stamps.hpp"

namespace allot::daemon {

namespace {

host::Key key_of(const LeaseBook::Lease& lease) {
    return {lease.owner, lease.ticket};
}

}  // namespace

host::Want HostDesk::want_of(const session::Acquire& want) {
    host::Want all;
    all.locks.assign(want.locks.begin(), want.locks.end());
    for (const session::Permit& permit : want.permits) all.permits[permit.semaphore] = permit.units;
    return all;
}

void HostDesk::ask(Lease& lease) {
    ways_.ask(key_of(lease), want_of(lease.want));
}

void HostDesk::give_back(Lease& lease) {
    const bool was_lost = std::exchange(is_lost_, false);
    const bool was_told = std::exchange(is_told_, false);
    if (lease.granted) ways_.ended(lease, was_lost);
    if (!was_told) ways_.release(key_of(lease));
}

void HostDesk::answer(const host::Answer& answer) {
    const Key key{answer.key.session, answer.key.ticket};
    Lease* lease = find(key);
    if (lease == nullptr) return;  // it is over already
    switch (answer.kind) {
        case host::Answer::Kind::granted:
            lease->held = held_by(*lease, answer.fences);
            return finish(*lease);
        case host::Answer::Kind::refused:
        case host::Answer::Kind::lost:
            is_told_ = true;
            lose(*lease, answer.reason);
            is_told_ = false;
            return;
        case host::Answer::Kind::stop:  // programs know until when they may go on
        case host::Answer::Kind::released:
            return;
    }
}

std::vector<session::Held> HostDesk::held_by(const Lease& lease, const std::vector<Fence>& fences) const {
    std::vector<session::Held> held;
    auto next = fences.begin();
    for (const std::string& lock : lease.want.locks) held.push_back({lock, StampAccess::value(*next++)});
    for (const session::Permit& permit : lease.want.permits) {
        const bool in_order = config().semaphores.at(permit.semaphore).permits == 1;
        held.push_back({permit.semaphore, in_order ? StampAccess::value(*next++) : ways_.unordered_fence()});
    }
    return held;
}

std::vector<Fence> HostDesk::fences_of(const Lease& lease) const {
    std::vector<Fence> fences;
    for (const session::Held& held : lease.held) {
        const auto semaphore = config().semaphores.find(held.name);
        const bool is_lock = std::ranges::find(lease.want.locks, held.name) != lease.want.locks.end();
        if (is_lock || (semaphore != config().semaphores.end() && semaphore->second.permits == 1))
            fences.push_back(StampAccess::make(held.fence));
    }
    return fences;
}

void HostDesk::lose(Owner owner, session::Ticket ticket, const std::string& why) {
    const Lease* lease = std::as_const(*this).find(owner, ticket);
    if (lease == nullptr) return;
    // Its program runs, and nobody else stops it: the lease is its own until it gives it back.
    lease->granted ? tell_lost(*lease, why) : lose(*lease, why);
}

void HostDesk::lose(const Lease& lease, const std::string& why) {
    const Key key{lease.owner, lease.ticket};
    is_lost_ = true;
    if (lease.granted)
        end(key, session::Lost{key.second, why});
    else
        end(key, session::Refused{key.second, session::Refusal::unavailable, why});
    is_lost_ = false;
}

}  // namespace allot::daemon
