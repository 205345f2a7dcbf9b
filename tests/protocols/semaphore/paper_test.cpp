// What the paper and its repaired specification (semaphore.md) say about both protocols in numbers, measured
// by the simulator. Each test names the section it checks.
#include <gtest/gtest.h>
#include <map>

#include "registry/registry.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace allot;

// Instance and plan by their flags.
sim::Figures run(std::string_view protocol, const Parameters& instance, Parameters flags,
                 std::uint64_t seed = 1) {
    const auto plan = sim::take_plan(flags);
    EXPECT_TRUE(plan && flags.empty()) << (plan ? "" : plan.error());
    auto made = sim::make_simulation(*registry::protocol(protocol), instance, *plan);
    EXPECT_TRUE(made) << (made ? "" : made.error());
    sim::Figures figures = (*made)->run(seed);
    EXPECT_TRUE(figures.violations.empty()) << figures.violations[0].detail;
    return figures;
}

std::map<std::string, std::uint64_t> by_kind(const sim::Figures& figures) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [kind, messages] : figures.messages_by_kind) counts[kind] = messages;
    return counts;
}

Parameters instance(std::string_view protocol, std::uint32_t sites, std::uint32_t permits) {
    Parameters parameters{{"sites", std::to_string(sites)}, {"permits", std::to_string(permits)}};
    if (protocol == "permits") parameters["start-up"] = "off";
    return parameters;
}

// `first` for site 0, then `other` for the others.
std::string requests(std::uint32_t sites, const std::string& first, const std::string& other) {
    std::string list = first;
    for (std::uint32_t site = 1; site < sites; ++site) list += "," + other;
    return list;
}

class Semaphore : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Both, Semaphore, testing::Values("raymond", "permits"));

TEST_P(Semaphore, Section_10_an_isolated_request_costs_two_messages_for_each_other_site) {
    for (const std::uint32_t sites : {2u, 15u, 40u}) {
        const auto figures =
            run(GetParam(), instance(GetParam(), sites, 1), {{"requests", requests(sites, "1", "0")}});
        EXPECT_EQ(figures.grants, 1u);
        EXPECT_EQ(figures.messages, 2 * (sites - 1));
        EXPECT_EQ(figures.delivered, 2 * (sites - 1));
    }
}

// k - 1 campers hold for ever and answer nobody; one site comes and goes.
TEST_P(Semaphore, Section_10_beside_campers_an_entry_costs_N_minus_1_and_N_minus_k_messages) {
    struct Row {
        std::uint32_t sites, permits, messages;
    };
    for (const Row row : {Row{15, 5, 24}, Row{15, 1, 28}, Row{10, 3, 16}, Row{4, 2, 5}, Row{5, 5, 4}}) {
        std::string campers = "none";
        std::string asks = row.permits == 1 ? "any" : "1";
        for (std::uint32_t site = 0; site + 1 < row.permits; ++site)
            campers = site == 0 ? "0" : campers + "," + std::to_string(site);
        for (std::uint32_t site = 1; site < row.sites; ++site)
            asks += site + 1 < row.permits ? ",1" : site + 1 == row.permits ? ",any" : ",0";
        // All ask first at 100 ms, so the campers are in long before the warm-up ends, between two entries.
        const auto figures = run(GetParam(), instance(GetParam(), row.sites, row.permits),
                                 {{"campers", campers},
                                  {"requests", asks},
                                  {"think", "100ms"},
                                  {"hold", "1ms"},
                                  {"latency", "1ms"},
                                  {"warm-up", "150ms"},
                                  {"time", "1.15s"}});
        EXPECT_GE(figures.grants, 9u);
        EXPECT_EQ(figures.messages, figures.grants * row.messages)
            << row.sites << " sites, " << row.permits << " permits";
        EXPECT_EQ(figures.max_concurrent, row.permits);
    }
}

const Parameters saturated{{"think", "exponential:0.1ms"}, {"latency", "exponential:0.6ms"}};

