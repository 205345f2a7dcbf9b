#include "play/player.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

#include "core/random.hpp"
#include "support/protocols.hpp"

namespace allot::play {
namespace {

using test_support::protocol;
using testing::HasSubstr;

const std::vector<world::Entry>& protocols() {
    static const std::vector<world::Entry> list{protocol("raymond"), protocol("favourite"),
                                                protocol("listener")};
    return list;
}

Outcome play(const std::string& text) {
    return Player(protocols()).play("t.txt", text);
}

std::string log_of(const std::string& text) {
    std::ostringstream log;
    const Outcome outcome = Player(protocols()).play("t.txt", text, &log);
    return log.str() + outcome.message;
}

void expect_holds(const std::string& text) {
    const Outcome outcome = play(text);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
}

void expect_failed(const std::string& text, const std::string& message) {
    const Outcome outcome = play(text);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.message, HasSubstr(message));
}

void expect_bad(const std::string& text, const std::string& message) {
    const Outcome outcome = play(text);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.message, HasSubstr(message));
}

// --- Steps.

// Section 13 of the spec of the semaphore, S8.
TEST(Player, Three_simultaneous_requests_are_served_in_order_with_12_messages) {
    expect_holds(R"(
        # all three ask before anything is delivered
        protocol raymond sites=3 permits=1
        request 0
        request 1
        request 2
        settle
        expect holding 0 only
        expect waiting 1 2
        release 0
        settle
        expect holding 1 only
        expect idle 0
        release 1
        settle
        expect holding 2 only
        release 2
        settle
        expect idle 0 1 2
        expect holding none
        expect sent Request 6
        expect sent Reply 6
        expect in-flight 0)");
}

TEST(Player, Where_nothing_is_said_of_legitimate_worlds_none_can_be_expected) {
    expect_holds("protocol raymond sites=2\nexpect revoked none");
    expect_failed("protocol raymond sites=2\nexpect revoked 1", "found 0 idle, 1 idle");
    expect_bad("protocol raymond sites=2\nexpect legitimate",
               "raymond does not declare which worlds are legitimate");
}

TEST(Player, A_message_is_named_by_channel_kind_and_content) {
    expect_holds(R"(
        protocol raymond sites=2 permits=2
        request 0
        release 0
        request 0
        expect in-flight 0 -> 1 2
        deliver 0 -> 1 Request {"stamp": 2}
        deliver 0->1 Request
        expect in-flight 1 -> 0 2
        deliver 1 -> 0
        expect in-flight 1 -> 0 1)");
}

TEST(Player, An_ambiguous_message_lists_the_candidates) {
    expect_bad(
        "protocol raymond sites=2 permits=2\nrequest 0\nrelease 0\nrequest 0\ndeliver 0 -> 1 Request\n",
        "t.txt:5: deliver 0 -> 1 Request: several messages match: write kind and content of one of "
        "0 -> 1 Request {\"stamp\": 1}, 0 -> 1 Request {\"stamp\": 2}");
}

TEST(Player, A_message_that_is_not_there_is_an_error_that_says_what_is) {
    const std::string asked = "protocol raymond sites=3\nrequest 0\n";
    expect_bad(asked + "deliver 1 -> 2",
               "t.txt:3: deliver 1 -> 2: nothing is in flight on 1 -> 2; in flight: "
               "0 -> 1 Request {\"stamp\": 1}, 0 -> 2 Request {\"stamp\": 1}");
    expect_bad("protocol raymond sites=3\ndeliver 1 -> 2", "in flight: nothing");
    expect_bad(asked + "deliver 0 -> 1 Reply", "no such message there, but 0 -> 1 Request {\"stamp\": 1}");
    expect_bad(asked + "deliver 0 -> 1 Request {\"stamp\": 4}", "no such message there");
    expect_bad(asked + "deliver 0 -> 1 Rquest", "\"Rquest\" is not one of Request, Reply");
}

TEST(Player, On_fifo_links_the_oldest_message_comes_first) {
    const std::string two = "protocol listener sites=2\nsettle\nrequest 0\n";
    expect_holds(two +
                 "deliver 0 -> 1\ndeliver 0 -> 1 Hello {\"number\": 2}\nexpect state 1 {\"heard\": {\"3\": "
                 "\"second\"}}");
    expect_bad(two + "deliver 0 -> 1 Hello {\"number\": 2}",
               "links are fifo, and the oldest message there is Hello {\"number\": 1, \"word\": \"first\"}");
    expect_bad(two + "deliver 0 -> 1 Farewell", "links are fifo, and the oldest message there is Hello");
}

