// Runs: the same twice, as the links and the detectors promise, and with the messages that the papers count.
#include "sim/simulation.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "base/ensure.hpp"
#include "base/stop.hpp"
#include "miniatures/entries.hpp"
#include "play/player.hpp"
#include "support/protocols.hpp"
#include "world/entry_of.hpp"

namespace {

using namespace allot;
using namespace allot::sim;
using test_support::protocol;

// A plan from its flags.
Plan planned(Parameters flags) {
    const auto plan = take_plan(flags);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error());
    EXPECT_TRUE(flags.empty()) << flags.begin()->first << " is no flag of a plan";
    return *plan;
}

std::unique_ptr<Simulation> simulation(const world::Entry& entry, const Parameters& parameters,
                                       const Parameters& flags) {
    auto made = sim::make_simulation(entry, parameters, planned(flags));
    EXPECT_TRUE(made) << (made ? "" : made.error());
    return std::move(*made);
}

Figures run(const world::Entry& entry, const Parameters& parameters, const Parameters& flags,
            std::uint64_t seed = 1) {
    return simulation(entry, parameters, flags)->run(seed);
}

Figures run(std::string_view name, const Parameters& parameters, const Parameters& flags) {
    return run(protocol(name), parameters, flags);
}

std::string log_of(std::string_view name, const Parameters& parameters, const Parameters& flags,
                   std::uint64_t seed) {
    std::ostringstream log;
    simulation(protocol(name), parameters, flags)->run(seed, {.log = &log});
    return log.str();
}

const Parameters busy{{"time", "100ms"},
                      {"latency", "exponential:0.6ms"},
                      {"hold", "uniform:0.5ms..2ms"},
                      {"crashes", "2"},
                      {"detect", "exponential:5ms"}};

TEST(Simulation, One_seed_gives_the_same_run_twice) {
    const Parameters five{{"sites", "5"}, {"permits", "3"}};
    const std::string first = log_of("raymond", five, busy, 1);
    EXPECT_GT(first.size(), 1000u);
    EXPECT_EQ(first, log_of("raymond", five, busy, 1));
    EXPECT_EQ(log_of("phoenix", {}, busy, 4), log_of("phoenix", {}, busy, 4));
}

TEST(Simulation, Another_seed_gives_another_run) {
    EXPECT_NE(log_of("raymond", {}, busy, 1), log_of("raymond", {}, busy, 2));
}

TEST(Simulation, May_be_run_again_and_again) {
    const auto once = simulation(protocol("raymond"), {}, busy);
    const Figures first = once->run(1);
    once->run(2);
    const Figures again = once->run(1);
    EXPECT_EQ(first.events, again.events);
    EXPECT_EQ(first.messages, again.messages);
}

// What a simulation did, the player can do, and judges every world on the way: both take the same steps.
void expect_played(std::span<const world::Entry> entries, const std::string& log) {
    EXPECT_GT(std::count(log.begin(), log.end(), '\n'), 20) << log;
    const auto outcome = play::Player(entries).play("log", log);
    EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << log;
}

TEST(Simulation, A_stop_ends_a_run_early_even_while_its_sites_start) {
    const auto endless = simulation(protocol("raymond"), {}, {{"time", "1000000s"}});
    stop::within(0.05);
    const Figures cut = endless->run(1);
    const Figures not_begun = endless->run(1);
    stop::within(std::nullopt);
    EXPECT_TRUE(cut.stopped);
    EXPECT_GT(cut.events, 0u);
    EXPECT_TRUE(not_begun.stopped);
    EXPECT_EQ(not_begun.events, 0u);
    EXPECT_EQ(not_begun.stalled, 0u);
}

TEST(Simulation, Its_log_is_a_scenario) {
    const std::vector raymond{protocol("raymond")};
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        expect_played(raymond, log_of("raymond", {{"sites", "4"}, {"permits", "2"}}, busy, seed));
        Parameters ring = busy;
        ring["crashes"] = "0";
        ring["tick"] = "0.2ms";  // so short that the root takes the token for lost
        expect_played(miniatures::entries(), log_of("token-ring", {}, ring, seed));
        expect_played(miniatures::entries(), log_of("two-locks", {{"sites", "4"}}, ring, seed));
    }
}

