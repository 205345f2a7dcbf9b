// One end of a link alone, and two ends through whatever can happen between them.

#include "net/link.hpp"

#include <deque>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "core/bytes.hpp"
#include "core/random.hpp"
#include "net/link_frames.hpp"

namespace allot::net {
namespace {

Position at(Incarnation incarnation, std::optional<Incarnation> met = {}, std::uint64_t received = 0) {
    return {.incarnation = incarnation, .met = met, .received = received};
}

TEST(LinkTest, Keeps_what_was_not_acknowledged) {
    Link link(1);
    link.meet(at(1));
    for (const char* payload : {"a", "b", "c"}) link.keep(payload);
    EXPECT_TRUE(link.acknowledge(2));
    EXPECT_EQ(link.first(), 3u);
    EXPECT_EQ(link.last(), 3u);
    EXPECT_EQ(link.kept(3), "c");
    EXPECT_FALSE(link.acknowledge(4)) << "that was never sent";
    EXPECT_TRUE(link.acknowledge(1)) << "an old acknowledgement does no harm";
    EXPECT_TRUE(link.acknowledge(3));
    EXPECT_EQ(link.kept_bytes(), 0u);
}

TEST(LinkTest, Takes_each_number_once_and_in_order) {
    Link link(1);
    EXPECT_EQ(link.arrive(1), Link::Arrival::next);
    EXPECT_EQ(link.arrive(1), Link::Arrival::again);
    EXPECT_EQ(link.arrive(3), Link::Arrival::gap);
    EXPECT_EQ(link.arrive(2), Link::Arrival::next);
}

TEST(LinkTest, Keeps_for_a_host_that_was_never_met) {
    Link link(1);
    link.keep("early");
    const auto meeting = link.meet(at(7));
    EXPECT_TRUE(meeting.fresh);
    EXPECT_FALSE(meeting.ended);
    EXPECT_EQ(link.kept(1), "early");
}

TEST(LinkTest, Begins_anew_with_a_later_incarnation) {
    Link link(1);
    link.meet(at(7));
    link.keep("for 7");
    EXPECT_EQ(link.arrive(1), Link::Arrival::next);
    const auto meeting = link.meet(at(8));
    EXPECT_TRUE(meeting.fresh);
    EXPECT_EQ(meeting.ended, 7u);
    EXPECT_EQ(link.last(), 0u);
    EXPECT_EQ(link.arrive(1), Link::Arrival::next);
    EXPECT_NE(link.objection_to(at(7)), "") << "an earlier one is over";
}

TEST(LinkTest, Keeps_nothing_for_an_incarnation_that_has_ended) {
    Link link(1);
    link.meet(at(7));
    link.keep("for 7");
    EXPECT_EQ(link.end(), 7u);
    EXPECT_EQ(link.end(), std::nullopt);
    link.keep("for nobody");
    EXPECT_EQ(link.kept_bytes(), 0u);
    EXPECT_NE(link.objection_to(at(7)), "") << "it was declared over";
    const auto meeting = link.meet(at(8));
    EXPECT_FALSE(meeting.ended) << "that is known";
    EXPECT_EQ(link.last(), 0u);
    link.keep("for 8");
    EXPECT_EQ(link.kept(1), "for 8");
}

TEST(LinkTest, Knows_when_its_own_incarnation_is_over_for_the_other_end) {
    Link link(3);
    EXPECT_TRUE(link.is_disowned_by(at(1, 4)));
    EXPECT_FALSE(link.is_disowned_by(at(1, 3)));
    EXPECT_FALSE(link.is_disowned_by(at(1, 2)));
    EXPECT_TRUE(link.is_disowned_by({.incarnation = 1, .met = 3, .over = true}));
    EXPECT_NE(link.objection_to(at(1, 4)), "");
}

TEST(LinkTest, Notices_that_an_end_has_lost_its_memory) {
    Link link(1);
    link.meet(at(7));
    link.keep("a");
    ASSERT_TRUE(link.acknowledge(1));
    EXPECT_NE(link.objection_to(at(7)), "") << "it had 1 and now has none";
    EXPECT_NE(link.objection_to(at(7, 1, 2)), "") << "this end never sent 2";
    EXPECT_EQ(link.objection_to(at(7, 1, 1)), "");
    EXPECT_TRUE(link.is_disowned_by(at(7, 1, 2))) << "this one";
    EXPECT_FALSE(link.is_disowned_by(at(7))) << "the other";
    EXPECT_FALSE(link.is_disowned_by(at(6, 1, 2))) << "an earlier one may have got more";
    link.end();
    EXPECT_FALSE(link.is_disowned_by(at(7, 1, 1))) << "what it got was forgotten with it";
}

// --- Two ends, and everything that can happen between them

struct Flying {
    Head head;
    std::string content;
};

// A connection: what each end sends arrives in order, or never.
struct Connection {
    std::deque<Flying> flying[2];
    std::uint64_t next[2] = {1, 1};  // the payload that an end writes next
};

// What one end delivered, by the incarnations of who sent it and who got it.
using Deliveries = std::map<std::pair<Incarnation, Incarnation>, std::vector<std::string>>;

class TwoEnds {
public:
    explicit TwoEnds(std::uint64_t seed) : random_(seed) {}