TEST(Player, The_network_copies_and_loses_messages) {
    expect_holds(R"(
        protocol raymond sites=2
        request 0
        duplicate 0 -> 1 Request
        expect in-flight 0 -> 1 2
        expect violation answers-kept)");
    expect_holds(R"(
        protocol raymond sites=2
        request 0
        drop 0 -> 1
        expect in-flight 0
        expect violation answers-kept)");
    expect_bad(
        "protocol raymond sites=2 lose=0\nrequest 0\ndrop 0 -> 1",
        "drop 0 -> 1: the header allows lose=0, and none is left; allow more there, or leave lose out");
    expect_bad("protocol raymond sites=2 duplicate=0\nrequest 0\nduplicate 0 -> 1",
               "the header allows duplicate=0");
}

TEST(Player, Settling_goes_round_by_round) {
    const std::string log = log_of("protocol raymond sites=3\nrequest 2\nrequest 0\nsettle\n");
    EXPECT_THAT(log, HasSubstr("after 2 rounds"));
    const std::string first = "deliver 0 -> 1 Request";
    EXPECT_LT(log.find(first), log.find("deliver 0 -> 2 Request"));
    EXPECT_LT(log.find("deliver 2 -> 1 Request"), log.find("deliver 1 -> 0 Reply"));
}

// The client's first Ask was sent before its first Done, but in the last round it is the other way round.
TEST(Player, On_unordered_links_settling_keeps_the_order_of_sending) {
    const std::string log = log_of("protocol favourite\nrequest 1\nsettle\nrelease 1\nrequest 1\nsettle\n");
    const auto last_done = log.rfind("deliver 1 -> 0 Done");
    ASSERT_NE(last_done, std::string::npos) << log;
    EXPECT_LT(last_done, log.rfind("deliver 1 -> 0 Ask"));
}

TEST(Player, Settling_gives_up_after_the_rounds_it_was_given) {
    expect_failed("protocol raymond sites=2\nrequest 0\nsettle 1\n",
                  "t.txt:3: settle 1: after 1 round there is still in flight: 1 -> 0 Reply {\"answers\": 1}");
    expect_bad("protocol raymond sites=2\nsettle soon\n",
               "\"soon\" is not a number of rounds; write settle [ROUNDS]");
}

TEST(Player, A_site_joins_leaves_and_restarts) {
    expect_holds(R"(
        protocol listener sites=3 founders=2
        expect sent Hello 2
        join 2
        expect sent Hello 4
        settle
        leave 1
        expect in-flight 1 -> 2 1
        settle
        departed 0 1
        crash 2
        restart 2
        expect in-flight 2 -> 1 0
        settle
        expect state 0 {"heard": ["trusted", "start", "start", "farewell", "departed", "start"]})");
}

TEST(Player, Starts_that_cannot_be_are_explained) {
    const std::string header = "protocol listener sites=3 founders=2\n";
    expect_bad(header + "join 1",
               "join 1: site 1 is idle; only an absent site joins (write founders=1 in the header");
    expect_bad(header + "restart 1", "site 1 is idle; only a site that crashed or left restarts");
    expect_bad(header + "request 2", "site 2 has not joined; write join 2 first");
    expect_bad(header + "crash 1\nrequest 1", "site 1 is down; write restart 1 first");
    expect_bad(header + "leave 1\nrelease 1", "site 1 has left; write restart 1 first");
    expect_bad("protocol listener restarts=0\ncrash 1\nrestart 1", "the header allows restarts=0");
    expect_bad("protocol listener leaves=1\nleave 1\nleave 0",
               "leave 0: the header allows leaves=1, and none is left; allow more there");
    expect_bad("protocol listener\nrequest 0\nleave 0", "site 0 is holding; only an idle site leaves");
    expect_bad("protocol raymond\nleave 0", "a site of raymond cannot leave");
    expect_bad("protocol listener\nexpel 0", "site 0 is up; only a site that has crashed is expelled");
    expect_bad("protocol raymond\ncrash 0\nexpel 0", "raymond takes no reports of deaths");
}

