// Devices by their labels: what is read, and what is chosen.
#include "protocols/broker/labels.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace allot::labels;

std::vector<Wish> wishes(std::string_view text) {
    const auto parsed = parse("device", text);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error());
    return parsed ? *parsed : std::vector<Wish>{};
}

Device board(const std::string& name, const std::string& arch) {
    return {.name = name, .kind = "board", .labels = {{"arch", arch}}};
}

// --- Reading.

TEST(Labels, Read_names_kinds_labels_and_counts) {
    const auto read = wishes("scope1,board:2,board[arch=arm64,ram=8G]:3,psu[out=24V]");
    ASSERT_EQ(read.size(), 4u);
    EXPECT_EQ(read[0], (Wish{.name = "scope1"}));
    EXPECT_EQ(read[1], (Wish{.name = "board", .is_kind = true, .count = 2}));
    EXPECT_EQ(
        read[2],
        (Wish{.name = "board", .is_kind = true, .labels = {{"arch", "arm64"}, {"ram", "8G"}}, .count = 3}));
    EXPECT_EQ(read[3], (Wish{.name = "psu", .is_kind = true, .labels = {{"out", "24V"}}}));
    EXPECT_EQ(read[2].text(), "board[arch=arm64,ram=8G]:3");
}

struct Bad {
    const char* text;
    const char* error;
};

class BadLabels : public testing::TestWithParam<Bad> {};

TEST_P(BadLabels, Are_refused_in_one_line) {
    const auto read = parse("device", GetParam().text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), std::string("--device ") + GetParam().text + ": " + GetParam().error);
}

constexpr const char* names = "write a device as in scope1, board:2 or board[arch=arm64]:2";
constexpr const char* labels = "write labels as in [arch=arm64] or [arch=arm64,ram=8G]";
constexpr const char* counts = "write a number from 1 to 64 after it, as in board:2";

INSTANTIATE_TEST_SUITE_P(
    Texts, BadLabels,
    testing::Values(Bad{"", names}, Bad{"scope1,", names}, Bad{"[arch=arm64]", names}, Bad{"a=b", names},
                    Bad{"my board", names}, Bad{"board[arch]:2", labels}, Bad{"board[]", labels},
                    Bad{"board[arch=arm64,]", labels}, Bad{"board[=arm64]", labels},
                    Bad{"board[arch=]", labels}, Bad{"board[a=b=c]", labels},
                    Bad{"board[arch=arm64", "the bracket is not closed; write ] after the labels"},
                    Bad{"board[arch=a,arch=b]", "label arch is there twice"}, Bad{"board:", counts},
                    Bad{"board:0", counts}, Bad{"board:65", counts}, Bad{"board:two", counts},
                    Bad{"board[arch=arm64]2", counts}, Bad{"board]", names},
                    Bad{"scope1,psu2,scope1", "device scope1 is there twice; name it once"},
                    Bad{"board:60,psu:5", "these are 65 devices; ask for at most 64 at once"}));

// --- Choosing.

TEST(Labels, Choose_devices_that_are_free_then_those_with_short_lines) {
    std::vector<Device> boards{board("b1", "arm64"), board("b2", "arm64"), board("b3", "arm64"),
                               board("b4", "x86")};
    boards[0].free = boards[1].free = false;
    boards[0].waiting = 1;
    const auto two = wishes("board[arch=arm64]:2");
    EXPECT_EQ(*choose(boards, two), (Choice{"b2", "b3"}));
    boards[1].waiting = 2;
    EXPECT_EQ(*choose(boards, two), (Choice{"b1", "b3"}));
    EXPECT_EQ(*choose(boards, wishes("board:1")), (Choice{"b3"}));
}

TEST(Labels, Choose_all_or_nothing) {
    std::vector<Device> boards{board("b1", "arm64"), board("b2", "arm64"), board("b3", "x86")};
    boards[1].in_service = false;
    const auto none = choose(boards, wishes("board[arch=arm64]:2"));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error(), "board[arch=arm64]:2: 1 device matches, and 1 is out of service");
    EXPECT_EQ(choose(boards, wishes("scope1")).error(), "there is no device scope1");
    EXPECT_EQ(choose(boards, wishes("b2")).error(), "b2: this device is out of service");
    EXPECT_EQ(choose(boards, wishes("b1,board[arch=arm64]:1")).error(),
              "board[arch=arm64]:1: 1 device matches, and 1 is out of service; other parts of the request "
              "need some of them");
}