TEST(Simulation, Its_log_is_a_scenario_with_joins_crashes_restarts_and_detectors) {
    for (const char* trust : {"dense", "sparse", "anchor"})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const Parameters flags{{"time", "100ms"},
                                   {"latency", "exponential:3ms"},
                                   {"founders", "4"},
                                   {"join", "4@20ms"},
                                   {"crash", "1@30ms,2@50ms,1@60ms"},
                                   {"restart", "1@35ms,2@51ms"},
                                   {"detect", "exponential:4ms"},
                                   {"trust", trust},
                                   {"anchor", "0"}};
            expect_played(miniatures::entries(), log_of("phoenix", {{"sites", "5"}}, flags, seed));
        }
}

TEST(Simulation, Its_log_is_a_scenario_with_crashes_inside_steps) {
    const std::vector raymond{protocol("raymond")};
    std::string all;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::string log = log_of(
            "raymond", {{"sites", "5"}, {"permits", "4"}},
            {{"time", "100ms"}, {"latency", "exponential:1ms"}, {"crashes", "3"}, {"crash-inside", "70"}},
            seed);
        expect_played(raymond, log);
        all += log;
    }
    EXPECT_NE(all.find(" in request "), std::string::npos);
    EXPECT_NE(all.find(" in deliver "), std::string::npos);
    EXPECT_NE(all.find(" sent "), std::string::npos);
}

TEST(Simulation, Its_log_is_a_scenario_where_sites_must_start_up_first) {
    const std::vector permits{protocol("permits")};
    const std::vector open{protocol("permits-open")};
    for (const char* trust : {"dense", "sparse"})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Parameters flags = busy;
            flags["trust"] = trust;
            flags["anchor"] = "0";
            expect_played(permits, log_of("permits", {{"sites", "4"}, {"permits", "2"}}, flags, seed));
            flags["join"] = "3@20ms";
            flags["restart"] = "1@70ms,2@80ms";
            flags["founders"] = "3";
            expect_played(open, log_of("permits-open", {{"sites", "4"}, {"permits", "2"}}, flags, seed));
        }
}

TEST(Simulation, Sites_agree_on_views_as_others_crash_return_and_join) {
    std::string all;
    for (const char* name : {"views-counters", "views-permits", "views-devices"})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const Parameters flags{{"time", "400ms"},
                                   {"latency", "exponential:1ms"},
                                   {"founders", "4"},
                                   {"join", "4@20ms"},
                                   {"crashes", "6"},
                                   {"restart-after", "exponential:20ms"},
                                   {"detect", "exponential:4ms"}};
            const std::vector entries{protocol(name)};
            const std::string log = log_of(name, {{"sites", "5"}}, flags, seed);
            EXPECT_NE(log.find("view add 4"), std::string::npos);
            expect_played(entries, log);
            all += log;
            const Figures figures = run(name, {{"sites", "5"}}, flags);
            EXPECT_EQ(figures.stalled, 0u);
        }
    EXPECT_NE(all.find("view remove"), std::string::npos);
    EXPECT_NE(all.find("view replace"), std::string::npos);
}

TEST(Simulation, A_listener_hears_everything_that_its_detectors_have_to_say) {
    const Parameters flags{{"time", "200ms"},     {"founders", "3"},    {"join", "3@10ms"},
                           {"requests", "2"},     {"demand", "1"},      {"crash", "1@20ms"},
                           {"restart", "1@60ms"}, {"leave", "2@100ms"}, {"verify", "1000000"}};
    std::ostringstream log;
    const Figures figures = simulation(protocol("listener"), {{"sites", "4"}}, flags)->run(1, {.log = &log});
    for (const char* line : {"trusted 0 3", "dead 0 1", "suspected 0 1", "departed 0 1", "trusted 0 1",
                             "trusted 1 0", "departed 0 2", "leave 2", "timeout 3 tick"})
        EXPECT_NE(log.str().find(line), std::string::npos) << line << "\n" << log.str();
    // They all hear too much, which is only noticed at the end.
    ASSERT_EQ(figures.violations.size(), 1u);
    EXPECT_EQ(figures.violations[0].property, "few-words");
    EXPECT_EQ(figures.violations[0].at, 200 * millisecond);

    Parameters unjudged = flags;
    unjudged["verify"] = "0";
    EXPECT_TRUE(simulation(protocol("listener"), {{"sites", "4"}}, unjudged)->run(1).violations.empty());
}

