// One end of a link, without sockets and clocks: what to send, to retransmit and to drop.
//
// Payloads are numbered from 1 for each pair of incarnations. An end keeps each payload until the other end
// has acknowledged it. At every connection both ends first exchange their Positions; each then retransmits
// what the other end lacks, and recognises duplicates by their numbers. So a link is in order and exactly
// once across any number of connections, as long as both incarnations last.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace allot::net {

using Incarnation = std::uint32_t;

// The first thing that an end says at each connection.
struct Position {
    Incarnation incarnation = 0;     // of the sender
    std::optional<Incarnation> met;  // the last incarnation of the receiver that the sender met,
    bool over = false;               // whether that incarnation has ended,
    std::uint64_t received = 0;      // and how many payloads came from it
    bool operator==(const Position&) const = default;
};
BOOST_DESCRIBE_STRUCT(Position, (), (incarnation, met, over, received))

struct LinkState {
    Incarnation own = 0;
    std::optional<Incarnation> peer;  // the last incarnation met
    bool over = false;                // it has ended: nothing is kept for it
    std::uint64_t received = 0;       // number of payloads from that peer
    std::uint64_t acknowledged = 0;   // number of our payloads that it has
    std::deque<std::string> kept;     // our later payloads: the first has number acknowledged + 1
};

class Link {
public:
    explicit Link(Incarnation own) { state_.own = own; }
    const LinkState& state() const { return state_; }

    Position position() const;

    // Why no link is possible with an end at this position; empty if one is.
    std::string objection_to(const Position& peer) const;
    // The other end is at this position, to which there is no objection. `fresh`: this end meets that
    // incarnation for the first time, so numbers begin at 1 in both directions; `ended` is the incarnation
    // before it, if it was not known to have ended.
    struct Meeting {
        bool fresh = false;
        std::optional<Incarnation> ended;
    };
    Meeting meet(const Position& peer);
    // True if the other end has ended this incarnation, has met a later one, or has payloads of it that this
    // end does not know: then this is not that incarnation but one that has lost its state.
    bool is_disowned_by(const Position& peer) const;

    // The incarnation that was met has certainly ended: drops the payloads for it. Returns it if that is new.
    std::optional<Incarnation> end();

    // Keeps a payload; its number is now last(). Drops it if the receiver has ended.
    void keep(std::string_view payload);
    std::uint64_t first() const { return state_.acknowledged + 1; }
    std::uint64_t last() const { return state_.acknowledged + state_.kept.size(); }
    const std::string& kept(std::uint64_t number) const;

    // The other end has `count` payloads. False if that is impossible.
    bool acknowledge(std::uint64_t count);

    enum class Arrival { next, again, gap };
    // Judges the number of a payload that came: deliver the next one, drop a duplicate; after a gap the other
    // end is faulty.
    Arrival arrive(std::uint64_t number);

    std::size_t kept_bytes() const { return kept_bytes_; }

private:
    // How many of our payloads that end has.
    std::uint64_t possessions_of(const Position& peer) const;
    // How many payloads this end sent to it.
    std::uint64_t sent_to(const Position& peer) const;
    // Whether this end has ended the incarnation of that end; whether that end has ended ours.
    bool is_over(const Position& peer) const;
    bool is_over_for(const Position& peer) const;
    void begin_anew();

    LinkState state_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace allot::net
