// What `normalise` leaves out of a world makes no difference, indeed: along random runs, each message that it
// leaves out is delivered all the same, and the world is what it was. So a handler that heeds what it should
// ignore is found, though the checker never delivers such a message.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "protocols/support.hpp"
#include "world/walker.hpp"

namespace {

using namespace allot;
using world::InputKind;
using world::Move;
using world::MoveKind;
using world::Walker;
using world::World;

class RandomRuns {
public:
    RandomRuns(std::string_view protocol, const std::string& flags) {
        for (const world::Entry& entry : registry::protocols())
            if (entry.name == protocol) {
                auto made = entry.make(protocol_tests::parameters(flags));
                EXPECT_TRUE(made) << (made ? "" : made.error());
                machine_ = std::move(*made);
            }
    }

    // How many messages were left out and delivered.
    std::size_t take(std::uint64_t runs, std::size_t steps) {
        Walker walker(*machine_, false);
        Random random(1);
        for (std::uint64_t run = 0; run < runs; ++run) {
            World here = machine_->initial();
            for (std::size_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
                const auto next = look_around(walker, here);
                if (next.empty()) break;
                here = next[random(next.size())];
            }
        }
        return left_out_;
    }

private:
    World normal(Walker& walker, World world) const {
        walker.canonical(world);
        return world;
    }

    std::vector<World> look_around(Walker& walker, const World& here) {
        const World normal_here = normal(walker, here);
        std::vector<World> next;
        walker.for_each_step(here, [&](const Move& move, const World& after, const Report&) {
            next.push_back(after);
            if (move.kind != MoveKind::input || move.input.kind != InputKind::deliver) return;
            World without = here;
            without.flight.erase(std::ranges::find(without.flight, move.envelope));
            if (normal(walker, without) != normal_here) return;
            ++left_out_;
            EXPECT_TRUE(normal(walker, next.back()) == normal_here)
                << machine_->kind(move.envelope) << " " << machine_->message(move.envelope)
                << " was left out and is heeded by site " << move.site;
        });
        return next;
    }

    std::unique_ptr<world::Machine> machine_;
    std::size_t left_out_ = 0;
};

TEST(BrokerNormalForm, Messages_that_ordered_chain_leaves_out_say_nothing) {
    EXPECT_GT(
        RandomRuns("ordered-chain", "clients=3 resources=3 requests=any crashes=2 cancel=on").take(500, 150),
        200u);
}

TEST(BrokerNormalForm, Messages_that_strong_weak_leaves_out_say_nothing) {
    for (const char* flags : {"clients=4 resources=3 min-request=2 requests=any crashes=3 cancel=on",
                              "clients=4 resources=2 min-request=2 requests=any without=promote",
                              "clients=5 resources=5 wants=ring requests=any crashes=4"})
        EXPECT_GT(RandomRuns("strong-weak", flags).take(500, 200), 200u) << flags;
}

}  // namespace
