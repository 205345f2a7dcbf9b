// Pictures of runs: what is recorded, and where it is drawn.
#include "view/picture.hpp"

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

#include "play/recorder.hpp"
#include "registry/registry.hpp"
#include "view/patch.hpp"
#include "view/run_page.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace allot::view {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// No picture depends on whether a site can be served, so it is not asked here: that takes long.
play::Recording recorded(const std::string& text, play::Window window = {.most_events = 10'000}) {
    const auto unservable = [](walk::Machine&, const walk::World&, SiteId) { return false; };
    const play::Player player(registry::protocols(), unservable);
    return play::record(player, "t.txt", text, window);
}

view::Run run_of(const std::string& text) {
    play::Recording recording = recorded(text);
    EXPECT_TRUE(recording.outcome.ok()) << recording.outcome.message;
    return std::move(recording.run);
}

std::vector<std::filesystem::path> all_scenarios() {
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::recursive_directory_iterator(ALLOT_SOURCE_DIR "/scenarios"))
        if (file.is_regular_file()) files.push_back(file.path());
    std::ranges::sort(files);
    return files;
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> labels_of(const view::Run& run) {
    std::vector<std::string> labels;
    for (const Event& event : run.events) labels.push_back(event.label);
    return labels;
}

const std::string two_sites = R"(# Two sites ask.
# The smaller number goes first.
protocol raymond sites=2 permits=1
request 0
request 1
settle
expect holding 0
)";

// --- What is recorded.

TEST(Recorder, A_run_has_the_steps_with_their_messages) {
    const view::Run run = run_of(two_sites);
    EXPECT_EQ(run.title, "Two sites ask. The smaller number goes first.");
    EXPECT_EQ(run.header, "protocol raymond sites=2 permits=1");
    EXPECT_THAT(labels_of(run), ElementsAre("request", "request", "Request", "Request", "Reply"));
    ASSERT_EQ(run.messages.size(), 3u);
    EXPECT_EQ(run.messages[0].kind, "Request");
    EXPECT_EQ(run.messages[0].sent, 0u);
    EXPECT_EQ(run.messages[0].ended, 2u);
    EXPECT_EQ(run.messages[0].fate, Fate::delivered);
    EXPECT_EQ(run.events[4].received, 2u);
    EXPECT_EQ(run.events[2].line, 6u);
    EXPECT_EQ(run.events[2].text, "deliver 0 -> 1 Request");
    ASSERT_EQ(run.events[4].changes.size(), 1u);
    EXPECT_EQ(run.events[4].changes[0].look, Look::holding);
    EXPECT_FALSE(run.verdict);
}

TEST(Recorder, What_vanishes_with_a_receiver_is_neither_delivered_nor_in_flight) {
    const view::Run run =
        run_of("protocol raymond sites=3 permits=1\nrequest 0\ncrash 1\nexpect waiting 0\n");
    ASSERT_EQ(run.messages.size(), 2u);
    EXPECT_EQ(run.messages[0].to, 1u);
    EXPECT_EQ(run.messages[0].fate, Fate::vanished);
    EXPECT_EQ(run.messages[0].ended, 1u);
    EXPECT_EQ(run.messages[1].fate, Fate::in_flight);
    EXPECT_EQ(run.events[1].mark, Mark::crash);
}

TEST(Recorder, A_message_that_is_lost_and_one_that_is_copied) {
    const view::Run run = run_of(
        "protocol raymond sites=3 permits=1 property=at-most-k\nrequest 0\nduplicate 0 -> 1 Request\n"
        "drop 0 -> 2 Request\ndeliver 0 -> 1\ndeliver 0 -> 1\nexpect in-flight 1 -> 0 2\n");
    ASSERT_EQ(run.messages.size(), 5u);
    EXPECT_EQ(run.messages[1].fate, Fate::lost);
    EXPECT_EQ(run.messages[1].ended, 2u);
    EXPECT_TRUE(run.messages[2].copied);
    EXPECT_EQ(run.messages[0].ended, 3u);
    EXPECT_EQ(run.messages[2].ended, 4u);
    EXPECT_THAT(labels_of(run),
                ElementsAre("request", "copy of Request", "Request lost", "Request", "Request"));
}

TEST(Recorder, A_message_put_by_hand_begins_there) {
    const view::Run run = run_of(
        "protocol raymond sites=2 permits=1 property=at-most-k\nput 0 -> 1 {\"Request\": {\"stamp\": 1}}\n"
        "deliver 0 -> 1\nexpect in-flight 1\n");
    ASSERT_EQ(run.messages.size(), 2u);
    EXPECT_EQ(run.messages[0].sent, 0u);
    EXPECT_EQ(run.messages[0].ended, 1u);
    EXPECT_EQ(run.events[0].mark, Mark::hand);
}