    void step() {
        const std::size_t end = random_(2);
        switch (random_(20)) {
            case 0:
                return connect();
            case 1:
                return connection_.reset();
            case 2:
                if (random_(8) == 0) restart(end);
                return;
            case 3:
            case 4:
            case 5:
            case 6:
                return send(end);
            case 7:
                return acknowledge(end);
            case 8:
                return write_again(end);
            case 9:
            case 10:
            case 11:
                return write(end);
            default:
                return deliver(end);
        }
    }

    // Faults stop, and everything gets through.
    void settle() {
        settling_ = true;
        connect();
        for (int round = 0; round < 1000; ++round) {
            for (const std::size_t end : {0u, 1u}) {
                write(end);
                acknowledge(end);
                deliver(end);
            }
        }
    }

    // In order and once: what an end delivered is the beginning of what the other sent.
    void check() const {
        for (const std::size_t end : {0u, 1u}) {
            for (const auto& [pair, got] : delivered_[end]) {
                const auto sent = sent_[1 - end].find(pair);
                RC_ASSERT(sent != sent_[1 - end].end());
                RC_ASSERT(got.size() <= sent->second.size());
                RC_ASSERT(std::equal(got.begin(), got.end(), sent->second.begin()));
            }
        }
    }

    // After settle(): nothing is kept, and what both last incarnations sent each other all came.
    void check_complete() const {
        for (const std::size_t end : {0u, 1u}) {
            RC_ASSERT(link_[end].state().kept.empty());
            const auto pair = std::pair(link_[1 - end].state().own, link_[end].state().own);
            const auto sent = sent_[1 - end].find(pair);
            if (sent == sent_[1 - end].end() || sent->second.empty()) continue;
            const auto got = delivered_[end].find(pair);
            RC_ASSERT(got != delivered_[end].end() && got->second == sent->second);
        }
    }

private:
    void connect() {
        connection_.reset();
        meet(1, link_[0].position());
        // The answer may never come.
        if (!settling_ && random_(4) == 0) return;
        meet(0, link_[1].position());
        connection_.emplace();
        for (const std::size_t end : {0u, 1u}) connection_->next[end] = link_[end].first();
    }

    void meet(std::size_t end, const Position& other) {
        RC_ASSERT(link_[end].objection_to(other) == "");
        const auto meeting = link_[end].meet(other);
        if (!meeting.fresh) return;
        // What is kept when an incarnation is met, and whatever is sent from then on, is meant for that one.
        auto& sent = sent_[end][{link_[end].state().own, *link_[end].state().peer}];
        for (const std::string& payload : link_[end].state().kept) sent.push_back(payload);
    }

    void send(std::size_t end) {
        const std::string payload = std::to_string(count_++);
        link_[end].keep(payload);
        const LinkState& state = link_[end].state();
        if (state.peer && !state.over) sent_[end][{state.own, *state.peer}].push_back(payload);
    }