TEST(Player, A_demand_is_units_or_resources) {
    expect_holds(
        "protocol listener\nrequest 0\nrelease 0\nrequest 0 2\nrelease 0\nrequest 0 3\nexpect waiting 0");
    expect_holds(
        "protocol listener\nrequest 0 b,a\nexpect state 0 {\"heard\": {\"2\": \"b\", \"3\": \"a\"}}");
    expect_bad("protocol raymond\nrequest 0 2", "request 0 2: site 0 may ask for 1 unit");
    expect_bad("protocol listener\nrequest 0 4",
               "site 0 may ask for 1 to 3 units of resources out of a and b");
    expect_bad("protocol listener\nrequest 0 a,c", "site 0 may ask for");
    expect_bad("protocol listener\nrequest 0 a,a", "site 0 may ask for");
    expect_bad("protocol listener\nrequest 0 0", "site 0 may ask for");
    expect_bad("protocol favourite\nrequest 0", "site 0 never asks in favourite");
}

TEST(Player, Requests_are_unbounded_unless_the_header_bounds_them) {
    expect_holds("protocol listener\nrequest 0\nrelease 0\nrequest 0\nrelease 0\nrequest 0");
    expect_bad("protocol listener requests=1\nrequest 0\nrelease 0\nrequest 0",
               "t.txt:4: request 0: the header allows requests=1, and none is left; allow more there, or "
               "leave requests out of the header");
    expect_bad("protocol listener\nrequest 0\nrequest 0", "site 0 is holding; only an idle site asks");
    expect_bad("protocol listener\nrelease 0", "site 0 is idle; only a holding site releases");
}

TEST(Player, A_waiting_request_is_cancelled) {
    expect_holds("protocol listener\nrequest 0 3\ncancel 0\nexpect idle 0");
    expect_bad("protocol listener\ncancel 0", "site 0 is idle; only a waiting site cancels");
    expect_bad("protocol listener cancel=off\nrequest 0 3\ncancel 0", "the header says cancel=off");
    expect_bad("protocol raymond\nrequest 0\ncancel 0", "t.txt:3: cancel 0: cancel is not offered here");
    expect_bad("protocol raymond cancel=on\nrequest 0", "t.txt:1: protocol raymond cancel=on: --cancel");
}

TEST(Player, Timers_fire_when_they_are_armed) {
    expect_holds("protocol listener\ntimeout 0 tick\ntimeout 0 tock\nexpect state 0 {\"wounds\": 0}");
    expect_bad("protocol listener\ntimeout 0 tock", "timer tock of site 0 is not armed");
    expect_bad("protocol listener\ntimeout 0 tok",
               "\"tok\" is no timer (did you mean \"tock\"?); the timers are tick and tock");
    expect_bad("protocol raymond\ntimeout 0 tick", "raymond has no timers");
}

TEST(Player, The_detector_speaks_within_its_axioms) {
    expect_holds(R"(
        protocol listener sites=2 trust=sparse
        empty
        trusted 0 1
        suspected 0 1
        suspected 0 1
        crash 1
        dead 0 1
        departed 0 1
        expect state 0 {"heard": ["trusted", "suspected", "suspected", "dead", "departed"]})");
    const std::string header = "protocol listener sites=2 anchor=1\n";
    expect_bad(header + "trusted 0 1",
               "the detector of site 0 cannot say this now: site 0 has received this about site 1 already");
    expect_bad(header + "dead 0 1", "a detector never reports a site dead that is up");
    expect_bad(header + "crash 0\ndead 1 0\ndead 1 0",
               "that incarnation of site 0 was reported dead already");
    expect_bad(header + "crash 1", "site 1 is the anchor, which never crashes");
    expect_bad(header + "suspected 0 1", "site 1 is the anchor, which nobody ever suspects");
    expect_bad(header + "departed 0 1", "site 1 is up; only a site that crashed or left can have departed");
    expect_holds(header + "leave 0\ndead 1 0");
    expect_holds(header.substr(0, header.size() - 1) + " lies=1\ndead 0 1");
    expect_bad(header + "suspected 0 0", "a site does not watch itself");
    expect_bad("protocol raymond\ncrash 1\ndead 0 1", "raymond takes no such input");
    expect_bad("protocol listener founders=2\ntrusted 0 2", "site 2 has not joined");
}

