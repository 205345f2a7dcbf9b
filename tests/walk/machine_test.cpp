#include "walk/machine.hpp"

#include <gtest/gtest.h>

#include "core/json.hpp"
#include "core/random.hpp"
#include "support/protocols.hpp"
#include "walk/walker.hpp"

namespace allot::walk {
namespace {

std::unique_ptr<Machine> make(const world::Entry& entry) {
    auto machine = make_machine(
        entry, {{"sites", "3"}, {"permits", "2"}, {"requests", "any"}, {"crashes", "2"}, {"restarts", "1"}});
    EXPECT_TRUE(machine) << machine.error();
    (*machine)->keep_exact_stamps();
    return std::move(*machine);
}

std::vector<boost::json::value> states_of(const Machine& machine, const World& world) {
    std::vector<boost::json::value> states;
    for (const LocalId id : world.sites) states.push_back(machine.state(id));
    return states;
}

TEST(Machine, A_run_goes_on_alike_though_its_earlier_states_are_forgotten) {
    const world::Entry entry = test_support::protocol("raymond");
    const auto faithful = make(entry);
    const auto forgetful = make(entry);
    Walker one(*faithful);
    Walker other(*forgetful);
    World here = faithful->initial();
    World there = forgetful->initial();
    const auto start = states_of(*forgetful, there);
    Random random(1);
    for (int step = 0; step < 500; ++step) {
        if (step % 7 == 0) other.forget_states_but(there);
        const std::vector<Move> moves = one.inputs(here);
        ASSERT_EQ(moves, other.inputs(there));
        const Move& move = moves[random(moves.size())];
        Report report;
        here = one.apply(here, move, report);
        there = other.apply(there, move, report);
        ASSERT_EQ(states_of(*faithful, here), states_of(*forgetful, there));
        ASSERT_EQ(here.flight, there.flight);
    }
    EXPECT_EQ(states_of(*forgetful, forgetful->initial()), start);
}

}  // namespace
}  // namespace allot::walk
