// What multilock.md, section 8, measured of the baselines for requests of one resource out of 80 by 32 sites
// under high load (5 ms of use, 0.56 ms of thought, 0.6 ms per message), measured again by the simulator.
#include "protocols/support.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

struct Row {
    const char* protocol;
    const char* flags;
    const char* latency;
    double use_percent;
    double waiting_ms;
    double messages;  // per grant
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.protocol << " " << row.flags;
}

class Section_8_2 : public testing::TestWithParam<Row> {};

TEST_P(Section_8_2, Single_requests_under_high_load) {
    Parameters instance = parameters(GetParam().flags);
    instance.merge(parameters("sites=32 resources=80 max-request=1"));
    Parameters flags = parameters("think=exponential:0.56ms hold=5ms time=8s warm-up=1s");
    flags["latency"] = GetParam().latency;
    const auto plan = sim::take_plan(flags);
    ASSERT_TRUE(plan && flags.empty());
    auto simulation = sim::make_simulation(*registry::protocol(GetParam().protocol), instance, *plan);
    ASSERT_TRUE(simulation) << simulation.error();

    const sim::Figures figures = (*simulation)->run(1);
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.unserved, 0u);
    EXPECT_NEAR(100 * figures.use_rate, GetParam().use_percent, 0.5);
    EXPECT_NEAR(figures.waiting_ms.mean, GetParam().waiting_ms, 0.03 * GetParam().waiting_ms + 0.1);
    EXPECT_NEAR(figures.messages_per_grant, GetParam().messages, 0.1);
}

// Of messages the section has only the first two rows. The scheduler's three take no time.
INSTANTIATE_TEST_SUITE_P(Baselines, Section_8_2,
                         testing::Values(Row{"incremental", "", "0.6ms", 22.6, 3.3, 4.0},
                                         Row{"control-token", "control=pass", "0.6ms", 10.4, 13.6, 4.7},
                                         Row{"control-token", "control=section", "0.6ms", 1.0, 186, 4.5},
                                         Row{"ideal", "policy=fit", "0ms", 30.2, 1.1, 3.0}));

}  // namespace