// --- Crashes.

TEST(Player, A_crash_inside_a_step_lets_some_messages_out) {
    expect_holds(R"(
        protocol raymond sites=3
        crash 2 in request 2 sent 0
        expect in-flight 1
        expect in-flight 2 -> 0 1
        expect sent Request 1
        settle
        expect idle 0 1)");
    expect_holds("protocol raymond sites=3\ncrash 2 in request 2\nexpect in-flight 0");
    expect_holds(
        "protocol listener sites=2\nempty\ncrash 0 in request 0 sent 1 1\nexpect in-flight 0 -> 1 2");
    expect_holds(
        "protocol favourite\nrequest 1\nsettle\ncrash 1 in release 1 sent 0\nexpect in-flight 1 -> 0 1");
    expect_holds(
        "protocol raymond sites=3\nrequest 1\ncrash 2 in deliver 1 -> 2 Request sent 1\nexpect in-flight 2 "
        "-> 1 1");
    expect_holds("protocol listener sites=2\nempty\ncrash 0 in timeout 0 tick sent\nexpect in-flight 0");
}

TEST(Player, A_crash_inside_a_step_that_cannot_be_is_explained) {
    const std::string header = "protocol raymond sites=3\n";
    expect_bad(header + "crash 2 in request 1 sent 0", "that is a step of site 1, not of site 2");
    expect_bad(header + "crash 2 in request 2 sent 2",
               "the step sends no message 2; it sends messages to 0, 1");
    expect_bad(header + "crash 2 in request 2 sent 0 0",
               "the step sends no message 0; it sends messages to 0, 1");
    expect_bad(header + "crash 2 in request 2 sent 7", "site 7: there are sites 0 to 2");
    expect_bad(header + "crash 2 in release 2", "site 2 is idle; only a holding site releases");
    expect_bad(header + "crash 2 in", "a step is missing");
    expect_bad(header + "crash 2 in settle", "this is no step of one site");
    expect_bad(header + "crash 2 in crash 2", "no site takes this step, so none can crash inside it");
    expect_bad(header + "crash 2 in dance 2", "\"dance\" is no verb");
    expect_bad("protocol listener sites=2\ncrash 0 in request 0 sent 1#2",
               "links are fifo: a message leaves only after those sent before it to the same site");
    expect_bad("protocol raymond crashes=1\ncrash 1\ncrash 2",
               "t.txt:3: crash 2: the header allows crashes=1");
    expect_bad("protocol favourite\ncrash 0", "site 0 never crashes in favourite");
    expect_bad(header + "crash 1\ncrash 1", "site 1 is down; write restart 1 first");
}

// --- Worlds made by hand.

TEST(Player, A_world_is_made_by_hand_and_judged_when_it_is_whole) {
    expect_holds(R"(
        protocol listener sites=2
        expect in-flight 2
        empty
        expect in-flight 0
        state 1 {"heard": ["much"]}
        put 0 -> 1 {"Hello": {"number": 7, "word": "again"}}
        put 0 -> 1 {"Farewell": {}}
        settle
        expect state 1 {"heard": ["much", "again", "farewell"]}
        expect sent Hello 2)");
    expect_holds(
        "protocol raymond sites=2\nput 0 -> 1 {\"Request\": {\"stamp\": 3}}\nexpect violation answers-kept");
    expect_failed("protocol raymond sites=2\nput 0 -> 1 {\"Request\": {\"stamp\": 3}}\nrequest 0",
                  "t.txt:2: put 0 -> 1 {\"Request\": {\"stamp\": 3}}: violates answers-kept");
    expect_failed("protocol raymond sites=2\nput 0 -> 1 {\"Request\": {\"stamp\": 3}}",
                  "t.txt:2: put 0 -> 1");
}

TEST(Player, Before_the_first_legitimate_world_properties_count_only_for_who_asks) {
    const std::string talkative = "[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]";
    const std::string wounded =
        "protocol listener\nempty\nstate 0 {\"wounds\": 1, \"heard\": " + talkative + "}\n";
    expect_holds(wounded + "timeout 1 tick\ntimeout 1 tock\n");
    expect_holds(wounded + "timeout 1 tick\nexpect violation few-words");
    const std::string healthy = "protocol listener\nempty\nstate 0 {\"heard\": " + talkative + "}\n";
    expect_failed(healthy + "timeout 1 tick\n", "t.txt:3: state 0");
}

