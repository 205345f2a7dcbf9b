// Clocks that drift, disks that are slow, sites that are cut off or paused: the simulator takes the steps of
// the player, and the figures say how long a crashed host keeps its locks.
#include <gtest/gtest.h>
#include <sstream>

#include "miniatures/entries.hpp"
#include "play/player.hpp"
#include "registry/registry.hpp"
#include "sim/simulation.hpp"
#include "support/protocols.hpp"

namespace allot::hardware_tests {
namespace {

using namespace sim;
using test_support::protocol;

Parameters with(Parameters parameters, const Parameters& more) {
    for (const auto& [name, value] : more) parameters[name] = value;
    return parameters;
}

Result<std::unique_ptr<Simulation>> make(std::string_view name, const Parameters& parameters,
                                         Parameters flags) {
    const auto plan = take_plan(flags);
    if (!plan) return Error{plan.error()};
    EXPECT_TRUE(flags.empty()) << flags.begin()->first << " is no flag of a plan";
    return make_simulation(protocol(name), parameters, *plan);
}

Figures run(std::string_view name, const Parameters& parameters, const Parameters& flags,
            std::uint64_t seed = 1, std::ostream* log = nullptr) {
    auto made = make(name, parameters, flags);
    EXPECT_TRUE(made) << (made ? "" : made.error());
    return (*made)->run(seed, {.log = log});
}

std::string refusal(std::string_view name, const Parameters& flags) {
    const auto made = make(name, {}, flags);
    return made ? "" : made.error();
}

TEST(Drift, Is_a_percentage) {
    for (const char* text : {"0", "1%", "0.05%", "12.3456%", "50%"}) {
        const auto drift = Drift::parse("drift", text);
        ASSERT_TRUE(drift) << text;
        EXPECT_EQ(drift->text(), text);
    }
    EXPECT_EQ(Drift::parse("drift", "0.05%")->millionths, 500u);
    for (const char* text : {"1", "-1%", "50.0001%", "1.23456%", "1.%", "%", ""})
        EXPECT_FALSE(Drift::parse("drift", text)) << text;
}

// --- The room of a landlord (tests/miniatures).

const Parameters tenants{
    {"time", "30s"}, {"tick", "10ms"}, {"think", "exponential:150ms"}, {"hold", "60ms"}, {"verify", "1"}};
const Parameters careful{{"term", "5"}, {"tolerance", "1"}};

TEST(Clocks, Tick_when_a_tick_has_passed) {
    const Figures figures = run("landlord", careful, with(tenants, {{"requests", "0"}}));
    EXPECT_EQ(figures.events, 3u * 3000);
    const Figures drifting = run("landlord", careful, with(tenants, {{"requests", "0"}, {"drift", "20%"}}));
    EXPECT_NE(drifting.events, figures.events);
    EXPECT_NEAR(static_cast<double>(drifting.events), 9000, 9000 * 0.25);
}

TEST(Clocks, A_landlord_must_allow_for_clocks_that_do_not_tick_at_once) {
    const Parameters drifting = with(tenants, {{"drift", "5%"}});
    const Figures figures = run("landlord", careful, drifting);
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
    EXPECT_GT(figures.grants, 50u);
    EXPECT_EQ(run("landlord", with(careful, {{"without", "wait-longer"}}), drifting).violations.size(), 1u);
}

TEST(Pauses, Do_no_harm_while_they_are_shorter_than_the_tolerance) {
    const Parameters some{{"pauses", "300"}, {"crash-from", "0"}, {"crash-to", "29s"}};
    const Figures figures = run("landlord", careful, with(tenants, with(some, {{"pause-for", "9ms"}})));
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
    EXPECT_GT(figures.grants, 50u);
    EXPECT_EQ(run("landlord", careful, with(tenants, with(some, {{"pause-for", "40ms"}}))).violations.size(),
              1u);
}

TEST(Disks, A_landlord_that_answers_before_its_note_is_on_the_disk_forgets_it) {
    const Parameters crashing =
        with(tenants, {{"fsync", "15ms"}, {"crashes", "60"}, {"crash-to", "29s"}, {"restart-after", "1ms"}});
    std::size_t violated = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        EXPECT_TRUE(run("landlord", careful, crashing, seed).violations.empty()) << "seed " << seed;
        violated +=
            run("landlord", with(careful, {{"without", "note-first"}}), crashing, seed).violations.size();
    }
    EXPECT_GT(violated, 0u);
}

// --- The player takes the same steps, and judges every world.

void expect_played(std::span<const world::Entry> entries, std::string_view name, const Parameters& parameters,
                   const Parameters& flags, std::uint64_t seed, const std::vector<std::string>& lines) {
    std::ostringstream log;
    const Figures figures = run(name, parameters, flags, seed, &log);
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
    EXPECT_GT(figures.grants, 0u);
    for (const std::string& line : lines) EXPECT_NE(log.str().find("\n" + line), std::string::npos) << line;
    const auto outcome = play::Player(entries).play("log", log.str());
    EXPECT_TRUE(outcome.ok()) << outcome.message;
}

TEST(Hardware, The_log_of_a_landlord_is_a_scenario) {
    const Parameters flags = with(tenants, {{"time", "4s"},
                                            {"drift", "3%"},
                                            {"fsync", "exponential:3ms"},
                                            {"crashes", "4"},
                                            {"crash-inside", "50"},
                                            {"restart-after", "exponential:20ms"},
                                            {"cuts", "4"},
                                            {"cut-for", "20ms"},
                                            {"pauses", "9"},
                                            {"pause-for", "8ms"}});
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        expect_played(miniatures::entries(), "landlord", careful, flags, seed,
                      {"tick 1 ", "synced 0", "cut ", "heal ", "pause ", "resume ", "restart 0"});
}

const Parameters hosts{{"sites", "5"},     {"voters", "3"},  {"resources", "2"},
                       {"tolerance", "1"}, {"silence", "4"}, {"lease", "3"}};
const Parameters minute{
    {"tick", "100ms"}, {"think", "exponential:100ms"}, {"hold", "50ms"}, {"drift", "1%"}, {"fsync", "2ms"}};

TEST(Hardware, The_log_of_hosts_that_agree_is_a_scenario) {
    const Parameters flags = with(minute, {{"time", "12s"},
                                           {"crashes", "2"},
                                           {"crash-inside", "50"},
                                           {"restart-after", "1s"},
                                           {"cuts", "1"},
                                           {"cut-for", "1s"},
                                           {"pauses", "3"},
                                           {"pause-for", "80ms"}});
    expect_played(registry::protocols(), "hosts-counters", hosts, flags, 1,
                  {"tick 1 ", "synced 0", "cut ", "heal ", "pause ", "resume ", "kill ", "restart "});
}

// --- How long a crashed host keeps its locks.

TEST(Takeover, The_lock_of_a_crashed_host_moves_after_silence_and_hold_off) {
    const Figures figures = run(
        "hosts-counters", hosts,
        with(minute, {{"time", "60s"}, {"crashes", "10"}, {"victims", "holders"}, {"restart-after", "3s"}}));
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
    EXPECT_GE(figures.takeover_ms.moments.count(), 8u);
    // The last message comes up to a tick before the crash; then 4 ticks of silence, and 5 of hold-off, of
    // which the first may have begun.
    EXPECT_GT(figures.takeover_ms.moments.mean(), 100.0 * (3 + 4));
    EXPECT_LT(figures.takeover_ms.max, 100.0 * (4 + 5 + 8));
    EXPECT_EQ(figures.stalled, 0u);
}

TEST(Pauses, Hosts_that_stand_still_for_too_long_overlap_but_their_fences_grow) {
    const Parameters stopping = with(
        minute, {{"time", "20s"}, {"hold", "200ms"}, {"pauses", "10"}, {"pause-for", "2s"}, {"verify", "1"}});
    const Figures all = run("hosts-counters", hosts, stopping);
    ASSERT_EQ(all.violations.size(), 1u);
    EXPECT_EQ(all.violations.front().property, "one-holder");
    const Figures fences = run("hosts-counters", hosts,
                               with(stopping, {{"property", "fences-grow,lease-holds,one-value,one-chain"}}));
    EXPECT_TRUE(fences.violations.empty()) << fences.violations.front().detail;
    EXPECT_GT(fences.grants, all.grants);
}

TEST(Takeover, Counts_only_what_a_crashed_site_held) {
    const Figures figures = run("raymond", {{"sites", "4"}, {"permits", "2"}},
                                {{"time", "1s"}, {"crashes", "2"}, {"victims", "holders"}});
    EXPECT_GE(figures.takeover_ms.moments.count(), 1u);
    EXPECT_EQ(run("raymond", {}, {{"time", "1s"}}).takeover_ms.moments.count(), 0u);
}

TEST(Plan, Hardware_that_a_protocol_does_not_have_is_refused) {
    EXPECT_EQ(refusal("raymond", {{"drift", "1%"}}), "--drift 1%: raymond has neither clock nor timers");
    EXPECT_EQ(refusal("raymond", {{"fsync", "1ms"}}),
              "--fsync 1ms: a site of raymond keeps nothing on a disk");
    EXPECT_EQ(refusal("raymond", {{"pauses", "1"}}),
              "--pauses: a site of raymond has no clock, so a pause is only a delay");
    EXPECT_EQ(refusal("raymond", {{"pause", "1@1s"}}),
              "--pause: a site of raymond has no clock, so a pause is only a delay");
    EXPECT_EQ(refusal("landlord", {{"cut", "3@1s"}}), "--cut 3@1s: the sites are 0 to 2");
    EXPECT_EQ(refusal("landlord", {{"drift", "1"}}),
              "--drift 1: write a percentage up to 50%, as in 1% or 0.05%");
}

}  // namespace
}  // namespace allot::hardware_tests
