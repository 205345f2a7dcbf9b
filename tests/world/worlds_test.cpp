// The axioms of worlds that only some protocols need: cuts, pauses, orphans and agreed views, line by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "play/player.hpp"
#include "protocols/support.hpp"
#include "registry/registry.hpp"

namespace allot::world_tests {
namespace {

using testing::HasSubstr;

play::Outcome play_text(const std::string& text) {
    return play::Player(registry::protocols()).play("t.txt", text);
}

void expect_holds(const std::string& text) {
    const play::Outcome outcome = play_text(text);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
}

void expect_bad(const std::string& text, const std::string& message) {
    const play::Outcome outcome = play_text(text);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.message, HasSubstr(message));
}

const std::string one_lock = "protocol views-counters resources=1 improve=none loans=0 ";

// --- Cuts.

TEST(Cuts, Nothing_arrives_through_a_cut_until_it_heals) {
    const std::string cut = "protocol leases\ncut 0 -> 1\nrequest 0\n";
    expect_bad(cut + "deliver 0 -> 1 Read", "the channel 0 -> 1 is cut; write heal 0 -> 1 first");
    expect_holds(cut + "settle\nexpect in-flight 0 -> 1 1\nheal 0 -> 1\nsettle\nexpect in-flight 0");
}

// --- Pauses.

const std::string paused = "protocol leases tolerance=1\nrequest 0\nsettle\nexpect holding 0\npause 0\n";

TEST(Pauses, A_site_that_is_paused_handles_nothing) {
    expect_bad(paused + "release 0", "site 0 is paused; write resume 0 first");
    expect_bad(paused + "timeout 0 renew", "site 0 is paused");
    expect_bad(paused + "pause 0", "site 0 is paused");
    expect_bad(paused + "request 1\ndeliver 1 -> 0 Prepare", "site 0 is paused");
    expect_bad(paused + "resume 1", "site 1 is not paused");
    expect_holds(paused +
                 "request 1\nsettle\nexpect in-flight 1 -> 0 2\nresume 0\nsettle\nexpect in-flight 0");
}

TEST(Pauses, A_site_that_resumes_notices_at_once_how_long_it_was_paused) {
    expect_holds(paused + "tick all\nexpect holding 0\nresume 0\nexpect idle 0");
    expect_holds(paused + "resume 0\nexpect holding 0\ntick all\nexpect idle 0");
}

TEST(Pauses, A_pause_ends_with_a_crash) {
    expect_holds(paused + "tick all\nkill 0\nrestart 0\ntick all\nexpect idle 0");
}

TEST(Pauses, Are_bounded_by_the_header) {
    expect_bad("protocol leases pauses=1\npause 0\nresume 0\npause 1", "the header allows pauses=1");
    expect_bad("protocol leases pauses=1 pause-ticks=2\npause 0\ntick all 3",
               "site 0 has missed pause-ticks=2 ticks; write resume 0 first");
    expect_bad("protocol leases skew=1 pauses=1 pause-ticks=0\npause 0\ntick 1\ntick 0",
               "site 0 has missed pause-ticks=0 ticks");
    expect_bad("protocol raymond pauses=1", "has neither clock nor lease, so a pause is only a delay");
}

TEST(Pauses, A_lease_ends_while_its_host_is_paused) {
    expect_holds(one_lock + "sites=2\nrequest 0 r0\npause 0\nresume 0\nexpect idle 0\n" +
                 "renew 0\nrequest 0 r0\nexpect holding 0");
}

// --- Budgets. The worlds here are explored without canonical forms, where most steps take a short cut.

TEST(Budgets, Faults_that_change_only_one_site_are_paid_for) {
    const std::string plain =
        "sites=2 permits=1 requests=1,0 full=on ranks=off normalise=off property=assertion ";
    EXPECT_EQ(protocol_tests::run("permits", plain + "lies=0").states, 51u);
    EXPECT_EQ(protocol_tests::run("permits", plain + "lies=1").states, 222u);
    EXPECT_EQ(protocol_tests::run("permits", plain + "lies=2").states, 303u);
}

// --- Orphans.

TEST(Orphans, A_program_that_was_releasing_does_not_outlive_its_host) {
    const std::string releasing = one_lock +
                                  "sites=2 orphans=on\nrequest 0 r0\nrequest 1 r0\nsettle\n"
                                  "crash 0 in release 0 sent 1\n";
    expect_holds(releasing + "settle\nexpect holding 1");
    expect_bad(releasing + "stop 0", "no program has outlived site 0");
}

// --- Agreed views.

TEST(Views, A_newcomer_waits_for_another_one_that_was_removed_before_it_began) {
    const std::string removed = one_lock +
                                "sites=3 founders=1\njoin 1\nview add 1\nview remove 1\nkill 0\n"
                                "join 2\nview remove 0\nview add 2\nsee 2 4\n";
    // Site 1 may still see the view that added it, and let a program run.
    expect_bad(removed + "quiet 2", "a program may still run that it waits for");
    expect_holds(removed + "see 1 1\nlapse 1\nrequest 2 r0\nexpect waiting 2\nquiet 2\nexpect holding 2");
}

}  // namespace
}  // namespace allot::world_tests