TEST(Player, A_world_that_cannot_be_made_is_explained) {
    const std::string header = "protocol listener sites=2\n";
    expect_bad(header + "state 1 {\"hard\": 1}",
               "state: \"hard\" is not a member; its members are now, heard, wounds");
    expect_bad(header + "state 1 {\"wounds\": 1", "the JSON {\"wounds\": 1 is not closed on this line");
    expect_bad(header + "state 1 {wounds}", "{wounds} is not JSON");
    expect_bad(header + "state 1", "a part of its state as JSON is missing; write state SITE JSON");
    expect_bad(header + "crash 1\nstate 1 {\"wounds\": 1}",
               "site 1 is down; only a site that is up has a state");
    expect_bad(header + "crash 1\nput 0 -> 1 {\"Farewell\": {}}",
               "site 1 is down, and messages to it vanish");
    expect_bad(header + "put 0 -> 1 {\"Hallo\": {}}", "\"Hallo\" is not one of Hello, Farewell");
    expect_bad(header + "put 0 1 {}", "\"1\" stands where -> should");
    expect_bad(header + "empty 0", "\"0\" is a word too many");
}

// --- Expectations.

TEST(Player, What_is_found_instead_is_told) {
    const std::string asked = "protocol raymond sites=3\nrequest 1\nsettle\nrequest 0\n";
    expect_failed(asked + "expect holding 0 1",
                  "t.txt:5: expect holding 0 1: found 0 waiting, 1 holding, 2 idle");
    expect_failed(asked + "expect idle 2 only\nexpect holding none",
                  "expect holding none: found 0 waiting, 1 holding");
    expect_failed(asked + "expect leaving 0", "found 0 waiting");
    expect_failed(asked + "expect sent Request 3", "found sent: Reply 2, Request 4");
    expect_failed(asked + "expect in-flight 1",
                  "found in flight 2: 0 -> 1 Request {\"stamp\": 2}, 0 -> 2 Request");
    expect_failed(asked + "expect in-flight 0 -> 1 0", "found in flight 1: 0 -> 1 Request {\"stamp\": 2}");
    expect_failed("protocol listener\nexpect state 1 {\"wounds\": 3}",
                  "found {\"now\": \"idle\", \"heard\": [");
    expect_failed("protocol listener\ncrash 1\nexpect state 1 {\"wounds\": 3}", "found site 1 down");
    expect_failed("protocol listener\ncrash 1\nexpect idle 1", "found 0 idle, 1 down, 2 idle");
    expect_failed("protocol listener\nexpect violation few-words", "found no violation");
}

TEST(Player, An_expectation_that_makes_no_sense_is_explained) {
    const std::string header = "protocol raymond sites=3\n";
    expect_bad(header + "expect", "what is expected is missing; write expect holding|waiting");
    expect_bad(header + "expect holdin 1", "\"holdin\" cannot be expected (did you mean \"holding\"?)");
    expect_bad(header + "expect holding", "a site is missing");
    expect_bad(header + "expect holding 7", "site 7: there are sites 0 to 2");
    expect_bad(header + "expect sent Foo 0", "\"Foo\" is not one of Request, Reply");
    expect_bad(header + "expect sent Reply", "a count is missing");
    expect_bad(header + "expect in-flight some", "\"some\" is not a count");
    expect_bad(header + "expect state 1 {\"x\": 1}", "\"x\" is not a member");
    expect_bad(header + "expect violation at-most-q",
               "\"at-most-q\" is no property (did you mean \"at-most-k\"?)");
    expect_bad(header + "expect violation deadlock", "write expect stuck SITE");
    expect_bad(header + "expect violation starvation", "expect starving SITE");
    expect_bad(header + "expect violation servable", "expect unservable SITE");
}

