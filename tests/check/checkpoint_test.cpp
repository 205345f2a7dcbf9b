// Checkpoints: a check that resumes one ends like a check that was never stopped, and no other file is
// accepted.
#include "check/checkpoint.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <sstream>

#include "check/checker.hpp"
#include "registry/registry.hpp"

namespace allot::check {
namespace {

const Subject subject{"1.2.3", "protocol raymond"};

struct Checked {
    Result result;
    std::vector<std::string> checkpoints;  // the first, second, fourth, eighth and so on, and the last
};

Checked check_from(const std::string& protocol, const Parameters& parameters, unsigned threads,
                   const std::string& checkpoint, bool arbitrary = false) {
    const auto machine = walk::make_machine(*registry::protocol(protocol), parameters);
    Checked checked;
    Options options{.threads = threads, .subject = subject};
    options.from_anywhere = arbitrary;
    for (std::uint64_t seed = 1; arbitrary && seed <= 3; ++seed)
        options.starts.push_back((*machine)->arbitrary(seed, 1));
    options.on_checkpoint = [&, offered = 0u](bool last, WriteCheckpoint write) mutable {
        if (!std::has_single_bit(++offered) && !last) return;
        std::ostringstream out;
        write(out);
        checked.checkpoints.push_back(out.str());
    };
    std::istringstream in(checkpoint);
    if (!checkpoint.empty()) {
        EXPECT_EQ(checkpoint_error(in, subject), std::nullopt);
        EXPECT_EQ(CheckpointReader(in).number(), threads);
        options.resume = &in;
    }
    checked.result = check(**machine, options);
    return checked;
}

void expect_same_end_from_everywhere(const std::string& protocol, const Parameters& parameters,
                                     unsigned threads, bool arbitrary = false) {
    const Checked whole = check_from(protocol, parameters, threads, "", arbitrary);
    ASSERT_GT(whole.checkpoints.size(), 2u);
    for (const std::string& checkpoint : whole.checkpoints) {
        const Result resumed = check_from(protocol, parameters, threads, checkpoint, arbitrary).result;
        EXPECT_EQ(resumed.verdict, whole.result.verdict);
        EXPECT_EQ(resumed.states, whole.result.states);
        EXPECT_EQ(resumed.transitions, whole.result.transitions);
        EXPECT_EQ(resumed.depth, whole.result.depth);
        EXPECT_EQ(resumed.guesses, whole.result.guesses);
        EXPECT_EQ(resumed.checked, whole.result.checked);
    }
}

TEST(Checkpoint, A_resumed_check_ends_like_one_that_was_never_stopped) {
    const Parameters parameters{{"sites", "4"}, {"permits", "2"}};
    expect_same_end_from_everywhere("raymond", parameters, 1);
    expect_same_end_from_everywhere("raymond", parameters, 3);
}

TEST(Checkpoint, Monitors_faults_and_arbitrary_starts_are_in_it_too) {
    expect_same_end_from_everywhere("counters", {{"sites", "2"}, {"resources", "2"}, {"requests", "2"}}, 1);
    expect_same_end_from_everywhere("permits", {{"sites", "3"}, {"permits", "1"}, {"crashes", "1"}}, 2);
    expect_same_end_from_everywhere("tree-pool", {{"sites", "2"}, {"units", "1"}, {"requests", "any"}}, 1,
                                    true);
}

TEST(Checkpoint, A_machine_learns_the_states_and_messages_of_every_protocol) {
    for (const world::Entry& entry : registry::protocols()) {
        const auto machine = walk::make_machine(entry, {});
        check(**machine, {.memory_bytes = std::size_t{16} << 20});  // ends soon
        const std::string known = (*machine)->known();
        const auto fresh = walk::make_machine(entry, {});
        EXPECT_TRUE((*fresh)->learn(known)) << entry.name;
        EXPECT_EQ((*fresh)->known(), known) << entry.name;
        EXPECT_FALSE((*fresh)->learn(known.substr(0, known.size() - 1))) << entry.name;
    }
}

TEST(Checkpoint, A_counterexample_after_a_resumption_is_the_same) {
    const Parameters parameters{{"sites", "4"}, {"permits", "3"}, {"crashes", "3"}, {"full", "on"}};
    const Checked whole = check_from("raymond", parameters, 1, "");
    ASSERT_EQ(whole.result.verdict, Verdict::violated);
    ASSERT_FALSE(whole.checkpoints.empty());
    const Checked resumed = check_from("raymond", parameters, 1, whole.checkpoints.back());
    ASSERT_EQ(resumed.result.verdict, Verdict::violated);
    EXPECT_EQ(resumed.result.violations.at(0).property, whole.result.violations.at(0).property);
    EXPECT_EQ(resumed.result.violations.at(0).steps.size(), whole.result.violations.at(0).steps.size());
}

std::string error_of(const std::string& file, const Subject& wanted = subject) {
    std::istringstream in(file);
    return checkpoint_error(in, wanted).value_or("");
}

TEST(Checkpoint, Any_other_file_is_refused) {
    std::ostringstream out;
    CheckpointWriter writer(out, subject);
    writer.number(1);
    writer.text("something");
    writer.finish();
    const std::string good = out.str();
    EXPECT_EQ(error_of(good), "");
    EXPECT_EQ(error_of(good, {"1.2.4", subject.instance}),
              "another build wrote this checkpoint, 1.2.3, and this is 1.2.4; resume it with that build");
    EXPECT_EQ(error_of(good, {subject.program, "protocol permits"}),
              "this is a checkpoint of `protocol raymond`, not of `protocol permits`");
    for (const char* other : {"", "a", "protocol raymond sites=3 permits=1\n"})
        EXPECT_EQ(error_of(other), "this is no checkpoint; write one with --checkpoint");
    for (std::size_t length = 17; length < good.size(); ++length)
        EXPECT_EQ(error_of(good.substr(0, length)),
                  "this checkpoint is damaged or incomplete; begin again without --resume");
    for (std::size_t at = 17; at < good.size(); ++at) {
        std::string damaged = good;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        EXPECT_EQ(error_of(damaged),
                  "this checkpoint is damaged or incomplete; begin again without --resume");
    }
}

}  // namespace
}  // namespace allot::check