// A greedy choice for each wish alone would give the only arm64 board to the first one.
TEST(Labels, Give_each_wish_a_device_of_its_own) {
    const std::vector<Device> boards{board("b1", "arm64"), board("b2", "x86")};
    EXPECT_EQ(*choose(boards, wishes("board:1,board[arch=arm64]:1")), (Choice{"b1", "b2"}));
    EXPECT_EQ(*choose(boards, wishes("board:1,b1")), (Choice{"b1", "b2"}));
}

TEST(Labels, Choose_again_only_what_is_free) {
    std::vector<Device> boards{board("b1", "arm64"), board("b2", "arm64"), board("b3", "arm64")};
    const auto two = wishes("board[arch=arm64]:2");
    for (Device& one : boards) one.free = false;
    const Choice now = *choose(boards, two);
    EXPECT_EQ(now, (Choice{"b1", "b2"}));
    boards[2].free = true;  // one of two is no reason to leave the lines
    EXPECT_EQ(choose_again(boards, two, now), std::nullopt);
    boards[1].free = true;
    EXPECT_EQ(choose_again(boards, two, now), (Choice{"b2", "b3"}));
    boards[0].free = true;  // what it waits for is free, too: the grant is on its way
    EXPECT_EQ(choose_again(boards, two, now), std::nullopt);
    boards[0].in_service = false;
    EXPECT_EQ(choose_again(boards, two, now), (Choice{"b2", "b3"}));
}

// --- Against brute force.

// How bad a set of devices is: those that are not free, and the lines of those.
std::pair<int, int> badness(const std::vector<Device>& devices, unsigned set) {
    std::pair<int, int> sum;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if ((set >> i & 1) != 0 && !devices[i].free) {
            ++sum.first;
            sum.second += static_cast<int>(devices[i].waiting);
        }
    return sum;
}

// Whether the devices of a set fulfil the units of all wishes, one each.
bool fulfils(const std::vector<Device>& devices, const std::vector<const Wish*>& units, unsigned set,
             std::size_t unit) {
    if (unit == units.size()) return set == 0;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if ((set >> i & 1) != 0 && units[unit]->matches(devices[i]) &&
            fulfils(devices, units, set & ~(1u << i), unit + 1))
            return true;
    return false;
}

TEST(Labels, Choose_as_well_as_any_choice) {
    std::mt19937 random(1);
    const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
    const char* const some[]{"board:1", "board:2", "board[arch=a]:1",      "board[arch=b]:2",
                             "d0",      "d1",      "board[arch=a,ram=b]:1"};
    std::size_t fulfilled = 0;
    for (int round = 0; round < 2000; ++round) {
        std::vector<Device> devices;
        for (unsigned i = 0; i < 6; ++i)
            devices.push_back(
                {.name = "d" + std::to_string(i),
                 .kind = below(4) == 0 ? "psu" : "board",
                 .labels = {{"arch", below(2) == 0 ? "a" : "b"}, {"ram", below(2) == 0 ? "a" : "b"}},
                 .in_service = below(6) > 0,
                 .free = below(2) == 0,
                 .waiting = below(4)});
        std::string text = some[below(7)];
        if (const std::string other = some[below(7)]; other != text) text += "," + other;
        const std::vector<Wish> wanted = wishes(text);
        std::vector<const Wish*> units;
        for (const Wish& wish : wanted) units.insert(units.end(), wish.count, &wish);
        unsigned serving = 0;
        for (unsigned i = 0; i < devices.size(); ++i) serving |= devices[i].in_service ? 1u << i : 0;
        std::optional<std::pair<int, int>> best;
        for (unsigned set = 0; set < 64; ++set)
            if ((set & ~serving) == 0 && fulfils(devices, units, set, 0))
                best = best ? std::min(*best, badness(devices, set)) : badness(devices, set);
        const auto chosen = choose(devices, wanted);
        ASSERT_EQ(static_cast<bool>(chosen), best.has_value()) << text;
        if (!best) continue;
        ++fulfilled;
        unsigned set = 0;
        for (unsigned i = 0; i < devices.size(); ++i) set |= chosen->contains(devices[i].name) ? 1u << i : 0;
        EXPECT_TRUE(fulfils(devices, units, set, 0)) << text;
        EXPECT_EQ(badness(devices, set), *best) << text;
    }
    EXPECT_GT(fulfilled, 500u);
}

}  // namespace
