#include "miniatures/landlord.hpp"

#include <gtest/gtest.h>

#include "miniatures/support.hpp"

namespace allot::miniatures {
namespace {

const Parameters crashing{{"crashes", "1"}, {"restarts", "1"}, {"writes", "late"}, {"property", "exclusion"}};

Parameters with(Parameters parameters, const Parameters& more) {
    for (const auto& [name, value] : more) parameters[name] = value;
    return parameters;
}

TEST(Landlord, Lets_its_room_to_one_tenant_at_a_time) {
    expect_holds(judge("landlord", {}), 112);
    expect_holds(judge("landlord", {{"writes", "late"}, {"term", "2"}}), 427);
}

TEST(Landlord, Remembers_after_a_crash_that_the_room_is_let) {
    expect_holds(judge("landlord", crashing), 569);
    expect_holds(judge("landlord", with(crashing, {{"writes", "instant"}})), 404);
}

TEST(Landlord, Forgets_it_if_its_note_was_not_on_the_disk) {
    expect_violated("landlord", with(crashing, {{"without", "note-first"}}), "exclusion");
    // Without delay there is no such moment.
    expect_holds(judge("landlord", with(crashing, {{"without", "note-first"}, {"writes", "instant"}})), 404);
}

TEST(Landlord, Forgets_it_with_its_disk) {
    expect_violated("landlord", with(crashing, {{"lost-disks", "1"}}), "exclusion");
    expect_violated("landlord", with(crashing, {{"restored-disks", "1"}}), "exclusion");
}

TEST(Landlord, Must_wait_for_as_long_as_clocks_differ) {
    expect_holds(judge("landlord", {{"skew", "1"}, {"tolerance", "1"}}), 1722);
    expect_violated("landlord", {{"skew", "1"}, {"tolerance", "1"}, {"without", "wait-longer"}}, "exclusion");
    expect_violated("landlord", {{"skew", "2"}, {"tolerance", "1"}}, "exclusion");
}

TEST(Landlord, Must_wait_for_as_long_as_a_tenant_may_be_paused) {
    expect_holds(judge("landlord", {{"pauses", "1"}, {"pause-ticks", "2"}, {"tolerance", "1"}}), 1964);
    expect_violated("landlord", {{"pauses", "1"}, {"pause-ticks", "3"}, {"tolerance", "1"}}, "exclusion");
    expect_violated("landlord", {{"pauses", "1"}}, "exclusion");
}

TEST(Landlord, Lets_its_room_when_a_cut_has_healed) {
    expect_holds(judge("landlord", {{"sites", "2"}, {"cuts", "1"}}), 44);
}

}  // namespace
}  // namespace allot::miniatures