// The picture marks a violation at the step that violates the property.
TEST(Recorder, The_violation_is_at_its_step) {
    const std::string text =
        content_of(ALLOT_SOURCE_DIR "/scenarios/semaphore/host-permits-without-bound-all-seats.txt");
    const view::Run run = run_of(text);
    ASSERT_TRUE(run.verdict);
    EXPECT_EQ(run.verdict->property, "at-most-k");
    EXPECT_EQ(run.verdict->event, run.events.size() - 1);
    const view::Run stuck =
        run_of("protocol raymond sites=2 permits=1 crashes=1\nrequest 0\ncrash 1\nexpect stuck 0\n");
    ASSERT_TRUE(stuck.verdict);
    EXPECT_EQ(stuck.verdict->property, "deadlock");
    EXPECT_EQ(stuck.verdict->detail, "site 0 waits, and nothing more will happen");
    EXPECT_EQ(stuck.verdict->event, 1u);
}

TEST(Recorder, A_failed_expectation_leaves_the_run_until_there) {
    const play::Recording recording =
        recorded("protocol raymond sites=2 permits=1\nrequest 0\nexpect holding 0\nrequest 1\n");
    EXPECT_EQ(recording.outcome.exit_code, 1);
    EXPECT_EQ(recording.run.events.size(), 1u);
}

TEST(Recorder, The_log_of_a_simulation_tells_the_times) {
    const view::Run run = run_of(
        "protocol raymond sites=2 permits=1\nrequest 0  # 1.5ms: 0 is waiting\n"
        "deliver 0 -> 1 Request {\"stamp\": 1}  # 2ms\nexpect waiting 0\n");
    ASSERT_EQ(run.events.size(), 2u);
    EXPECT_EQ(run.events[0].time, "1.5ms");
    EXPECT_EQ(run.events[1].time, "2ms");
}

TEST(Recorder, Only_the_lines_of_the_window_are_kept) {
    const play::Recording part = recorded(two_sites, {.first_line = 5, .last_line = 5, .most_events = 10});
    ASSERT_EQ(part.run.events.size(), 1u);
    EXPECT_EQ(part.run.events[0].text, "request 1");
    EXPECT_EQ(part.run.lanes[0].look, Look::waiting);
    ASSERT_EQ(part.run.messages.size(), 2u);
    EXPECT_FALSE(part.run.messages[0].sent);
    EXPECT_EQ(part.run.messages[0].fate, Fate::in_flight);
    EXPECT_TRUE(recorded(two_sites, {.most_events = 2}).is_full);
}