// Sends numbers, and insists that they arrive in order.
struct Parade {
    static const Model<Parade> model;

    struct Config {
        std::uint32_t sites = 2;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites), (), ())
    };
    struct Number {
        std::uint64_t value = 0;
        bool operator==(const Number&) const = default;
        BOOST_DESCRIBE_CLASS(Number, (), (value), (), ())
    };
    using Message = std::variant<Number>;
    using Ctx = Context<Config>;
    using Effects = allot::Effects<Message>;
    using Fx = Effects;
    using Input = allot::Input<Message>;
    static void on_state(const View<Parade>&, Report&) {}

    void handle(const Ctx& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Ctx& ctx, Fx&) { sent.assign(ctx.config.sites, 0), received = sent; }
    void request(const Ctx& ctx, const Demand&, Fx& fx) {
        for (SiteId to = 0; to < ctx.config.sites; ++to)
            for (int i = 0; i < 3; ++i) fx.send(to, Number{++sent[to]});
        now = Phase::holding;
        fx.granted();
    }
    void receive(const Ctx&, SiteId from, const Number& number, Fx&) {
        ensure(number.value == ++received[from], "a number was overtaken");
    }
    void release(const Ctx&, Fx& fx) {
        now = Phase::idle;
        fx.released();
    }
    Phase phase() const { return now; }

    Phase now = Phase::idle;
    std::vector<std::uint64_t> sent, received;
    bool operator==(const Parade&) const = default;
    BOOST_DESCRIBE_CLASS(Parade, (), (now, sent, received), (), ())
};

constexpr std::array parade_properties{PropertyName{"none", "nothing"}};

constinit const Model<Parade> Parade::model{
    .name = "parade",
    .problem = "test",
    .summary = "numbers in a row",
    .links = Links::unordered,
    .properties = parade_properties,
    .on_state = &on_state,
};

const world::Entry& parade() {
    static const world::Entry entry = world::entry_of<Parade>();
    return entry;
}

TEST(Links, On_fifo_links_no_message_overtakes_another) {
    for (const char* latency : {"exponential:5ms", "uniform:0..20ms", "3ms"}) {
        const Figures figures =
            run(parade(), {{"sites", "4"}}, {{"links", "fifo"}, {"latency", latency}, {"time", "2s"}});
        EXPECT_TRUE(figures.violations.empty()) << figures.violations[0].detail;
        EXPECT_GT(figures.delivered, 5000u);
    }
}

TEST(Links, On_unordered_links_they_do_and_what_breaks_is_told) {
    const Figures figures = run(parade(), {}, {{"latency", "exponential:5ms"}}, 9);
    ASSERT_EQ(figures.violations.size(), 1u);
    EXPECT_EQ(figures.violations[0].property, "assertion");
    EXPECT_EQ(figures.violations[0].detail, "a number was overtaken");
    EXPECT_EQ(figures.violations[0].seed, 9u);
    EXPECT_GT(figures.violations[0].at, 0u);
}

TEST(Verdict, A_published_defect_is_noticed) {
    // Copies of the token are taken for the token.
    const Figures figures = run("token-ring", {{"without", "discard-copies"}},
                                {{"tick", "0.1ms"}, {"verify", "1"}, {"think", "1ms"}});
    ASSERT_EQ(figures.violations.size(), 1u);
    EXPECT_EQ(figures.violations[0].property, "in-order");
}

TEST(Verdict, Monitors_see_what_happens) {
    const Figures figures = run("two-locks", {{"without", "number-every-loan"}}, {{"verify", "0"}});
    ASSERT_EQ(figures.violations.size(), 1u);
    EXPECT_EQ(figures.violations[0].property, "fences-grow");
}

// The root of the ring waits for eight ticks after it sent the token, and begins anew whenever it sends it.
// The token comes back after 1.2 ms, until the other site keeps it.
TEST(Timers, Fire_when_they_are_due_and_not_if_they_were_armed_again) {
    const std::string log = log_of(
        "token-ring", {{"sites", "2"}},
        {{"requests", "0,1"}, {"think", "1ms"}, {"hold", "50ms"}, {"time", "45ms"}, {"latency", "0.6ms"}}, 1);
    std::string timeouts;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("timeout 0 regenerate  # ")) timeouts += line.substr(24) + " ";
    EXPECT_EQ(timeouts, "9.2ms 17.2ms 25.2ms 33.2ms 41.2ms ");
}

