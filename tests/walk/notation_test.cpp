#include "walk/notation.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.hpp"
#include "core/random.hpp"
#include "play/player.hpp"
#include "play/steps.hpp"
#include "support/protocols.hpp"

namespace allot::walk {
namespace {

using testing::HasSubstr;

const std::vector<world::Entry>& protocols() {
    static const std::vector<world::Entry> list{test_support::protocol("raymond"),
                                                test_support::protocol("listener")};
    return list;
}

std::unique_ptr<Machine> make(std::size_t protocol, const Parameters& parameters) {
    auto machine = walk::make_machine(protocols()[protocol], parameters);
    EXPECT_TRUE(machine) << machine.error();
    return std::move(*machine);
}

const Parameters faulty_raymond{{"sites", "3"},    {"permits", "2"},   {"requests", "any"}, {"crashes", "2"},
                                {"restarts", "1"}, {"duplicate", "2"}, {"lose", "2"},       {"full", "on"}};
const Parameters faulty_listener{{"sites", "3"},      {"founders", "2"},  {"crashes", "2"}, {"restarts", "1"},
                                 {"duplicate", "1"},  {"lose", "1"},      {"leaves", "1"},  {"cancel", "on"},
                                 {"trust", "sparse"}, {"requests", "any"}};

std::vector<Move> steps_from(Walker& walker, const World& world) {
    std::vector<Move> moves;
    walker.for_each_step(world,
                         [&](const Move& move, const World&, const Report&) { moves.push_back(move); });
    return moves;
}

Move read_back(play::Stage& stage, const std::string& line) {
    auto words = play::split_words(line);
    const auto verb = play::verb_named(words->front());
    EXPECT_TRUE(verb) << line;
    words->erase(words->begin());
    play::Words rest(*words, play::usage(*verb), stage.machine().setup().sites);
    const auto move = play::read_step(stage, *verb, rest);
    EXPECT_TRUE(move) << line << ": " << move.error();
    return move ? *move : Move{};
}

// Every step that could be taken on a random walk, not only those taken, reads back as it was written.
// Returns how many there were.
std::size_t walk_and_read_back(std::unique_ptr<Machine> machine, std::uint64_t seed) {
    Random random(seed);
    play::Stage stage(std::move(machine));
    std::size_t lines = 0;
    for (int step = 0; step < 25; ++step) {
        const std::vector<Move> moves = steps_from(stage.walker(), stage.world());
        if (moves.empty()) return lines;
        lines += moves.size();
        for (const Move& move : moves) {
            const std::string line = line_of(stage.machine(), stage.world(), move);
            EXPECT_EQ(read_back(stage, line), move) << line;
        }
        stage.take(moves[random(moves.size())]);
    }
    return lines;
}

TEST(Notation, Every_step_reads_back_as_it_was_written) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
        EXPECT_GT(walk_and_read_back(make(0, faulty_raymond), seed), 25u);
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_GT(walk_and_read_back(make(1, faulty_listener), seed), 25u);
}

// A walk that ends at its first violation, with everything the world holds as expectations.
struct Walk {
    World start;
    std::vector<Move> steps;
    std::vector<std::string> expectations;
};

Walk random_walk(Machine& machine, std::uint64_t seed) {
    Random random(seed);
    Walker walker(machine);
    Walk walk{machine.initial(), {}, {}};
    World world = walk.start;
    Report report;
    for (int step = 0; step < 40 && report.clean(); ++step) {
        const std::vector<Move> moves = steps_from(walker, world);
        if (moves.empty()) break;
        walk.steps.push_back(moves[random(moves.size())]);
        world = walker.apply(world, walk.steps.back(), report);
        if (report.clean()) machine.check_state(world, report);
    }
    if (!report.clean()) walk.expectations.push_back("expect violation " + report.property());
    for (SiteId site = 0; site < world.sites.size(); ++site) {
        const std::string line = "expect state " + std::to_string(site) + " ";
        if (machine.local(world.sites[site]).up())
            walk.expectations.push_back(line + json_text(machine.state(world.sites[site])));
    }
    walk.expectations.push_back("expect in-flight " + std::to_string(world.flight.size()));
    return walk;
}

TEST(Notation, A_whole_run_replays_to_the_same_world) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        auto machine = make(seed % 2, seed % 2 == 0 ? faulty_raymond : faulty_listener);
        const Walk walk = random_walk(*machine, seed);
        const std::string text =
            scenario_text(*machine, walk.start, walk.steps, {}, {"seed"}, walk.expectations);
        const play::Outcome outcome = play::Player(protocols()).play("walk", text);
        EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << text;
    }
}

