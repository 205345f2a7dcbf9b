// Sweeps: which values a parameter lists, which parameter becomes which axis, and what is measured.

#include "figures/sweep.hpp"

#include <gmock/gmock.h>

namespace allot::figures {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> values(const std::string& name, const std::string& text) {
    const auto found = values_of(name, text);
    EXPECT_TRUE(found) << (found ? "" : found.error());
    return found ? *found : std::vector<std::string>{};
}

std::string refusal(const Parameters& given) {
    const auto sweep = sweep_of(given);
    EXPECT_FALSE(sweep);
    return sweep ? "" : sweep.error();
}

Sweep sweep(const Parameters& given) {
    const auto found = sweep_of(given);
    EXPECT_TRUE(found && *found);
    return found && *found ? **found : Sweep{};
}

TEST(Values, Commas_and_ranges_list_them) {
    EXPECT_THAT(values("sites", "4"), ElementsAre("4"));
    EXPECT_THAT(values("sites", "4,8,16"), ElementsAre("4", "8", "16"));
    EXPECT_THAT(values("sites", "1..4"), ElementsAre("1", "2", "3", "4"));
    EXPECT_THAT(values("sites", "0..20+5"), ElementsAre("0", "5", "10", "15", "20"));
    EXPECT_THAT(values("sites", "1..20*2"), ElementsAre("1", "2", "4", "8", "16"));
    EXPECT_THAT(values("sites", "1..3,8,10..20+10"), ElementsAre("1", "2", "3", "8", "10", "20"));
    EXPECT_THAT(values("links", "fifo,unordered"), ElementsAre("fifo", "unordered"));
}

TEST(Values, A_distribution_is_no_range) {
    EXPECT_THAT(values("latency", "uniform:1ms..2ms"), ElementsAre("uniform:1ms..2ms"));
    EXPECT_THAT(values("latency", "1ms,exponential:2ms"), ElementsAre("1ms", "exponential:2ms"));
}

TEST(Values, Commas_within_a_value_do_not_divide_it) {
    EXPECT_THAT(values("crash", "2@1s,3@2s"), ElementsAre("2@1s,3@2s"));
    EXPECT_THAT(values("requests", "1,2,1"), ElementsAre("1,2,1"));
    EXPECT_THAT(values("requests", "1..3"), ElementsAre("1", "2", "3"));
    EXPECT_THAT(values("graph", "edges:0-1,1-2"), ElementsAre("edges:0-1,1-2"));
    EXPECT_THAT(values("graph", "path:3,cycle:5"), ElementsAre("path:3", "cycle:5"));
    EXPECT_THAT(values("tree", "parents:-1,0,0"), ElementsAre("parents:-1,0,0"));
}

TEST(Values, Those_that_make_no_sense_are_refused) {
    EXPECT_EQ(values_of("sites", "4,4").error(), "--sites 4,4: 4 is there twice; write it once");
    EXPECT_EQ(values_of("sites", "1..101").error(), "--sites 1..101: write at most 100 values");
    for (const char* range : {"8..1", "3..3", "1..", "..4", "1..4*", "1..8+0", "1..8*1", "0..8*2"})
        EXPECT_THAT(values_of("sites", range).error(), HasSubstr(": write a range that ascends, as in 1..8"));
}

TEST(Axes, One_value_each_is_no_sweep) {
    const auto found = sweep_of({{"sites", "4"}, {"crash", "1@1s,2@2s"}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
}

TEST(Axes, Numbers_go_along_the_x_axis_and_words_make_curves) {
    const Sweep one = sweep({{"links", "fifo,unordered,own"}, {"sites", "8,4"}});
    EXPECT_EQ(one.x.name, "sites");
    EXPECT_THAT(one.x.values, ElementsAre("4", "8"));
    ASSERT_TRUE(one.curves);
    EXPECT_EQ(one.curves->name, "links");
    EXPECT_EQ(one.curve_count(), 3u);
}

TEST(Axes, Of_two_numbers_the_one_with_more_values_goes_along_the_x_axis) {
    EXPECT_EQ(sweep({{"permits", "1,2"}, {"sites", "4,8,16"}}).x.name, "sites");
    EXPECT_EQ(sweep({{"permits", "1..4"}, {"sites", "4,8,16"}}).x.name, "permits");
}

TEST(Axes, Three_are_too_many) {
    EXPECT_EQ(refusal({{"permits", "1,2"}, {"sites", "4,8"}, {"time", "1s,2s"}}),
              "--permits, --sites and --time: at most two may have several values; choose one value for the "
              "rest");
}

TEST(Axes, Each_place_has_its_own_parameters) {
    const Parameters given{{"permits", "1,2"}, {"sites", "4,8,16"}, {"hold", "1ms"}};
    EXPECT_EQ(parameters_at(sweep(given), given, 1, 2),
              (Parameters{{"permits", "2"}, {"sites", "16"}, {"hold", "1ms"}}));
}

Figure figure(const Parameters& given) {
    const Sweep one = sweep(given);
    std::vector<std::vector<Point>> points(one.curve_count());
    for (std::size_t curve = 0; curve < points.size(); ++curve)
        for (std::size_t x = 0; x < one.x.values.size(); ++x)
            points[curve].push_back({"raymond", parameters_at(one, given, curve, x), {}});
    return figure_of(one, "raymond", points);
}

TEST(SweepFigure, Numbers_that_grow_by_factors_have_a_logarithmic_axis) {
    EXPECT_EQ(figure({{"sites", "4,8,16"}}).x_scale, Scale::logarithmic);
    EXPECT_EQ(figure({{"sites", "4,8,12,16"}}).x_scale, Scale::linear);
}

TEST(SweepFigure, Times_keep_their_order_and_words_have_none) {
    EXPECT_FALSE(figure({{"hold", "1ms,2ms"}}).categories);
    EXPECT_TRUE(figure({{"links", "fifo,unordered"}}).categories);
    EXPECT_THAT(figure({{"links", "fifo,unordered"}}).x_names, ElementsAre("fifo", "unordered"));
}

TEST(SweepFigure, Every_panel_has_every_curve_with_its_points) {
    const Figure all = figure({{"permits", "1,2"}, {"sites", "4,8,16"}});
    ASSERT_EQ(all.series.size(), 2 * all.panels.size());
    EXPECT_EQ(all.series[1].name, "permits 2");
    EXPECT_EQ(all.series[1].at(8).parameters, (Parameters{{"permits", "2"}, {"sites", "8"}}));
    EXPECT_EQ(full_name(all, all.series[1]), "permits 2, use rate");
}

TEST(SweepFigure, A_single_curve_needs_no_name) {
    const Figure one = figure({{"sites", "4,8,16"}});
    EXPECT_EQ(full_name(one, one.series[0]), "use rate");
}

TEST(SweepFigure, The_picture_shows_four_of_the_panels) {
    const Figure all = figure({{"permits", "1,2"}, {"sites", "4,8,16"}});
    const Figure picture = picture_of(all);
    EXPECT_EQ(picture.panels.size(), 4u);
    EXPECT_EQ(picture.series.size(), 8u);
    EXPECT_EQ(picture.panels[0].title, all.panels[0].title);
}

}  // namespace
}  // namespace allot::figures