TEST(Timers, A_token_that_was_not_lost_is_not_doubled) {
    const Figures figures = run("token-ring", {{"sites", "5"}}, {{"time", "5s"}});
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.max_concurrent, 1u);
    EXPECT_GT(figures.grants, 1000u);
    EXPECT_EQ(figures.unserved, 0u);
}

TEST(Stalls, Service_that_outlasts_the_run_is_no_stall) {
    for (const auto& [name, parameters, flags] : std::vector<std::tuple<const char*, Parameters, Parameters>>{
             {"raymond", {{"sites", "3"}}, {{"hold", "10s"}, {"time", "3s"}}},
             {"raymond", {{"sites", "32"}}, {{"time", "1ms"}}},
             {"permits", {}, {{"hold", "1m"}, {"time", "20s"}}},
             {"tree-pool", {}, {{"hold", "10s"}, {"time", "3s"}}},
             {"token-ring", {}, {{"hold", "1s"}, {"time", "20ms"}, {"tick", "1s"}}}})
        EXPECT_EQ(run(name, parameters, flags).stalled, 0u) << name;
}

TEST(Stalls, A_site_that_nothing_serves_waits_forever_whether_or_not_timers_go_on) {
    EXPECT_EQ(run("raymond", {}, {{"crash", "1@10ms"}}).stalled, 2u);
    // Its neighbours hold the token when they crash.
    EXPECT_EQ(run("tree-pool", {}, {{"crash", "1@1s,2@2s"}, {"time", "5s"}}).stalled, 1u);
}

TEST(Workload, Requests_are_bounded_where_the_plan_says_so) {
    const Figures figures = run("raymond", {}, {{"requests", "3,0,4"}});
    EXPECT_EQ(figures.grants, 7u);
}

TEST(Workload, A_fixed_demand_is_what_everybody_asks_for) {
    const std::string log = log_of("two-locks", {}, {{"demand", "b"}, {"time", "100ms"}}, 1);
    EXPECT_NE(log.find("request 0 b"), std::string::npos);
    EXPECT_EQ(log.find("request 0 a"), std::string::npos);
}

TEST(Workload, A_site_that_has_nobody_to_ask_is_refused_and_thinks_again) {
    // The lender is trusted only after 50 ms.
    const Figures figures = run("phoenix", {}, {{"trust", "sparse"}, {"detect", "50ms"}, {"time", "1s"}});
    EXPECT_GT(figures.requests, figures.grants);
    EXPECT_GT(figures.grants, 50u);
    EXPECT_EQ(figures.max_concurrent, 1u);
}

TEST(Scale, A_hundred_thousand_sites_can_be_simulated) {
    const Figures figures =
        run("token-ring", {{"sites", "100000"}}, {{"time", "1s"}, {"latency", "1us"}, {"hold", "1us"}});
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_GT(figures.delivered, 100'000u);
}

TEST(Plan, What_makes_no_sense_is_told_in_one_line) {
    const auto refusal = [](const Parameters& parameters, const Parameters& flags) {
        const auto made = sim::make_simulation(protocol("raymond"), parameters, planned(flags));
        return made ? "" : made.error();
    };
    EXPECT_EQ(refusal({}, {{"crash", "3@1s"}}), "--crash 3@1s: the sites are 0 to 2");
    EXPECT_EQ(refusal({}, {{"warm-up", "10s"}}), "--warm-up 10s: write less than --time 10s");
    EXPECT_EQ(refusal({}, {{"leave", "1@1s"}}), "--leave: a site of raymond cannot leave");
    EXPECT_EQ(refusal({}, {{"trust", "anchor"}}), "--trust anchor: write --anchor SITE with it");
    EXPECT_EQ(refusal({}, {{"join", "2@1s"}}),
              "--join 2@1s: site 2 is a founder; write --founders 2 or less");
    EXPECT_EQ(refusal({{"loans", "2"}}, {}),
              "--loans 2: raymond has no such parameter; it takes --sites or --permits");
}

}  // namespace
