// What `normalise` leaves out of a world makes no difference, indeed. On small instances every world that can
// be reached is reached with and without it: brought into the normal form afterwards or after every step,
// they are the same worlds. On larger ones, along random runs, each message that it leaves out is delivered
// all the same, and the world is what it was. So a handler that heeds what it should ignore is found, though
// the checker never delivers such a message; and so is a message that would be heeded later.
#include <deque>
#include <gtest/gtest.h>
#include <set>

#include "core/json.hpp"
#include "core/random.hpp"
#include "protocols/support.hpp"
#include "walk/walker.hpp"

namespace {

using namespace allot;
using walk::Move;
using walk::MoveKind;
using walk::Walker;
using walk::World;
using world::InputKind;

std::unique_ptr<walk::Machine> machine_of(std::string_view protocol, const std::string& flags) {
    for (const world::Entry& entry : registry::protocols())
        if (entry.name == protocol) {
            auto made = walk::make_machine(entry, protocol_tests::parameters(flags));
            EXPECT_TRUE(made) << (made ? "" : made.error());
            if (made) return std::move(*made);
        }
    return nullptr;
}

struct Before {
    bool operator()(const World& a, const World& b) const {
        return std::tie(a.ledger, a.sites, a.flight) < std::tie(b.ledger, b.sites, b.flight);
    }
};
using Worlds = std::set<World, Before>;

World normal(Walker& walker, World world) {
    walker.canonical(world);
    return world;
}

enum class Normalise { afterwards, after_every_step };

// Every world in reach, in the normal form. What comes of a step that breaks a handler is none.
Worlds reachable(walk::Machine& machine, Normalise when) {
    Walker walker(machine, false);
    Worlds seen;
    Worlds forms;
    std::deque<World> queue;
    const auto reach = [&](const World& world) {
        const World form = normal(walker, world);
        forms.insert(form);
        const World& kept = when == Normalise::afterwards ? world : form;
        if (seen.insert(kept).second) queue.push_back(kept);
    };
    reach(machine.initial());
    for (; !queue.empty(); queue.pop_front()) {
        const World here = queue.front();
        std::vector<World> next;
        walker.for_each_step(here, [&](const Move&, const World& after, const Report& report) {
            if (!report.has(world::assertion.name)) next.push_back(after);
        });
        for (const World& world : next) reach(world);
    }
    return forms;
}

// Some world of `these` that is none of `those`, for people.
std::string first_beyond(const walk::Machine& machine, const Worlds& these, const Worlds& those) {
    for (const World& world : these) {
        if (those.contains(world)) continue;
        std::string text;
        for (const auto id : world.sites)
            if (machine.local(id).up()) text += json_text(machine.state(id)) + "\n";
        for (const auto id : world.flight)
            text += std::to_string(machine.envelope(id).from) + " -> " +
                    std::to_string(machine.envelope(id).to) + " " + std::string(machine.kind(id)) + " " +
                    json_text(machine.message(id)) + "\n";
        return text;
    }
    return "";
}

struct Small {
    const char* protocol;
    const char* flags;
};

void PrintTo(const Small& small, std::ostream* out) {
    *out << small.protocol << " " << small.flags;
}

class BrokerReach : public testing::TestWithParam<Small> {};

TEST_P(BrokerReach, Is_the_same_without_the_messages_that_are_left_out) {
    const auto machine = machine_of(GetParam().protocol, GetParam().flags);
    ASSERT_NE(machine, nullptr);
    const Worlds exact = reachable(*machine, Normalise::afterwards);
    const Worlds normal = reachable(*machine, Normalise::after_every_step);
    EXPECT_GT(exact.size(), 300u);
    EXPECT_EQ(first_beyond(*machine, exact, normal), "") << "is reached only with messages that are left out";
    EXPECT_EQ(first_beyond(*machine, normal, exact), "") << "is reached only without them";
}

INSTANTIATE_TEST_SUITE_P(
    Small, BrokerReach,
    testing::Values(Small{"strong-weak", "wants=r0,r1;r1,r0 requests=1,1,2,1"},
                    Small{"strong-weak", "wants=r0,r1;r1,r0 cancel=on crashes=1"},
                    Small{"strong-weak", "wants=r0,r1;r1,r0 cancel=on without=match-requests"},
                    Small{"strong-weak", "wants=r0,r1;r1,r0 crashes=1 without=match-edges"},
                    Small{"strong-weak", "wants=r0,r1;r1,r0 without=consent"},
                    Small{"strong-weak", "wants=r0,r1;r1,r0 without=rank-holders"},
                    Small{"strong-weak-published", "wants=cycle with=all"},
                    Small{"strong-weak-published", "wants=cycle with=all without=keep-head"},
                    Small{"ordered-chain", "requests=1 cancel=on crashes=1"},
                    Small{"ring-ticket", "crashes=1"}));

class RandomRuns {
public:
    RandomRuns(std::string_view protocol, const std::string& flags) : machine_(machine_of(protocol, flags)) {}

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

    std::unique_ptr<walk::Machine> machine_;
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