TEST(Player, A_violation_must_be_expected_at_once_and_ends_the_scenario) {
    const std::string broken = "protocol raymond sites=2\nrequest 0\ndrop 0 -> 1\n";
    expect_failed(broken,
                  "t.txt:3: drop 0 -> 1: violates answers-kept: site 0 waits for 1 answers of site 1");
    expect_failed(broken + "settle\nexpect violation answers-kept",
                  "t.txt:3: drop 0 -> 1: violates answers-kept");
    expect_failed(broken + "expect violation at-most-k",
                  "t.txt:4: expect violation at-most-k: found a violation of answers-kept");
    expect_holds(broken + "show\nexpect waiting 0\nexpect violation answers-kept\nshow");
    expect_bad(broken + "expect violation answers-kept\nrelease 0",
               "t.txt:5: release 0: a scenario ends with its violation; only expect and show may follow");
}

TEST(Player, A_violation_ends_settling) {
    expect_holds(R"(
        protocol listener sites=2
        empty
        state 1 {"heard": ["1", "2", "3", "4", "5", "6", "7", "8"]}
        request 0
        settle
        expect violation few-words
        expect in-flight 1)");
}

TEST(Player, A_broken_contract_is_a_violation) {
    const std::string unasked = "protocol favourite\nput 0 -> 1 {\"Grant\": {}}\ndeliver 0 -> 1\n";
    expect_failed(unasked,
                  "t.txt:3: deliver 0 -> 1: violates contract: granted while the application is idle");
    expect_holds(unasked + "expect violation contract");
}

// --- For ever.

TEST(Player, A_site_is_stuck_where_nothing_fair_changes_anything) {
    // k crashes stop everyone.
    expect_holds("protocol raymond sites=3 permits=1\ncrash 2\nrequest 0\nsettle\nexpect stuck 0");
    expect_failed("protocol raymond sites=3\nrequest 0\nexpect stuck 0",
                  "found that `deliver 0 -> 1 Request` can still happen");
    expect_failed("protocol raymond sites=3\nrequest 0\nsettle\nexpect stuck 0",
                  "found that site 0 is holding, not waiting");
    expect_bad("protocol raymond\nexpect stuck", "a site is missing");
}

TEST(Player, Whether_a_site_is_servable_is_asked_of_whoever_knows) {
    const std::string text = "protocol raymond sites=2\ncrash 1\nrequest 0\nexpect unservable 0";
    expect_bad(text, "only allot play can judge unservable: it needs the checker");
    const auto answering = [&](bool servable) {
        return Player(protocols(),
                      [servable](walk::Machine&, const walk::World&, SiteId) { return servable; })
            .play("t.txt", text);
    };
    EXPECT_TRUE(answering(false).ok());
    EXPECT_THAT(answering(true).message, HasSubstr("site 0 can still be served"));
}

constexpr const char* two_clients = R"(
    protocol favourite sites=3
    request 1
    settle
    request 2
    deliver 2 -> 0 Ask
    loop
    release 1
    request 1
    deliver 1 -> 0 Ask
    deliver 1 -> 0 Done
    deliver 0 -> 1 Grant
)";

TEST(Player, A_fair_loop_starves_the_site_that_waits_all_along) {
    expect_holds(std::string(two_clients) + "expect starving 2\nexpect holding 1");
    expect_failed(std::string(two_clients) + "expect starving 1",
                  "found that on the loop site 1 is holding, not waiting");
}

TEST(Player, An_unfair_loop_starves_nobody) {
    expect_failed(
        R"(
        protocol favourite sites=3
        request 1
        settle
        request 2
        loop
        release 1
        request 1
        deliver 1 -> 0 Done
        deliver 1 -> 0 Ask
        deliver 0 -> 1 Grant
        expect starving 2)",
        "the loop is not fair: `deliver 2 -> 0 Ask` could happen at every point of it and never does");
    expect_failed("protocol raymond\nrequest 0\nloop\nexpect starving 0",
                  "the loop is not fair: `deliver 0 -> 1 Request`");
}

TEST(Player, A_loop_must_close) {
    expect_failed(R"(
        protocol favourite sites=3
        request 1
        settle
        request 2
        deliver 2 -> 0
        loop
        release 1
        expect starving 2)",
                  "the loop does not close: site 1 differs from its state at the start of the loop");
    expect_failed("protocol favourite\nrequest 1\nloop\nduplicate 1 -> 0\ndrop 1 -> 0\nexpect starving 1",
                  "the loop does not close: the loop uses up counted faults, or changes a monitor");
    expect_failed("protocol favourite\nrequest 1\nsettle\nrequest 2\nloop\ndeliver 2 -> 0\nexpect starving 2",
                  "the loop does not close: site 0 differs from its state at the start of the loop");
}