TEST(Notation, An_arbitrary_start_is_written_as_state_and_messages) {
    auto machine = make(1, {{"sites", "2"}, {"requests", "2"}});
    World start = machine->initial();
    EXPECT_FALSE(machine->merge_state(start.sites[1], boost::json::parse(R"({"wounds": 2})")));
    EnvelopeId farewell = 0;
    EXPECT_FALSE(machine->make_message(0, 1, boost::json::parse(R"({"Farewell": {}})"), farewell));
    start.flight = {farewell};
    const std::vector<Move> steps{
        {.site = 1, .input = {InputKind::deliver, farewell, 0}, .envelope = farewell}};
    const std::vector<Move> cycle{{.site = 0, .input = {InputKind::timeout, 0}}};
    EXPECT_EQ(scenario_text(*machine, start, steps, cycle, {"why", "and how"}, {"expect starving 0"}),
              "# why\n"
              "# and how\n"
              "protocol listener anchor=0 requests=2 sites=2\n"
              "state 1 {\"wounds\": 2}\n"
              "empty\n"
              "put 0 -> 1 {\"Farewell\": {}}\n"
              "deliver 0 -> 1 Farewell\n"
              "loop\n"
              "timeout 0 tick\n"
              "expect starving 0\n");
}

TEST(Notation, A_start_that_is_the_machine_s_own_is_not_written) {
    auto machine = make(0, {{"sites", "2"}});
    EXPECT_EQ(scenario_text(*machine, machine->initial(), {}, {}, {}, {}),
              "protocol raymond sites=2 requests=1\n");
}

TEST(Notation, The_header_bounds_requests_as_the_machine_does) {
    auto machine = make(0, {{"sites", "2"}, {"requests", "2,any"}});
    EXPECT_EQ(scenario_text(*machine, machine->initial(), {}, {}, {}, {}),
              "protocol raymond requests=2,any sites=2\n");
}

class Lines : public testing::Test {
protected:
    void begin(std::size_t protocol, const Parameters& parameters) {
        stage = std::make_unique<play::Stage>(make(protocol, parameters));
    }
    std::string line(const Move& move) { return line_of(stage->machine(), stage->world(), move); }
    void take(const std::string& text) { stage->take(read_back(*stage, text)); }
    std::unique_ptr<play::Stage> stage;
};

TEST_F(Lines, A_message_shows_its_content_only_where_another_could_be_meant) {
    begin(0, faulty_raymond);
    take("request 0");
    EXPECT_EQ(line({.kind = MoveKind::drop, .envelope = stage->world().flight[0]}), "drop 0 -> 1 Request");
    take("deliver 0 -> 1");
    take("deliver 1 -> 0");
    take("release 0");
    take("request 0");
    const auto there = stage->in_flight(0, 2);
    ASSERT_EQ(there.size(), 2u);
    EXPECT_EQ(line({.kind = MoveKind::drop, .envelope = stage->in_flight(0, 1)[0]}), "drop 0 -> 1 Request");
    EXPECT_EQ(line({.kind = MoveKind::drop, .envelope = there[0]}), "drop 0 -> 2 Request {\"stamp\": 1}");
    EXPECT_EQ(line({.kind = MoveKind::drop, .envelope = there[1]}), "drop 0 -> 2 Request {\"stamp\": 2}");
    EXPECT_EQ(line({.kind = MoveKind::duplicate, .envelope = there[1]}),
              "duplicate 0 -> 2 Request {\"stamp\": 2}");
}

TEST_F(Lines, A_crash_inside_a_step_names_the_messages_that_left) {
    begin(1, {{"sites", "3"}, {"crashes", "1"}});
    Move inside = read_back(*stage, "request 0");
    inside.kind = MoveKind::crash_inside;
    // A request sends two messages to 1 and 2 each, in the order 1 2 1 2.
    const auto sent = [&](std::uint32_t mask) {
        inside.sent = mask;
        return line(inside);
    };
    EXPECT_EQ(sent(0b0001), "crash 0 in request 0 sent 1");
    EXPECT_EQ(sent(0b0111), "crash 0 in request 0 sent 1 1 2");
    EXPECT_EQ(sent(0b1100), "crash 0 in request 0 sent 1#2 2#2");
    EXPECT_EQ(sent(0b0000), "crash 0 in request 0 sent");
    EXPECT_EQ(line({.kind = MoveKind::crash, .site = 2}), "crash 2");
}

TEST_F(Lines, Demands_timers_starts_and_detectors_are_named) {
    begin(1, faulty_listener);
    const auto request = [&](const Demand& demand) {
        return line({.site = 1, .input = {InputKind::request, stage->machine().intern_demand(demand)}});
    };
    EXPECT_EQ(request({1, {}}), "request 1");
    EXPECT_EQ(request({3, {}}), "request 1 3");
    EXPECT_EQ(request({1, {"a", "b"}}), "request 1 a,b");
    EXPECT_EQ(request({2, {"a"}}), "request 1 2 a");
    EXPECT_EQ(request({1, {"7"}}), "request 1 1 7");
    EXPECT_EQ(line({.site = 2, .input = {InputKind::start}}), "join 2");
    EXPECT_EQ(line({.site = 0, .input = {InputKind::timeout, 1}}), "timeout 0 tock");
    EXPECT_EQ(line({.site = 0, .input = {InputKind::suspected, 1}}), "suspected 0 1");
    EXPECT_EQ(line({.site = 0, .input = {InputKind::release}}), "release 0");
    take("crash 1");
    EXPECT_EQ(line({.site = 1, .input = {InputKind::start}}), "restart 1");
}

}  // namespace
}  // namespace allot::walk
