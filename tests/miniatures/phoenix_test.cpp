#include "miniatures/phoenix.hpp"

#include <gtest/gtest.h>

#include "miniatures/support.hpp"

namespace allot::miniatures {
namespace {

TEST(Phoenix, A_permit_outlives_its_borrowers) {
    expect_holds(judge("phoenix", {{"requests", "any"}, {"crashes", "1"}}), 257);
    expect_holds(judge("phoenix", {{"requests", "1"}, {"crashes", "1"}, {"restarts", "1"}}), 6934);
}

TEST(Phoenix, Trust_may_come_late_or_never) {
    expect_holds(
        judge("phoenix", {{"requests", "any"}, {"crashes", "1"}, {"restarts", "1"}, {"trust", "sparse"}}),
        29436);
}

TEST(Phoenix, Sites_may_join) {
    expect_holds(
        judge("phoenix", {{"requests", "any"}, {"founders", "2"}, {"crashes", "1"}, {"restarts", "1"}}),
        20633);
    expect_holds(judge("phoenix", {{"sites", "2"}, {"founders", "1"}, {"crashes", "3"}, {"restarts", "3"}}),
                 4285);
}

TEST(Phoenix, A_letter_to_an_earlier_life_must_be_dropped) {
    const Parameters broken{
        {"requests", "any"}, {"crashes", "1"}, {"restarts", "1"}, {"without", "check-addressee"}};
    expect_violated("phoenix", broken, "holder-known");
    expect_only_violated("phoenix", broken, "exclusion");
}

TEST(Phoenix, Whom_nobody_trusts_nobody_reports_dead) {
    Parameters careless{
        {"requests", "any"}, {"crashes", "1"}, {"without", "trust-first"}, {"trust", "sparse"}};
    expect_violated("phoenix", careless, "deadlock");
    // Where all are trusted from the start and nobody comes back, there is no harm.
    careless["trust"] = "dense";
    expect_holds(judge("phoenix", careless), 257);
}

}  // namespace
}  // namespace allot::miniatures
