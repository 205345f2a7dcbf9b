// One end of a link, without sockets and clocks: what to send, what to send again, what to drop.
//
// Payloads are numbered from 1, for each pair of incarnations anew. Each is kept until the other end has said
// that it has it. At every connection both ends first say their Position; whatever the other end lacks is
// then sent again, and whatever comes twice is known by its number. So a link is in order and exactly once
// across any number of connections, for as long as both incarnations last.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace allot::net {

using Incarnation = std::uint32_t;

// What an end says first at each connection.
struct Position {
    Incarnation incarnation = 0;     // its own
    std::optional<Incarnation> met;  // the last one of the other end that it met,
    bool over = false;               // whether that one has ended,
    std::uint64_t received = 0;      // and how many payloads came from it
    bool operator==(const Position&) const = default;
};
BOOST_DESCRIBE_STRUCT(Position, (), (incarnation, met, over, received))

// All that an end must remember if it is to go on later.
struct LinkState {
    Incarnation own = 0;
    std::optional<Incarnation> peer;  // the last one met
    bool over = false;                // it has ended: nothing is kept for it
    std::uint64_t received = 0;       // payloads of that peer
    std::uint64_t acknowledged = 0;   // payloads that it has of ours
    std::deque<std::string> kept;     // those that follow: the first has number acknowledged + 1
    bool operator==(const LinkState&) const = default;
};
BOOST_DESCRIBE_STRUCT(LinkState, (), (own, peer, over, received, acknowledged, kept))

class Link {
public:
    explicit Link(Incarnation own) { state_.own = own; }
    // Nothing if no end could have come to this state.
    static std::optional<Link> restored(LinkState state);
    const LinkState& state() const { return state_; }

    Position position() const;

    // Why there can be no link with an end at this position; empty if there can.
    std::string objection_to(const Position& peer) const;
    // The other end said its position, to which there is no objection. `fresh`: that incarnation was not met
    // before, so numbers begin anew in both directions; `ended` is the one before it, if that was not known
    // to be over.
    struct Meeting {
        bool fresh = false;
        std::optional<Incarnation> ended;
    };
    Meeting meet(const Position& peer);
    // Whether the other end holds this incarnation for over, has met a later one, or has payloads of it that
    // this end knows nothing of: then this is not that incarnation, but one that has lost its memory.
    bool is_disowned_by(const Position& peer) const;

    // The incarnation that was met has ended for certain: what was meant for it is dropped. The incarnation,
    // if that is news.
    std::optional<Incarnation> end();

    // Keeps a payload; its number is now last(). Unless its addressee has ended: nobody would read it.
    void keep(std::string_view payload);
    std::uint64_t first() const { return state_.acknowledged + 1; }
    std::uint64_t last() const { return state_.acknowledged + state_.kept.size(); }
    const std::string& kept(std::uint64_t number) const;

    // The other end has so many. False if that cannot be.
    bool acknowledge(std::uint64_t count);

    enum class Arrival { next, again, gap };
    // A payload with this number came: the next is to be delivered, one that came again is to be dropped, and
    // a gap means that the other end is broken.
    Arrival arrive(std::uint64_t number);

    std::size_t kept_bytes() const { return kept_bytes_; }

private:
    // How many payloads of ours are with that end.
    std::uint64_t possessions_of(const Position& peer) const;
    // How many were ever sent to it.
    std::uint64_t sent_to(const Position& peer) const;
    // Whether the incarnation of that end is over here; that of this end there.
    bool is_over(const Position& peer) const;
    bool is_over_for(const Position& peer) const;
    void begin_anew();

    LinkState state_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace allot::net
