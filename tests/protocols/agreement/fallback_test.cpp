// Recovery of protocols that have no function of their own for it, under the checker: `incremental` with
// agreed views.
#include "protocols/agreement/fallback.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 7;

TEST(Fallback, Gives_tokens_to_users_only) {
    const ResourceId a("a");
    const ResourceId b("b");
    const ResourceId c("c");
    const std::vector<agreement::Holdings> hosts{{{.phase = Phase::waiting, .demand = {1, {a, c}}}},
                                                 {{.phase = Phase::holding, .demand = {1, {b, a}}}},
                                                 {}};
    const agreement::Users users = agreement::users_of(agreement::claims_of(hosts));
    EXPECT_EQ(users, (agreement::Users{{a, 1}, {b, 1}}));
}

class FallbackHolds : public testing::TestWithParam<Pinned> {};

TEST_P(FallbackHolds, In_every_run) {
    expect_holds("views-incremental", GetParam(), own_properties);
}

INSTANTIATE_TEST_SUITE_P(Views, FallbackHolds,
                         testing::Values(Pinned{"resources=1 sites=3 crashes=1", 4'700, 12'509},
                                         Pinned{"resources=1 sites=3 expulsions=1", 291'786, 1'312'793},
                                         Pinned{"resources=2 sites=2 crashes=1 expulsions=1", 23'305,
                                                75'885}));

// The rules of views belong to no protocol: without them this one fails like the others.
TEST(Fallback, Fails_without_the_rules_of_views) {
    for (const std::string without : {"hold-off", "freeze"}) {
        const auto result =
            run("views-incremental",
                "resources=1 sites=3 founders=2 expulsions=1 without=" + without + " property=one-holder");
        EXPECT_EQ(result.verdict, check::Verdict::violated) << without;
    }
}

// No request can be withdrawn from `incremental`, and no queue is kept.
TEST(Fallback, Refuses_what_the_protocol_cannot_do) {
    for (const world::Entry& entry : registry::protocols()) {
        if (entry.name != "views-incremental") continue;
        EXPECT_FALSE(walk::make_machine(entry, parameters("cancel=on")));
        EXPECT_FALSE(walk::make_machine(entry, parameters("recovered=queues")));
    }
}

}  // namespace
