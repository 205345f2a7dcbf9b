#include "daemon/host_desk.hpp"

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
    ways_.ended(lease);
    if (!is_told_) ways_.release(key_of(lease));
}

void HostDesk::answer(const host::Answer& answer) {
    const Key key{answer.key.session, answer.key.ticket};
    Lease* lease = find(key);
    if (lease == nullptr) return;  // it is over already
    switch (answer.kind) {
        case host::Answer::Kind::granted:
            lease->held = held_by(*lease, answer.fences);
            ways_.granted(*lease);
            return finish(*lease);
        case host::Answer::Kind::refused:
        case host::Answer::Kind::lost:
            is_told_ = true;
            if (answer.kind == host::Answer::Kind::lost && lease->granted)
                end(key, session::Lost{key.second, answer.reason});
            else
                end(key, session::Refused{key.second, session::Refusal::unavailable, answer.reason});
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
        held.push_back(
            {permit.semaphore, in_order ? StampAccess::value(*next++) : ways_.unordered_fence()});
    }
    return held;
}

void HostDesk::lose(Owner owner, session::Ticket ticket, const std::string& why) {
    const Lease* lease = LeaseBook::find(owner, ticket);
    if (lease == nullptr) return;
    if (lease->granted)
        end({owner, ticket}, session::Lost{ticket, why});
    else
        end({owner, ticket}, session::Refused{ticket, session::Refusal::unavailable, why});
}

}  // namespace allot::daemon