TEST(RaymondSimulated, Section_10_every_crash_costs_a_permit) {
    for (std::uint32_t crashes = 0; crashes <= 7; ++crashes)
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            Parameters flags = saturated;
            flags.merge(Parameters{{"crashes", std::to_string(crashes)}, {"time", "4s"}, {"warm-up", "3s"}});
            const auto figures = run("raymond", {{"sites", "15"}, {"permits", "5"}}, flags, seed);
            EXPECT_EQ(figures.max_concurrent, crashes < 5 ? 5 - crashes : 0) << crashes << " crashes";
            EXPECT_EQ(figures.unserved, crashes < 5 ? 0 : 15 - crashes);
        }
}

TEST(PermitsSimulated, Section_10_after_c_crashes_min_of_k_and_N_minus_c_units_are_in_use) {
    for (const char* trust : {"dense", "sparse"})
        for (const std::uint32_t crashes : {0u, 4u, 10u, 11u, 14u}) {
            Parameters flags = saturated;
            flags.merge(Parameters{{"trust", trust},
                                   {"anchor", "0"},
                                   {"crashes", std::to_string(crashes)},
                                   {"time", "3s"},
                                   {"warm-up", "2s"}});
            const auto figures = run("permits", {{"sites", "15"}, {"permits", "5"}}, flags);
            EXPECT_EQ(figures.max_concurrent, std::min(5u, 15 - crashes)) << crashes << " crashes, " << trust;
            EXPECT_EQ(figures.unserved, 0u);
        }
}

TEST(PermitsSimulated, Section_10_a_site_that_starts_sends_INIT_to_all_and_one_ACK_for_each_INIT) {
    for (const std::uint32_t sites : {2u, 5u, 15u}) {
        const auto figures = run("permits", {{"sites", std::to_string(sites)}}, {{"requests", "0"}});
        EXPECT_EQ(by_kind(figures).at("Init"), sites * (sites - 1));
        EXPECT_EQ(by_kind(figures).at("Ack"), sites * (sites - 1));
    }
}

// 12 for five sites, 182 for fifteen: every survivor tells every other survivor once.
TEST(PermitsSimulated, Section_10_one_crash_costs_N_minus_1_times_N_minus_2_messages) {
    for (const std::uint32_t sites : {2u, 5u, 15u}) {
        const auto figures = run("permits", instance("permits", sites, 1),
                                 {{"requests", "0"}, {"crash", "1@1s"}, {"trust", "dense"}, {"anchor", "0"}});
        EXPECT_EQ(figures.messages, (sites - 1) * (sites - 2));
    }
}

TEST(PermitsSimulated, Section_10_the_known_dead_are_not_asked) {
    const auto figures = run("permits", instance("permits", 6, 1),
                             {{"requests", requests(6, "any", "0")},
                              {"crash", "1@10ms,2@20ms"},
                              {"think", "100ms"},
                              {"hold", "1ms"},
                              {"latency", "1ms"},
                              {"warm-up", "150ms"},
                              {"anchor", "0"},
                              {"time", "1.15s"}});
    EXPECT_GE(figures.grants, 9u);
    EXPECT_EQ(by_kind(figures).at("Request"), figures.grants * 3);
    EXPECT_EQ(by_kind(figures).at("Reply"), figures.grants * 3);
}

// Erratum 16: as published, who detects a crash does not apply it to itself.
TEST(PermitsPublishedSimulated, Section_10_with_one_permit_nobody_is_served_after_the_last_crash) {
    Parameters flags = saturated;
    flags.merge(Parameters{{"crashes", "14"}, {"anchor", "0"}, {"time", "4s"}, {"warm-up", "3s"}});
    const Parameters atomic{{"sites", "15"}, {"permits", "1"}, {"with", "stamp-first,send-at-once"}};
    EXPECT_EQ(run("permits-published", atomic, flags).max_concurrent, 0u);
    EXPECT_EQ(run("permits", {{"sites", "15"}, {"permits", "1"}}, flags).max_concurrent, 1u);
}

}  // namespace
