#include "client/claims.hpp"

#include <algorithm>

namespace allot::client {

namespace {

bool same(const std::vector<Held>& ours, const std::vector<session::Held>& theirs) {
    return std::equal(
        ours.begin(), ours.end(), theirs.begin(), theirs.end(),
        [](const Held& a, const session::Held& b) { return a.name == b.name && a.fence == b.fence; });
}

}  // namespace

session::Acquire as_request(const Demand& demand) {
    session::Acquire request;
    request.locks = demand.locks();
    request.permits.reserve(demand.permits().size());
    for (const Demand::Permit& permit : demand.permits())
        request.permits.push_back({permit.semaphore, permit.units});
    return request;
}

Code code_of(session::Refusal refusal) {
    switch (refusal) {
        case session::Refusal::timed_out:
            return Code::timed_out;
        case session::Refusal::wrong:
            return Code::wrong;
        case session::Refusal::forbidden:
            return Code::forbidden;
        case session::Refusal::unavailable:
            return Code::unavailable;
        case session::Refusal::limit:
            return Code::limit;
    }
    return Code::wrong;
}

ClaimPtr Claims::open(session::Acquire request, Clock::time_point now, Deadline deadline) {
    auto claim = std::make_shared<Claim>();
    claim->request = std::move(request);
    claim->request.ticket = next_++;
    claim->asked_at = now;
    claim->deadline = deadline;
    all_.push_back(claim);
    return claim;
}

// A grant that the daemon repeats after a reconnect must be the same: another fence means that somebody else
// may have held the resource in between.
ClaimPtr Claims::granted(session::Granted& message) {
    const auto found = find(message.ticket);
    if (found == all_.end()) return nullptr;
    const ClaimPtr claim = *found;
    if (claim->phase == ClaimPhase::waiting) {
        claim->phase = ClaimPhase::held;
        claim->ending = static_cast<Ending>(message.ending);
        claim->held.reserve(message.held.size());
        for (session::Held& one : message.held) claim->held.push_back({std::move(one.name), one.fence});
        return claim;
    }
    if (claim->phase != ClaimPhase::held || same(claim->held, message.held)) return nullptr;
    lose(claim, "the daemon granted it again with another fence");
    return claim;
}

ClaimPtr Claims::refused(const session::Refused& message) {
    const auto found = find(message.ticket);
    if (found == all_.end()) return nullptr;
    const ClaimPtr claim = *found;
    const bool waited = claim->phase == ClaimPhase::waiting;
    if (waited) claim->failure.emplace(code_of(message.why), message.reason);
    end(claim);
    return waited ? claim : nullptr;
}

ClaimPtr Claims::released(const session::Released& message) {
    const ClaimPtr claim = lost({message.ticket, "the daemon released it"});
    if (const auto found = find(message.ticket); found != all_.end()) end(ClaimPtr(*found));
    return claim;
}

// A lost lease stays open: the daemon keeps its resources until the program has stopped and releases them.
ClaimPtr Claims::lost(const session::Lost& message) {
    const auto found = find(message.ticket);
    if (found == all_.end()) return nullptr;
    const ClaimPtr claim = *found;
    const bool told_already = claim->phase == ClaimPhase::releasing || claim->phase == ClaimPhase::lost;
    if (!told_already) lose(claim, message.reason);
    return told_already ? nullptr : claim;
}

bool Claims::release(const ClaimPtr& claim) {
    if (claim->phase == ClaimPhase::over || claim->phase == ClaimPhase::releasing) return false;
    claim->phase = ClaimPhase::releasing;
    claim->process = Descriptor();
    return true;
}

bool Claims::withdraw(const ClaimPtr& claim, Failure failure) {
    claim->failure = std::move(failure);
    return release(claim);
}

void Claims::lose(const ClaimPtr& claim, const std::string& reason) {
    claim->failure.emplace(Code::lost, reason);
    claim->phase = ClaimPhase::lost;
}

void Claims::forget() {
    for (const ClaimPtr& claim : std::vector<ClaimPtr>(all_)) end(claim);
}

Claims::Resumption Claims::resume(const session::Welcome& welcome) {
    Resumption resumption;
    std::vector<Ticket> open = welcome.resumed ? welcome.open : std::vector<Ticket>();
    std::sort(open.begin(), open.end());
    const std::vector<ClaimPtr> before = all_;
    for (const ClaimPtr& claim : before)
        resume_one(claim, std::binary_search(open.begin(), open.end(), claim->ticket()), resumption);
    // A ticket that only the daemon knows was released here, and the Release got lost.
    for (const Ticket ticket : open)
        if (find(ticket) == all_.end()) resumption.release.push_back(ticket);
    return resumption;
}

void Claims::resume_one(const ClaimPtr& claim, bool known, Resumption& resumption) {
    switch (claim->phase) {
        case ClaimPhase::waiting:
            if (!known) resumption.ask.push_back(claim);
            break;
        case ClaimPhase::held:
            if (known && claim->process) resumption.follow.push_back(claim);
            if (known) break;
            claim->failure.emplace(Code::lost, "the daemon was restarted and does not know the lease");
            end(claim);
            resumption.lost.push_back(claim);
            break;
        case ClaimPhase::lost:
            if (!known) end(claim);
            break;
        case ClaimPhase::releasing:
            if (known)
                resumption.release.push_back(claim->ticket());
            else
                end(claim);
            break;
        case ClaimPhase::over:
            break;
    }
}

std::vector<ClaimPtr>::iterator Claims::find(Ticket ticket) {
    const auto found =
        std::lower_bound(all_.begin(), all_.end(), ticket,
                         [](const ClaimPtr& claim, Ticket wanted) { return claim->ticket() < wanted; });
    return found != all_.end() && (*found)->ticket() == ticket ? found : all_.end();
}

void Claims::end(const ClaimPtr& claim) {
    claim->phase = ClaimPhase::over;
    claim->process = Descriptor();
    if (const auto found = find(claim->ticket()); found != all_.end()) all_.erase(found);
}

}  // namespace allot::client