TEST(Player, A_loop_closes_when_only_the_names_of_stamps_differ) {
    const std::string once =
        "release 1\nrequest 1\ndeliver 1 -> 0 Ask\ndeliver 1 -> 0 Done\ndeliver 0 -> 1 Grant\n";
    std::string text =
        "protocol favourite sites=3 stamped=on\nrequest 1\nsettle\nrequest 2\ndeliver 2 -> 0 Ask\n";
    expect_failed(text + "loop\n" + once + "expect starving 2", "the loop does not close");
    for (int i = 0; i < 4; ++i) text += once;
    expect_holds(text + "loop\n" + once + "expect starving 2");
}

TEST(Player, A_loop_has_its_place) {
    const std::string loop = two_clients;
    expect_bad(loop, "nothing judges the loop: end with expect starving SITE");
    expect_bad(loop + "loop\n", "there is a loop already");
    expect_bad(loop + "empty\n", "this is no step, so it cannot repeat; write it before loop");
    expect_bad(loop + "expect starving 2\nrelease 1",
               "the loop repeats forever; only expect and show may follow");
    expect_failed("protocol raymond\nrequest 0\nexpect starving 0",
                  "there is no loop: write loop before the steps");
    expect_bad("protocol raymond\nloop now", "\"now\" is a word too many");
}

TEST(Player, Closure_and_convergence_are_judged_where_a_scenario_asks) {
    expect_holds("protocol listener\nempty\ntimeout 0 tick\nexpect violation closure");
    expect_failed("protocol listener\nempty\nrequest 0\nexpect violation closure",
                  "the world after the last step is legitimate too");
    expect_failed("protocol listener\nempty\nexpect violation closure", "no step came before this line");
    // The second wound never heals, and nothing more happens.
    expect_holds("protocol listener\nempty\nstate 0 {\"wounds\": 2}\nexpect violation convergence");
    expect_failed("protocol listener\nempty\ntimeout 0 tick\nexpect violation convergence",
                  "`timeout 0 tock` can still happen");
    expect_failed("protocol listener\nempty\nexpect violation convergence", "this world is legitimate");
    const std::string rounds =
        "protocol listener\nempty\nstate 0 {\"wounds\": 2}\nloop\nrequest 0\nrelease 0\n";
    expect_failed(
        rounds + "expect violation convergence",
        "the loop does not close: the messages in flight differ from those at the start of the loop");
    expect_failed("protocol raymond\nexpect violation closure",
                  "raymond does not declare which worlds are legitimate");
}

// --- The text.

TEST(Player, A_text_that_cannot_be_read_is_explained) {
    expect_bad("", "t.txt:1: there is no statement here");
    expect_bad("# only this\n\n", "t.txt:2: there is no statement here");
    expect_bad("request 0\n", "t.txt:1: a scenario begins with its protocol");
    expect_bad("protocol raymond\nprotocol raymond\n",
               "t.txt:2: a scenario has one protocol: line 1 names it");
    expect_bad("protocol raymond\n\nrelaese 0 # slip\n",
               "t.txt:3: \"relaese\" is no verb (did you mean \"release\"?); the verbs are protocol,");
    expect_bad("protocol raymond\nrequest 0   request 1\n",
               "t.txt:2: request 0   request 1: \"1\" is a word too many");
    expect_bad("protocol raymond\nrelease 0   release 1\n",
               "\"release\" is a word too many: one statement per line, written release SITE");
    expect_bad("protocol raymond\nrequest seven", "\"seven\" is not a site");
    expect_bad("protocol raymond\nrequest 7", "request 7: site 7: there are sites 0 to 2");
    expect_bad("protocol raymond\nshow me", "\"me\" is a word too many");
}

TEST(Player, A_header_that_cannot_be_is_explained) {
    expect_bad("protocol", "the protocol's name is missing");
    expect_bad("protocol raimond",
               "\"raimond\" is no protocol (did you mean \"raymond\"?); the protocols are raymond, favourite "
               "and listener");
    expect_bad("protocol raymond sites", "\"sites\" is not KEY=VALUE");
    expect_bad("protocol raymond sites=2 sites=3", "sites is given twice; write it once");
    expect_bad("protocol raymond permits=9", "t.txt:1: protocol raymond permits=9: --permits 9");
    expect_bad("protocol raymond colour=red", "has no such parameter");
}

