#include "core/json.hpp"

#include <array>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "core/arbitrary_example.hpp"

namespace allot {
namespace {

using namespace reflect_example;

// The error of a merge into the full example, which must stay as it was.
std::string merge_error(const std::string& text) {
    Everything value = full_example();
    const auto error = merge_json(value, boost::json::parse(text));
    EXPECT_EQ(value, full_example()) << text;
    return error.value_or("no error");
}

Everything merged(const std::string& text) {
    Everything value = full_example();
    const auto error = merge_json(value, boost::json::parse(text));
    EXPECT_EQ(error, std::nullopt) << text;
    return value;
}

bool contains(const std::string& whole, const std::string& partial) {
    return json_contains(boost::json::parse(whole), boost::json::parse(partial));
}

TEST(JsonTest, The_full_example_reads_like_its_description) {
    EXPECT_EQ(
        json_text(to_json(full_example())),
        R"({"flag": true, "tiny": -5, "clock": 300, "balance": -1000000000000, )"
        R"("big": 18446744073709551615, "mood": "tired", "level": -7, "stamp": 2, "name": "db \"one\"", )"
        R"("asked": {"stamp": 1, "units": 2}, "ticket": [2, 9], "triple": [1, 2, 65535], )"
        R"("queue": [{"stamp": 2, "units": 1}, {"stamp": 1, "units": 4}], "bits": [true, false, true], )"
        R"("words": ["a", ""], "asks": [{"stamp": 1, "units": 1}, {"stamp": 2, "units": 0}], )"
        R"("named": {"gpu0": -1, "gpu1": 1}, "moods": [[1, "eager"], [2, "calm"]], "peers": [1, 5], )"
        R"("seen": [[0, 2], [7, 1]], "last": {"Ask": {"stamp": 2, "units": 3}}, )"
        R"("inbox": [{"Ping": {}}, {"Reply": {"stamps": [1, 2]}}, {"Ask": {"stamp": 0, "units": 0}}]})");
}

TEST(JsonTest, Nothing_is_null_and_empty_containers_are_empty) {
    const auto json = to_json(Everything{});
    EXPECT_TRUE(json.at("asked").is_null());
    EXPECT_EQ(json_text(json.at("queue")), "[]");
    EXPECT_EQ(json_text(json.at("named")), "{}");
}

TEST(JsonTest, An_enumerator_without_a_name_is_a_number) {
    EXPECT_EQ(json_text(to_json(static_cast<Mood>(1))), "1");
}

RC_GTEST_PROP(JsonTest, Every_value_survives, (const Everything& value)) {
    Everything back;
    RC_ASSERT(merge_json(back, to_json(value)) == std::nullopt);
    RC_ASSERT(back == value);
}

RC_GTEST_PROP(JsonTest, Every_value_survives_as_text, (const Message& value)) {
    Message back;
    RC_ASSERT(merge_json(back, boost::json::parse(json_text(to_json(value)))) == std::nullopt);
    RC_ASSERT(back == value);
}

RC_GTEST_PROP(JsonTest, Every_value_contains_itself, (const Everything& value)) {
    RC_ASSERT(json_contains(to_json(value), to_json(value)));
}

TEST(JsonMergeTest, Only_named_members_change) {
    Everything expected = full_example();
    expected.clock = 7;
    expected.asked->units = 5;
    EXPECT_EQ(merged(R"({"clock": 7, "asked": {"units": 5}})"), expected);
    EXPECT_EQ(merged("{}"), full_example());
}

TEST(JsonMergeTest, An_array_replaces_a_container_whole) {
    const Everything value = merged(
        R"({"queue": [{"units": 8}], "peers": [9, 3], "seen": [[4, 1]], "bits": [], "triple": [7, 8, 9]})");
    EXPECT_EQ(value.queue, (std::vector<Ask>{{Stamp(), 8}}));
    EXPECT_EQ(value.peers, (boost::container::flat_set<std::uint32_t>{3, 9}));
    EXPECT_EQ(value.seen, (boost::container::flat_map<std::uint32_t, Stamp>{{4, Stamp().next()}}));
    EXPECT_TRUE(value.bits.empty());
    EXPECT_EQ(value.triple, (std::array<std::uint16_t, 3>{7, 8, 9}));
}

TEST(JsonMergeTest, Replaced_parts_start_from_their_default) {
    std::array<Ask, 1> array{{{StampAccess::make(5), 6}}};
    EXPECT_EQ(merge_json(array, boost::json::parse(R"([{"units": 7}])")), std::nullopt);
    EXPECT_EQ(array, (std::array<Ask, 1>{{{Stamp(), 7}}}));
    std::pair<Ask, bool> pair{{StampAccess::make(5), 6}, false};
    EXPECT_EQ(merge_json(pair, boost::json::parse(R"([{"units": 7}, true])")), std::nullopt);
    EXPECT_EQ(pair, (std::pair<Ask, bool>{{Stamp(), 7}, true}));
}

TEST(JsonMergeTest, An_object_of_indices_changes_only_those_elements) {
    Everything expected = full_example();
    expected.queue[1].units = 9;
    expected.bits[0] = false;
    expected.triple[2] = 5;
    EXPECT_EQ(merged(R"({"queue": {"1": {"units": 9}}, "bits": {"0": false}, "triple": {"2": 5}})"),
              expected);
}

TEST(JsonMergeTest, A_map_with_string_keys_changes_only_those_keys) {
    EXPECT_EQ(merged(R"({"named": {"gpu1": 5, "new": 6}})").named,
              (std::map<std::string, std::int32_t>{{"gpu0", -1}, {"gpu1", 5}, {"new", 6}}));
}

TEST(JsonMergeTest, Null_empties_an_optional_and_a_value_fills_it_from_its_default) {
    EXPECT_EQ(merged(R"({"asked": null})").asked, std::nullopt);
    Everything empty;
    EXPECT_EQ(merge_json(empty, boost::json::parse(R"({"asked": {"units": 1}})")), std::nullopt);
    EXPECT_EQ(empty.asked, (Ask{Stamp(), 1}));
}

TEST(JsonMergeTest, The_same_kind_merges_and_another_starts_from_its_default) {
    EXPECT_EQ(merged(R"({"last": {"Ask": {"units": 8}}})").last, Message(Ask{StampAccess::make(2), 8}));
    EXPECT_EQ(merged(R"({"last": {"Reply": {}}})").last, Message(Server::Reply{}));
}

TEST(JsonMergeTest, Wrong_leaves_are_named_with_what_is_expected) {
    EXPECT_EQ(merge_error(R"({"clock": "x"})"),
              R"(state.clock: "x" is not a whole number from 0 to 4294967295)");
    EXPECT_EQ(merge_error(R"({"clock": -1})"), "state.clock: -1 is not a whole number from 0 to 4294967295");
    EXPECT_EQ(merge_error(R"({"clock": 4294967296})"),
              "state.clock: 4294967296 is not a whole number from 0 to 4294967295");
    EXPECT_EQ(merge_error(R"({"tiny": 1.5})"), "state.tiny: 1.5 is not a whole number from -128 to 127");
    EXPECT_EQ(merge_error(R"({"level": null})"),
              "state.level: null is not a whole number from -32768 to 32767");
    EXPECT_EQ(merge_error(R"({"stamp": -3})"),
              "state.stamp: -3 is not a whole number from 0 to 18446744073709551615");
    EXPECT_EQ(merge_error(R"({"flag": 1})"), "state.flag: 1 is not true or false");
    EXPECT_EQ(merge_error(R"({"name": [1, 2]})"), "state.name: [1, 2] is not a string");
    EXPECT_EQ(merge_error(R"({"mood": "angry"})"), R"(state.mood: "angry" is not one of calm, eager, tired)");
    EXPECT_EQ(merge_error(R"({"mood": 3})"), "state.mood: 3 is not one of calm, eager, tired");
}

TEST(JsonMergeTest, An_unknown_member_is_answered_with_those_there_are) {
    EXPECT_EQ(merge_error(R"({"asked": {"unit": 3}})"),
              R"(state.asked: "unit" is not a member; its members are stamp, units)");
    EXPECT_EQ(merge_error(R"({"last": {"Ping": {"x": 1}}})"),
              R"(state.last.Ping: "x" is not a member; it has no members)");
    EXPECT_EQ(merge_error(R"({"asked": 3})"),
              "state.asked: 3 is not an object; its members are stamp, units");
}

TEST(JsonMergeTest, Wrong_containers_are_named_with_what_is_expected) {
    EXPECT_EQ(merge_error(R"({"queue": 3})"), "state.queue: 3 is not an array, or an object of its indices");
    EXPECT_EQ(merge_error(R"({"triple": [1, 2]})"),
              "state.triple: [1, 2] is not an array of 3, or an object of its indices");
    EXPECT_EQ(merge_error(R"({"peers": {"0": 1}})"), R"(state.peers: {"0": 1} is not an array)");
    EXPECT_EQ(merge_error(R"({"named": []})"), "state.named: [] is not an object");
    EXPECT_EQ(merge_error(R"({"seen": {"0": 1}})"),
              R"(state.seen: {"0": 1} is not an array of [key, value])");
    EXPECT_EQ(merge_error(R"({"seen": [[1, 2], [3]]})"), "state.seen[1]: [3] is not [key, value]");
    EXPECT_EQ(merge_error(R"({"ticket": [1]})"), "state.ticket: [1] is not an array of 2");
}

TEST(JsonMergeTest, Wrong_elements_are_named_by_their_place) {
    EXPECT_EQ(merge_error(R"({"queue": [{}, {"units": true}]})"),
              "state.queue[1].units: true is not a whole number from 0 to 4294967295");
    EXPECT_EQ(merge_error(R"({"queue": {"0": {"units": true}}})"),
              "state.queue[0].units: true is not a whole number from 0 to 4294967295");
    EXPECT_EQ(merge_error(R"({"triple": [1, 2, 65536]})"),
              "state.triple[2]: 65536 is not a whole number from 0 to 65535");
    EXPECT_EQ(merge_error(R"({"ticket": [1, 256]})"),
              "state.ticket[1]: 256 is not a whole number from 0 to 255");
    EXPECT_EQ(merge_error(R"({"seen": [[1, 2], [3, "x"]]})"),
              R"(state.seen[1][1]: "x" is not a whole number from 0 to 18446744073709551615)");
    EXPECT_EQ(merge_error(R"({"named": {"gpu1": []}})"),
              "state.named.gpu1: [] is not a whole number from -2147483648 to 2147483647");
    EXPECT_EQ(merge_error(R"({"peers": [1, "x"]})"),
              R"(state.peers[1]: "x" is not a whole number from 0 to 4294967295)");
}

TEST(JsonMergeTest, A_wrong_index_is_answered_with_those_there_are) {
    EXPECT_EQ(merge_error(R"({"queue": {"2": {}}})"), R"(state.queue: "2" is not an index from 0 to 1)");
    EXPECT_EQ(merge_error(R"({"queue": {"01": {}}})"), R"(state.queue: "01" is not an index from 0 to 1)");
    EXPECT_EQ(merge_error(R"({"queue": {"-1": {}}})"), R"(state.queue: "-1" is not an index from 0 to 1)");
    EXPECT_EQ(merge_error(R"({"queue": {"": {}}})"), R"(state.queue: "" is not an index from 0 to 1)");
    Everything empty;
    EXPECT_EQ(merge_json(empty, boost::json::parse(R"({"queue": {"0": {}}})")),
              R"(state.queue: "0" is not an index: it is empty)");
}

TEST(JsonMergeTest, Twice_the_same_key_is_an_error) {
    EXPECT_EQ(merge_error(R"({"peers": [4, 4]})"), "state.peers[1]: 4 is there twice");
    EXPECT_EQ(merge_error(R"({"seen": [[4, 1], [4, 2]]})"), "state.seen[1]: 4 is a key twice");
}

TEST(JsonMergeTest, An_unknown_kind_is_answered_with_those_there_are) {
    EXPECT_EQ(merge_error(R"({"last": {"Pong": {}}})"),
              R"(state.last: "Pong" is not one of Ping, Ask, Reply)");
    EXPECT_EQ(merge_error(R"({"last": "Ping"})"),
              R"(state.last: "Ping" is not {"KIND": value} with KIND one of Ping, Ask, Reply)");
    EXPECT_EQ(merge_error(R"({"last": {"Ask": {"units": 1.0}}})"),
              "state.last.Ask.units: 1.0 is not a whole number from 0 to 4294967295");
}

TEST(JsonMergeTest, An_error_undoes_what_was_merged_before_it) {
    EXPECT_NE(merge_error(R"({"clock": 1, "queue": [], "flag": 2})"), "no error");
}

TEST(JsonMergeTest, The_caller_names_the_root) {
    Message message;
    EXPECT_EQ(merge_json(message, boost::json::parse("{}"), "message"),
              R"(message: {} is not {"KIND": value} with KIND one of Ping, Ask, Reply)");
}

TEST(JsonContainsTest, Named_members_must_agree_and_others_are_free) {
    EXPECT_TRUE(contains(R"({"a": 1, "b": {"c": 2, "d": 3}})", R"({"b": {"d": 3}})"));
    EXPECT_TRUE(contains(R"({"a": 1})", "{}"));
    EXPECT_FALSE(contains(R"({"a": 1, "b": {"c": 2}})", R"({"b": {"c": 3}})"));
    EXPECT_FALSE(contains(R"({"a": 1})", R"({"b": 1})"));
    EXPECT_FALSE(contains("1", "{}"));
    EXPECT_FALSE(contains(R"({"a": null})", R"({"a": {}})"));
}

TEST(JsonContainsTest, Everything_else_must_be_equal) {
    EXPECT_TRUE(contains("[1, 2]", "[1, 2]"));
    EXPECT_FALSE(contains("[1, 2]", "[1]"));
    EXPECT_FALSE(contains(R"([{"a": 1, "b": 2}])", R"([{"a": 1}])"));
    EXPECT_FALSE(contains(R"("1")", "1"));
    EXPECT_TRUE(contains(R"({"a": null})", R"({"a": null})"));
}

TEST(JsonContainsTest, Indices_name_elements) {
    EXPECT_TRUE(contains(R"([5, {"a": 1, "b": 2}])", R"({"1": {"a": 1}})"));
    EXPECT_FALSE(contains("[5, 6]", R"({"1": 5})"));
    EXPECT_FALSE(contains("[5, 6]", R"({"2": 5})"));
    EXPECT_FALSE(contains("[5, 6]", R"({"x": 5})"));
}

TEST(JsonContainsTest, Numbers_are_compared_by_value) {
    EXPECT_TRUE(json_contains(boost::json::value(std::uint64_t{3}), boost::json::value(std::int64_t{3})));
    EXPECT_FALSE(json_contains(boost::json::value(~std::uint64_t{0}), boost::json::value(std::int64_t{-1})));
    EXPECT_TRUE(json_contains(to_json(full_example()),
                              boost::json::parse(R"({"clock": 300, "triple": [1, 2, 65535]})")));
}

TEST(JsonTextTest, It_is_one_line_with_a_space_after_separators) {
    EXPECT_EQ(json_text(boost::json::parse(R"( {"a" :[1,-2,{}],"b":{"c":null,"d":"x\ny"},"e":[ ]} )")),
              R"({"a": [1, -2, {}], "b": {"c": null, "d": "x\ny"}, "e": []})");
}

TEST(JsonTextTest, Numbers_look_as_people_write_them_and_keep_their_kind) {
    EXPECT_EQ(json_text(boost::json::parse("[1, 1.0, -0.25, 1e300, 18446744073709551615]")),
              "[1, 1.0, -0.25, 1e+300, 18446744073709551615]");
    EXPECT_EQ(json_text(std::numeric_limits<double>::quiet_NaN()), "null");
}

}  // namespace
}  // namespace allot