// The changes of a run lead to the states that another recording finds there, in every scenario.
TEST(Recorder, States_change_by_their_patches_in_every_scenario) {
    std::size_t compared = 0;
    for (const auto& file : all_scenarios()) {
        const std::string text = content_of(file);
        const view::Run run = recorded(text).run;
        if (run.events.size() < 2) continue;
        const std::size_t line = run.events.back().line;
        const view::Run last = recorded(text, {.first_line = line, .most_events = 10'000}).run;
        std::vector<Lane> lanes = run.lanes;
        for (const Event& event : run.events) {
            if (event.line == line) break;
            for (const StateChange& change : event.states)
                lanes[change.site].state = patched(std::move(lanes[change.site].state), change.patch);
            for (const Change& change : event.changes) lanes[change.site].look = change.look;
        }
        ASSERT_EQ(lanes.size(), last.lanes.size()) << file;
        for (std::size_t site = 0; site < lanes.size(); ++site) {
            EXPECT_EQ(lanes[site].state, last.lanes[site].state) << file << ", site " << site;
            EXPECT_EQ(lanes[site].look, last.lanes[site].look) << file << ", site " << site;
        }
        ++compared;
    }
    EXPECT_GT(compared, 290u);
}

TEST(Patch, Names_the_places_that_changed) {
    const auto before = boost::json::parse(R"({"a": [1, {"b": 2}], "c": {"x": 1}, "d": [1]})");
    const auto after = boost::json::parse(R"({"a": [1, {"b": 3}], "c": {"y": 1}, "d": [1, 2]})");
    const auto patch = patch_between(before, after);
    EXPECT_EQ(patch, boost::json::parse(R"([[["a", 1, "b"], 3], [["c"], {"y": 1}], [["d"], [1, 2]]])"));
    EXPECT_EQ(patched(before, patch), after);
    EXPECT_TRUE(patch_between(after, after).empty());
}

// --- Where it is drawn.

// Returns what is wrong with the labels of a picture.
std::string misplaced(const Picture& picture) {
    const Box page{0, 0, picture.width, picture.height};
    for (std::size_t i = 0; i < picture.labels.size(); ++i) {
        const Label& label = picture.labels[i];
        if (!page.holds(label.box)) return "cut: " + label.text;
        for (std::size_t j = 0; j < i; ++j)
            if (label.box.meets(picture.labels[j].box))
                return label.text + " meets " + picture.labels[j].text;
    }
    return "";
}

TEST(Picture, No_label_of_any_scenario_meets_another_or_is_cut) {
    for (const auto& file : all_scenarios()) {
        const view::Run run = recorded(content_of(file)).run;
        for (const Direction direction : {Direction::down, Direction::right})
            EXPECT_EQ(misplaced(draw(run, direction)), "") << file << ", " << enum_name(direction);
    }
}

// A picture of four sites is legible in print: 16 cm for 720 units make 6.9 points of the smallest label.
TEST(Picture, Few_sites_fit_a_page) {
    for (const auto& file : all_scenarios()) {
        const view::Run run = recorded(content_of(file)).run;
        if (run.lanes.size() > 4) continue;
        EXPECT_LE(draw(run, Direction::down).width, 720) << file;
        EXPECT_LE(draw(run, Direction::right).width, 720) << file;
    }
}

TEST(Picture, Every_event_and_message_is_drawn) {
    const view::Run run = run_of(two_sites);
    for (const Direction direction : {Direction::down, Direction::right}) {
        const Picture picture = draw(run, direction);
        const auto arrows = std::ranges::count_if(picture.lines, [](const Line& line) { return line.arrow; });
        EXPECT_EQ(arrows, 3);
        const auto requests =
            std::ranges::count_if(picture.labels, [](const Label& label) { return label.text == "Request"; });
        EXPECT_EQ(requests, 2);
        EXPECT_TRUE(
            std::ranges::any_of(picture.bars, [](const Bar& bar) { return bar.look == Look::holding; }));
    }
}

TEST(Picture, The_violation_is_marked_and_told) {
    const view::Run run =
        run_of("protocol raymond sites=2 permits=1 crashes=1\nrequest 0\ncrash 1\nexpect stuck 0\n");
    const std::string down = svg(draw(run, Direction::down));
    EXPECT_THAT(down, HasSubstr("class=\"band\""));
    EXPECT_THAT(down, HasSubstr(">violates deadlock<"));
    EXPECT_THAT(svg(draw(run, Direction::right)), HasSubstr("class=\"verdict\""));
}

// Nothing of a scenario can become part of the file's structure.
TEST(Svg, Text_is_escaped) {
    view::Run run = run_of(two_sites);
    run.title = "<script>&\"\n\x1b";
    const std::string text = svg(draw(run, Direction::down));
    EXPECT_THAT(text, HasSubstr("&lt;script&gt;&amp;\""));
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// The data are JSON for the page, and cannot end the element that holds them.
TEST(RunPage, Holds_the_run_as_json) {
    view::Run run = run_of(two_sites);
    run.title = "</script><b>";
    const std::string page = run_page(run);
    EXPECT_THAT(page, HasSubstr("\"title\":\"\\u003c/script>\\u003cb>\""));
    EXPECT_THAT(page, HasSubstr("\"text\":\"deliver 0 -> 1 Request\""));
    EXPECT_THAT(page, testing::EndsWith("</html>\n"));
    const auto json = run_json(run).as_object();
    EXPECT_EQ(json.at("messages").as_array().size(), 3u);
    const auto& granted = json.at("events").as_array().at(4).as_object();
    EXPECT_EQ(granted.at("changes"), boost::json::parse(R"([[0, "holding", false]])"));
    EXPECT_EQ(granted.at("received"), 2);
    EXPECT_FALSE(granted.contains("note"));
}

TEST(Text, Lines_are_broken_between_words_and_lose_nothing) {
    const std::string text = "one two three averyveryverylongword four";
    const auto lines = wrapped(text, 10, 60);
    std::string together;
    for (const std::string& line : lines) {
        EXPECT_LE(text_width(line, 10), 60) << line;
        for (const char c : line)
            if (c != ' ') together += c;
    }
    EXPECT_EQ(together, "onetwothreeaveryveryverylongwordfour");
    EXPECT_THAT(wrapped("", 10, 60), ElementsAre());
    EXPECT_DOUBLE_EQ(text_width("AV", 10), 13.34);
}

}  // namespace
}  // namespace allot::view
