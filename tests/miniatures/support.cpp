#include "miniatures/support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <utility>

#include "miniatures/entries.hpp"
#include "play/player.hpp"

namespace allot::miniatures {

namespace {

std::string told(const check::Result& result) {
    std::string text = "after " + std::to_string(result.states) + " states " + result.stopped_by;
    for (const auto& violation : result.violations)
        text += "\n" + violation.property + ": " + violation.detail;
    return text;
}

void expect_found(const check::Result& result, std::string_view property) {
    ASSERT_EQ(result.verdict, check::Verdict::violated) << told(result);
    const check::Violation& violation = result.violations.front();
    EXPECT_EQ(violation.property, property) << violation.detail;
    EXPECT_TRUE(violation.replayed);
    EXPECT_GT(violation.steps.size() + violation.cycle.size(), 0u);
}

}  // namespace

std::unique_ptr<walk::Machine> make(std::string_view protocol, const Parameters& parameters) {
    const auto all = entries();
    const auto entry =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == protocol; });
    if (entry == all.end()) throw std::invalid_argument("no miniature is called " + std::string(protocol));
    auto machine = walk::make_machine(*entry, parameters);
    if (!machine) throw std::invalid_argument(machine.error());
    return std::move(*machine);
}

check::Result judge(std::string_view protocol, const Parameters& parameters,
                    const std::vector<std::string>& properties) {
    Parameters all = parameters;
    for (const std::string& property : properties) {
        std::string& list = all["property"];
        list += (list.empty() ? "" : ",") + property;
    }
    return check::check(*make(protocol, all), {});
}

check::Result judge_from_anywhere(walk::Machine& machine, std::uint64_t seeds, std::uint32_t noise) {
    check::Options options;
    options.from_anywhere = true;
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
        options.starts.push_back(machine.arbitrary(seed, noise));
    return check::check(machine, options);
}

void expect_holds(const check::Result& result, std::uint64_t states) {
    EXPECT_EQ(result.verdict, check::Verdict::holds) << told(result);
    EXPECT_TRUE(result.unchecked.empty()) << result.unchecked.front() << " was not judged";
    EXPECT_EQ(result.states, states);
}

void expect_violated(walk::Machine& machine, const check::Result& result, std::string_view property) {
    expect_found(result, property);
    if (result.violations.empty()) return;
    const std::string text = check::scenario_of(machine, result.violations.front());
    const auto outcome = play::Player(entries()).play("counterexample", text);
    EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << text;
}

void expect_violated(std::string_view protocol, const Parameters& parameters, std::string_view property) {
    const auto machine = make(protocol, parameters);
    expect_violated(*machine, check::check(*machine, {}), property);
}

void expect_only_violated(std::string_view protocol, const Parameters& parameters,
                          std::string_view property) {
    Parameters all = parameters;
    all["property"] = property;
    expect_violated(protocol, all, property);
}

}  // namespace allot::miniatures
