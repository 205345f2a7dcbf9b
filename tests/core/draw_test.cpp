#include "core/draw.hpp"

#include <gtest/gtest.h>
#include <set>

namespace allot {
namespace {

TEST(DrawTest, What_the_user_fixed_is_not_drawn) {
    Random random(1);
    for (int i = 0; i < 50; ++i) {
        Draw draw({{"sites", "9"}, {"crashes", "7"}, {"requests", "2,1"}}, random);
        EXPECT_EQ(draw.number("sites", 2, 5), 9u);
        EXPECT_EQ(draw.faults("crashes", 1), 7u);
        draw.requests(4);
        EXPECT_EQ(draw.parameters().at("requests"), "2,1");
        EXPECT_EQ(draw.parameters().at("crashes"), "7");
    }
}

TEST(DrawTest, Every_value_of_a_range_is_drawn_and_no_other) {
    Random random(1);
    std::set<std::uint32_t> sites;
    std::set<std::uint32_t> crashes;
    std::set<std::string> trust;
    for (int i = 0; i < 200; ++i) {
        Draw draw({}, random);
        sites.insert(draw.number("sites", 2, 4));
        crashes.insert(draw.faults("crashes", 2));
        trust.insert(draw.choice("trust", {"dense", "sparse"}));
    }
    EXPECT_EQ(sites, (std::set<std::uint32_t>{2, 3, 4}));
    EXPECT_EQ(crashes, (std::set<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(trust, (std::set<std::string>{"dense", "sparse"}));
}

TEST(DrawTest, A_parameter_is_drawn_once_and_a_fault_that_never_happens_is_left_out) {
    Random random(1);
    for (int i = 0; i < 50; ++i) {
        Draw draw({}, random);
        EXPECT_EQ(draw.number("sites", 2, 100), draw.number("sites", 2, 100));
        const bool cancels = draw.toggle("cancel");
        EXPECT_EQ(draw.parameters().contains("cancel"), cancels);
        EXPECT_EQ(draw.drawn().at("cancel"), cancels ? "on" : "off");
        EXPECT_EQ(draw.faults("lose", 0), 0u);
        EXPECT_FALSE(draw.parameters().contains("lose"));
    }
}

TEST(DrawTest, A_range_that_the_user_left_empty_gives_its_lower_end) {
    Random random(1);
    Draw draw({{"sites", "many"}}, random);
    EXPECT_EQ(draw.number("sites", 2, 5), 2u);
    EXPECT_EQ(draw.number("clients", 1, 0), 1u);
}

}  // namespace
}  // namespace allot