TEST(Player, Comments_and_blank_lines_do_not_count) {
    expect_holds("# a comment\n\n  protocol raymond sites=2 # here too\r\n\tstate 0 {} # {\nshow\n");
}

TEST(Player, The_log_says_what_each_line_does_in_columns) {
    const std::string log = log_of(
        "protocol raymond sites=3 permits=2\nrequest 0\ndeliver 0 -> 1\ncrash 2\n"
        "deliver 1 -> 0\nrelease 0\nrequest 0\nexpect waiting 0\nshow\n");
    EXPECT_EQ(log,
              R"(   1  protocol raymond sites=3 permits=2
   2  request 0                         0: idle -> waiting        | sends Request to 1, 2
   3  deliver 0 -> 1 Request                                      | sends Reply to 0
   4  crash 2                           2: idle -> down
   5  deliver 1 -> 0 Reply              0: waiting -> holding
   6  release 0                         0: holding -> idle
   7  request 0                         0: idle -> waiting        | sends Request to 1, 2 (down)
   8  expect waiting 0                  as expected
   9  show
)" + log.substr(log.find("      site")));
    EXPECT_THAT(
        log, HasSubstr("      site  standing       phase     state\n      0     up             waiting   {"));
    EXPECT_THAT(log, HasSubstr("\n      2     down\n      0 -> 1  Request {\"stamp\": 2}\n"));
    EXPECT_THAT(log_of("protocol raymond\nshow"), HasSubstr("nothing is in flight"));
    EXPECT_THAT(log_of("protocol raymond\ncrash 1\nrestart 1\nshow"),
                HasSubstr("1     up (incarnation 1)  idle"));
}

// The files that explain a protocol say the truth about it.
TEST(Player, The_scenarios_of_raymond_hold) {
    std::size_t played = 0;
    for (const auto& file : std::filesystem::directory_iterator(ALLOT_SOURCE_DIR "/scenarios/semaphore")) {
        if (!file.path().filename().string().starts_with("raymond-")) continue;
        std::ifstream stream(file.path());
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        const Outcome outcome = Player(protocols()).play(file.path().filename().string(), text);
        EXPECT_TRUE(outcome.ok()) << outcome.message;
        ++played;
    }
    EXPECT_GE(played, 3u);
}

// The player forgets states that it has left behind, and no statement notices.
TEST(Player, A_long_scenario_is_played_to_its_end) {
    std::string text = "protocol raymond sites=2 permits=1\n";
    for (int i = 0; i < 9000; ++i) text += "request 0\nsettle\nrelease 0\nrequest 1\nsettle\nrelease 1\n";
    expect_holds(text +
                 "expect sent Request 18000\nexpect sent Reply 18000\nexpect holding none\n"
                 "expect state 0 {\"clock\": 18000}\nrequest 0\ncrash 1\nexpect stuck 0\n");
}

// Whatever the text, the answer is an outcome that names the file and the line.
TEST(Player, No_text_makes_it_stumble) {
    const std::string header = "protocol listener sites=3 founders=2\n";
    const std::string body =
        "join 2\nrequest 0 a,b\ndeliver 0 -> 1 Hello {\"number\": 1}\ncrash 1 in request 1 sent 0 0 "
        "2#1\nsettle 3\n"
        "timeout 0 tick\nstate 0 {\"heard\": [\"x\"]}\nput 0 -> 2 {\"Farewell\": {}}\nloop\nexpect starving "
        "1\nshow\n";
    Random random(7);
    for (int round = 0; round < 2000; ++round) {
        std::string text = body;
        for (auto changes = 1 + random(4); changes > 0; --changes) {
            const std::size_t place = random(text.size());
            if (random.coin())
                text[place] = "0123#{}[]\"->, \nz"[random(16)];
            else
                text.erase(place, 1 + random(6));
        }
        const Outcome outcome = play(header + text);
        EXPECT_TRUE(outcome.ok() || outcome.message.starts_with("t.txt:")) << outcome.message;
    }
}

}  // namespace
}  // namespace allot::play