    void write(std::size_t end) {
        if (!connection_ || connection_->next[end] > link_[end].last()) return;
        connection_->next[end] = std::max(connection_->next[end], link_[end].first());
        if (connection_->next[end] > link_[end].last()) return;
        const std::uint64_t number = connection_->next[end]++;
        connection_->flying[end].push_back({{FrameKind::payload, number}, link_[end].kept(number)});
    }

    // Nobody has to remember what was written already: the other end does.
    void write_again(std::size_t end) {
        if (connection_) connection_->next[end] = link_[end].first();
    }

    void acknowledge(std::size_t end) {
        if (!connection_) return;
        connection_->flying[end].push_back({{FrameKind::acknowledge, link_[end].state().received}, ""});
    }

    // What `end` sent first arrives at the other.
    void deliver(std::size_t end) {
        if (!connection_ || connection_->flying[end].empty()) return;
        const Flying frame = connection_->flying[end].front();
        connection_->flying[end].pop_front();
        Link& reader = link_[1 - end];
        if (frame.head.kind == FrameKind::acknowledge) {
            RC_ASSERT(reader.acknowledge(frame.head.number));
            return;
        }
        const auto arrival = reader.arrive(frame.head.number);
        RC_ASSERT(arrival != Link::Arrival::gap);
        if (arrival == Link::Arrival::next)
            delivered_[1 - end][{link_[end].state().own, reader.state().own}].push_back(frame.content);
    }

    // Comes back without its memory, as a later incarnation; the other end may learn of the end first.
    void restart(std::size_t end) {
        connection_.reset();
        Link& other = link_[1 - end];
        if (other.state().peer == link_[end].state().own && random_.coin()) other.end();
        link_[end] = Link(link_[end].state().own + 1);
    }

    Random random_;
    bool settling_ = false;
    std::uint64_t count_ = 0;
    Link link_[2] = {Link(0), Link(0)};
    std::optional<Connection> connection_;
    Deliveries sent_[2];
    Deliveries delivered_[2];
};

RC_GTEST_PROP(LinkProperty, Is_in_order_and_exactly_once_for_each_pair_of_incarnations, ()) {
    TwoEnds ends(*rc::gen::arbitrary<std::uint64_t>());
    const int steps = *rc::gen::inRange(0, 2000);
    for (int i = 0; i < steps; ++i) ends.step();
    ends.check();
    ends.settle();
    ends.check();
    ends.check_complete();
}

// --- Frames

RC_GTEST_PROP(LinkFrames, Are_read_as_they_were_put, (std::uint64_t number, const std::string& content)) {
    const auto kind = *rc::gen::element(FrameKind::payload, FrameKind::refusal);
    std::string out;
    put_link_frame({kind, number}, content, out);
    const auto frame = read_link_frame(std::string_view(out).substr(4));
    RC_ASSERT(bool(frame));
    RC_ASSERT(frame->head == (Head{kind, number}));
    RC_ASSERT(frame->content == content);
    RC_ASSERT(out.size() <= 4 + head_limit + content.size());
}

TEST(LinkFrames, With_content_where_there_is_none_are_malformed) {
    EXPECT_FALSE(read_link_frame(to_bytes(Head{FrameKind::acknowledge, 1}) + "x"));
    EXPECT_FALSE(read_link_frame(""));
    EXPECT_FALSE(read_link_frame("\x09\x01"));
}

TEST(LinkFrames, Tell_editions_apart) {
    const std::string frame = to_bytes(Opening{.newest = first_edition - 1});
    const auto early = read_hello(frame + "whatever that edition says");
    ASSERT_FALSE(early);
    EXPECT_EQ(
        early.error(),
        fmt::format("it speaks edition {} of the link protocol, this host {} to {}; install a later allot "
                    "there",
                    first_edition - 1, first_edition, newest_edition));
    EXPECT_EQ(read_hello("GET / HTTP/1.1").error(), "this is no link of allot");
    EXPECT_EQ(read_hello(to_bytes(Opening{}) + "?").error(), "its hello is malformed");
}

TEST(LinkFrames, Make_texts_of_others_fit_for_a_log) {
    EXPECT_EQ(printable("a\nb\x1b[31m\xff"), "a?b?[31m?");
    EXPECT_EQ(printable(std::string(1000, 'x')).size(), 200u);
}

}  // namespace
}  // namespace allot::net
