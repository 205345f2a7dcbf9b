#include "net/link.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/ensure.hpp"

namespace allot::net {

namespace {

// Empty payloads take memory, too.
std::size_t room_of(std::string_view payload) {
    return payload.size() + sizeof(std::string);
}

}  // namespace

Position Link::position() const {
    return {.incarnation = state_.own, .met = state_.peer, .over = state_.over, .received = state_.received};
}

bool Link::is_disowned_by(const Position& peer) const {
    return is_over_for(peer) || (!is_over(peer) && possessions_of(peer) > sent_to(peer));
}

bool Link::is_over_for(const Position& peer) const {
    return peer.met && (*peer.met > state_.own || (*peer.met == state_.own && peer.over));
}

bool Link::is_over(const Position& peer) const {
    return state_.peer &&
           (peer.incarnation < *state_.peer || (peer.incarnation == *state_.peer && state_.over));
}

std::uint64_t Link::possessions_of(const Position& peer) const {
    // Payloads that it received from an earlier incarnation of this host do not count.
    return peer.met == state_.own ? peer.received : 0;
}

std::uint64_t Link::sent_to(const Position& peer) const {
    return state_.peer == peer.incarnation ? last() : 0;
}

std::string Link::objection_to(const Position& peer) const {
    if (is_over_for(peer)) return fmt::format("that host has ended incarnation {} of this host", state_.own);
    if (state_.peer && peer.incarnation < *state_.peer)
        return fmt::format("its incarnation {} has ended: this host has met incarnation {}", peer.incarnation,
                           *state_.peer);
    if (is_over(peer)) return fmt::format("its incarnation {} has ended", peer.incarnation);
    const std::uint64_t has = possessions_of(peer);
    const std::uint64_t had = state_.peer == peer.incarnation ? state_.acknowledged : 0;
    const std::uint64_t sent = sent_to(peer);
    if (had <= has && has <= sent) return "";
    return fmt::format(
        "it says that it has received {} payloads, which must be {} to {}: one end has lost its state and "
        "must restart as a new incarnation",
        has, had, sent);
}

Link::Meeting Link::meet(const Position& peer) {
    ensure(objection_to(peer).empty(), "a link is made in spite of an objection");
    Meeting meeting{.fresh = state_.peer != peer.incarnation};
    if (meeting.fresh) {
        meeting.ended = end();
        state_.peer = peer.incarnation;
        state_.over = false;
    }
    acknowledge(possessions_of(peer));
    return meeting;
}

std::optional<Incarnation> Link::end() {
    if (!state_.peer || state_.over) return std::nullopt;
    begin_anew();
    state_.over = true;
    return state_.peer;
}

void Link::begin_anew() {
    state_.received = 0;
    state_.acknowledged = 0;
    state_.kept.clear();
    kept_bytes_ = 0;
}

void Link::keep(std::string_view payload) {
    if (state_.over) return;
    kept_bytes_ += room_of(payload);
    state_.kept.emplace_back(payload);
}

const std::string& Link::kept(std::uint64_t number) const {
    ensure(number >= first() && number <= last(), "a payload that is not kept is sent again");
    return state_.kept[number - first()];
}

bool Link::acknowledge(std::uint64_t count) {
    if (count > last()) return false;
    while (state_.acknowledged < count) {
        kept_bytes_ -= room_of(state_.kept.front());
        state_.kept.pop_front();
        ++state_.acknowledged;
    }
    return true;
}

Link::Arrival Link::arrive(std::uint64_t number) {
    if (number <= state_.received) return Arrival::again;
    if (number > state_.received + 1) return Arrival::gap;
    ++state_.received;
    return Arrival::next;
}

}  // namespace allot::net
