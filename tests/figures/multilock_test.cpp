// The experiment on several locks against what multilock.md, section 8.2, measured of it.
//
// All rows take most of a minute, so without ALLOT_FULL_TABLE in the environment (the soak sets it) only a
// few are tried.

#include "figures/multilock.hpp"

#include <cstdlib>
#include <gmock/gmock.h>

#include "figures/measure.hpp"
#include "registry/registry.hpp"
#include "sim/simulation.hpp"

namespace allot::figures {
namespace {

using multilock::Contestant;

struct Expected {
    double use_percent = 0;
    double waiting_ms = 0;
};

struct Row {
    double rho = 0;
    std::uint32_t phi = 0;
    std::vector<Expected> columns;  // in the order of the section
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << "rho " << row.rho << ", phi " << row.phi;
}

const Contestant& contestant(std::string_view name) {
    return *std::ranges::find(multilock::all_contestants(), name, &Contestant::name);
}

const std::vector<std::string> columns{
    "ideal",    "incremental",     "control token, pass", "control token, section",
    "counters", "counters, loans", "counters, improved"};

// clang-format off
const std::vector<Row> table{
    {0.1,  1, {{30.2, 1.1}, {22.6,  3.3}, {10.4, 13.6}, { 1.0, 186}, {19.3,  4.8}, {19.3,  4.8}, {24.3,  2.7}}},
    {0.1,  2, {{38.2, 2.5}, {25.2,  6.8}, {16.4, 13.4}, { 1.5, 201}, {24.8,  6.9}, {24.9,  6.9}, {30.6,  4.5}}},
    {0.1,  4, {{43.0, 7.2}, {18.7, 24.5}, {20.4, 22.0}, { 2.5, 224}, {22.5, 19.2}, {24.3, 17.2}, {28.8, 13.7}}},
    {0.1,  8, {{40.3,  23}, {11.0,  100}, {15.1,   74}, { 4.8, 254}, {16.5,   66}, {18.1,   59}, {18.7,   58}}},
    {0.1, 16, {{33.9,  78}, { 7.7,  290}, {16.1,  179}, { 9.6, 299}, {16.4,  170}, {16.8,  164}, {17.1,  167}}},
    {0.1, 20, {{31.3, 120}, { 7.4,  361}, {18.0,  225}, {12.3, 324}, {18.0,  222}, {18.3,  203}, {18.5,  209}}},
    {0.1, 48, {{42.5, 395}, { 9.4,  841}, {36.4,  424}, {32.4, 479}, {36.5,  421}, {37.1,  430}, {37.0,  431}}},
    {0.1, 80, {{65.1, 557}, {12.9, 1225}, {60.9,  612}, {56.9, 656}, {60.4,  604}, {59.7,  590}, {61.4,  616}}},
    {5,    1, {{ 6.0, 0.2}, { 5.7,  2.5}, { 5.5,  3.6}, { 1.0, 158}, { 5.4,  4.2}, { 5.4,  4.2}, { 5.7,  1.9}}},
    {5,    4, {{15.3, 1.4}, {12.4,  9.8}, {13.6,  6.0}, { 2.5, 193}, {13.2,  7.3}, {13.1,  7.2}, {14.5,  3.8}}},
    {5,    8, {{25.3, 7.2}, {10.8,   72}, {15.3,   39}, { 4.7, 220}, {16.6,   32}, {17.3,   30}, {18.6,   25}}},
    {5,   20, {{29.1,  85}, { 7.1,  400}, {18.0,  175}, {12.4, 280}, {18.0,  170}, {18.3,  167}, {18.7,  167}}},
    {5,   80, {{64.7, 455}, {12.1, 1050}, {61.4,  516}, {57.0, 562}, {61.7,  519}, {61.1,  511}, {60.6,  506}}},
};
// clang-format on

std::vector<Row> rows_to_try() {
    if (std::getenv("ALLOT_FULL_TABLE") != nullptr) return table;
    std::vector<Row> few;
    for (const Row& row : table)
        if (row.rho == multilock::high_load && (row.phi == 1 || row.phi == 4 || row.phi == 80))
            few.push_back(row);
    return few;
}

using Numbers = std::vector<std::function<double(const sim::Figures&)>>;

// By number, then by contestant: the mean over the seeds.
std::vector<std::vector<double>> measured(const std::vector<std::string>& names, std::uint32_t phi,
                                          double rho, const Numbers& numbers, std::uint64_t seeds) {
    Figure figure;
    figure.xs = {phi};
    for (const auto& number : numbers) {
        for (const std::string& name : names)
            figure.series.push_back({name, figure.panels.size(), [&name, rho](std::uint32_t x) {
                                         return multilock::experiment(contestant(name), x, rho);
                                     }});
        figure.panels.push_back(
            {"", [&number](const sim::Figures& run, std::uint32_t) { return number(run); }});
    }
    const auto data = measure(figure, simulator_of(registry::protocol), {.seeds = seeds});
    std::vector<std::vector<double>> means(numbers.size(), std::vector<double>(names.size()));
    EXPECT_TRUE(data) << (data ? "" : data.error());
    if (!data) return means;
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        means[i / names.size()][i % names.size()] = data->cells[i].front().mean;
    return means;
}

double use_percent(const sim::Figures& run) {
    return 100 * run.use_rate;
}
double mean_waiting(const sim::Figures& run) {
    return run.waiting_ms.mean;
}

class MultilockTable : public testing::TestWithParam<Row> {};

// Where the section's waiting times differ by less, they differ by no more than the means of other seeds do.
constexpr double noise = 1.1;

TEST_P(MultilockTable, Use_rates_are_within_two_points_and_waiting_times_in_order) {
    const Row& row = GetParam();
    const std::uint64_t seeds = row.phi < 16 ? 3 : 5;  // larger requests are fewer, and scatter more
    const auto means = measured(columns, row.phi, row.rho, {use_percent, mean_waiting}, seeds);
    for (std::size_t a = 0; a < columns.size(); ++a) {
        EXPECT_NEAR(means[0][a], row.columns[a].use_percent, 2) << columns[a];
        for (std::size_t b = 0; b < columns.size(); ++b) {
            if (row.columns[b].waiting_ms <= noise * row.columns[a].waiting_ms) continue;
            EXPECT_LT(means[1][a], means[1][b]) << columns[a] << " before " << columns[b];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Section_8_2, MultilockTable, testing::ValuesIn(rows_to_try()));

TEST(MultilockExperiment, Of_the_readings_of_the_control_token_hold_and_lock_lie_between_the_others) {
    const std::vector<std::string> readings{"control token, hold", "control token, lock"};
    const Row high{0.1, 4, {{11.1, 46}, {8.1, 65}}};
    const Row medium{5, 4, {{11.2, 14.6}, {8.2, 34.5}}};
    for (const Row& row : {high, medium}) {
        const auto means = measured(readings, row.phi, row.rho, {use_percent, mean_waiting}, 5);
        for (std::size_t i = 0; i < readings.size(); ++i) {
            EXPECT_NEAR(means[0][i], row.columns[i].use_percent, 1) << readings[i];
            EXPECT_NEAR(means[1][i], row.columns[i].waiting_ms, 0.1 * row.columns[i].waiting_ms)
                << readings[i];
        }
    }
}

TEST(MultilockExperiment, One_request_of_a_hundred_waits_as_long_as_the_section_says) {
    const std::vector<std::string> names{"ideal", "counters", "counters, loans", "counters, improved",
                                         "control token, pass"};
    const std::vector<double> expected{48, 206, 150, 56, 58};
    const auto p99 = [](const sim::Figures& run) { return run.waiting_ms.p99; };
    const auto means = measured(names, 4, multilock::high_load, {p99}, 3);
    for (std::size_t i = 0; i < names.size(); ++i)
        EXPECT_NEAR(means[0][i], expected[i], 0.1 * expected[i]) << names[i];
}

// For large requests the section divides by the requests made after the first second, allot by all granted
// since: only where waiting is short are both the same.
TEST(MultilockExperiment, Messages_per_grant_are_those_of_the_section) {
    const std::vector<std::string> names{"incremental", "control token, pass", "counters",
                                         "counters, improved"};
    const auto messages = [](const sim::Figures& run) { return run.messages_per_grant; };
    for (const auto& [phi, expected] : std::map<std::uint32_t, std::vector<double>>{
             {1, {4.0, 4.7, 6.9, 3.8}}, {4, {10.0, 7.4, 18.3, 14.2}}}) {
        const auto means = measured(names, phi, multilock::high_load, {messages}, 1);
        for (std::size_t i = 0; i < names.size(); ++i)
            EXPECT_NEAR(means[0][i], expected[i], 0.04 * expected[i]) << names[i] << " at " << phi;
    }
}

}  // namespace
}  // namespace allot::figures
