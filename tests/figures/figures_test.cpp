// The figures of the papers: what is measured, and what is written of it.

#include <algorithm>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdlib>
#include <gmock/gmock.h>
#include <set>
#include <sstream>

#include "figures/figure.hpp"
#include "figures/files.hpp"
#include "figures/measure.hpp"
#include "registry/registry.hpp"
#include "sim/simulation.hpp"

namespace allot::figures {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Runs in which everything is known before: after c crashes, seed s sees 10 c + s units in use.
Result<Runs> arithmetic(const Point& point) {
    return Runs([crashes = point.plan.crashes](std::uint64_t seed) {
        sim::Figures figures;
        figures.max_concurrent = 10 * crashes + seed;
        if (crashes == 13) figures.violations.push_back({"luck", "thirteen crashes", 0, seed});
        return figures;
    });
}

Figure small_figure() {
    const auto at = [](std::uint32_t x) {
        Point point{"arithmetic", {}, {}};
        point.plan.crashes = x;
        return point;
    };
    Figure figure;
    figure.name = "small";
    figure.title = "A small one";
    figure.x_label = "crashes";
    figure.y_label = "units";
    const auto most_in_use = [](const sim::Figures& run, std::uint32_t) {
        return static_cast<double>(run.max_concurrent);
    };
    figure.panels = {{"left", most_in_use}, {"right", most_in_use}};
    figure.xs = {0, 2};
    figure.series = {{"plain", 0, at}, {"a, \"b\" & 'c' <d>", 1, at}};
    return figure;
}

// Two numbers of the same runs, under one name, and x's that have names of their own.
Figure named_figure() {
    Figure figure = small_figure();
    figure.x_names = {"none", "some, or two"};
    figure.y_scale = Scale::logarithmic;
    figure.panels[1].value = [](const sim::Figures& run, std::uint32_t x) {
        return static_cast<double>(1000 * x + run.max_concurrent);
    };
    figure.series[1].name = figure.series[0].name;
    return figure;
}

Data measured(const Figure& figure, const Simulator& simulator, const Effort& effort) {
    auto data = measure(figure, simulator, effort);
    EXPECT_TRUE(data) << (data ? "" : data.error());
    return data ? std::move(*data) : Data{};
}

std::vector<int> minima(const Figure& figure, const Data& data, std::string_view name) {
    std::vector<int> row;
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        if (figure.series[i].name == name)
            for (const Cell& cell : data.cells[i]) row.push_back(static_cast<int>(cell.minimum));
    return row;
}

// Section 10 of the semaphore's specification, row by row.
TEST(Crashes, The_table_of_section_10_comes_out_of_the_simulator) {
    const auto found = find("crashes");
    ASSERT_TRUE(found);
    const Figure& figure = *found->front();
    const Data data = measured(figure, simulator_of(registry::protocol), {.seeds = 5});
    const auto row = [&](const char* name) { return minima(figure, data, name); };
    EXPECT_THAT(row("Raymond k=5"), ElementsAre(5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(row("published dense k=5"), ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 3, 2, 1));
    EXPECT_THAT(row("permits k=5"), ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 3, 2, 1));
    EXPECT_THAT(row("published sparse k=5"), ElementsAre(5, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 3, 2, 1, 0));
    EXPECT_THAT(row("permits sparse k=5"), ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 3, 2, 1));
    EXPECT_THAT(row("published dense k=1"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0));
    EXPECT_THAT(row("permits k=1"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(Figures, An_unknown_one_is_refused_with_those_there_are) {
    const auto figure = find("tea");
    ASSERT_FALSE(figure);
    EXPECT_EQ(
        figure.error(),
        "tea: no such figure; there is crashes, use-rate, waiting-by-load, waiting-by-size, "
        "convergence, pool-waiting, pool-messages, pool-pacing, neighborhood, broker-use, broker-waiting or "
        "broker-messages");
}

TEST(Figures, The_beginning_of_a_name_stands_for_all_that_share_it) {
    const auto found = find("waiting");
    ASSERT_TRUE(found);
    std::vector<std::string> names;
    for (const Figure* figure : *found) names.push_back(figure->name);
    EXPECT_THAT(names, ElementsAre("waiting-by-load", "waiting-by-size"));
    EXPECT_EQ(find("waiting-by-size")->size(), 1u);
    EXPECT_FALSE(find("wait"));
}

TEST(Figures, Every_series_belongs_to_a_panel_and_no_two_have_one_name) {
    for (const Figure& figure : all()) {
        std::set<std::string> names;
        for (const Series& series : figure.series) {
            EXPECT_LT(series.panel, figure.panels.size()) << series.name;
            EXPECT_TRUE(names.insert(full_name(figure, series)).second) << series.name;
        }
        EXPECT_TRUE(figure.x_names.empty() || figure.x_names.size() == figure.xs.size()) << figure.name;
    }
}

TEST(Measure, A_cell_has_minimum_mean_confidence_interval_and_maximum_over_the_seeds) {
    const Data data = measured(small_figure(), arithmetic, {.seeds = 3});
    const Cell& cell = data.cells[0][1];  // 21, 22, 23
    EXPECT_EQ(cell.minimum, 21);
    EXPECT_EQ(cell.mean, 22);
    EXPECT_DOUBLE_EQ(cell.half_width, sim::half_width({21, 22, 23}));
    EXPECT_EQ(cell.maximum, 23);
    EXPECT_EQ(data.seeds, 3u);
}

TEST(Measure, Seeds_begin_where_the_caller_says) {
    const Data data = measured(small_figure(), arithmetic, {.seeds = 2, .first_seed = 7});
    EXPECT_EQ(data.cells[0][1].minimum, 27);
    EXPECT_EQ(data.cells[0][1].maximum, 28);
}

TEST(Measure, The_number_of_threads_does_not_matter) {
    std::vector<std::string> texts;
    for (const unsigned threads : {1u, 2u, 7u}) {
        std::ostringstream csv;
        write_csv(csv, small_figure(),
                  measured(small_figure(), arithmetic, {.seeds = 2, .threads = threads}));
        texts.push_back(csv.str());
    }
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
}

TEST(Measure, Progress_is_told_after_every_point_and_equal_points_are_one) {
    std::vector<std::size_t> told;
    Effort effort;
    effort.on_progress = [&](std::size_t done, std::size_t points) {
        told.push_back(done);
        EXPECT_EQ(points, 2u);
    };
    measured(small_figure(), arithmetic, effort);
    EXPECT_THAT(told, ElementsAre(1, 2));
}

TEST(Measure, Panels_may_show_different_numbers_of_the_same_runs) {
    const Data data = measured(named_figure(), arithmetic, {.seeds = 3});
    EXPECT_EQ(data.cells[0][1].mean, 22);
    EXPECT_EQ(data.cells[1][1].mean, 2022);
}

TEST(Measure, Panels_that_differ_in_what_they_show_of_the_seeds_say_so_themselves) {
    Figure figure = small_figure();
    EXPECT_EQ(seeds_text(figure, 3), "mean of 3 seeds");
    figure.panels[0].statistic = Statistic::maximum;
    EXPECT_EQ(seeds_text(figure, 3), "3 seeds");
    figure.panels[1].statistic = Statistic::maximum;
    EXPECT_EQ(seeds_text(figure, 1), "maximum over 1 seed");
    EXPECT_EQ(drawn(figure, figure.series[1], {1, 2, 0.5, 3}), 3);
}

TEST(Measure, A_run_that_violates_a_property_gives_no_figure) {
    Figure figure = small_figure();
    figure.xs = {0, 13};
    const auto data = measure(figure, arithmetic, {});
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error(), "small, plain, crashes 13: seed 1 violates luck: thirteen crashes");
}

TEST(Measure, A_protocol_that_does_not_exist_is_named) {
    const auto data = measure(small_figure(), simulator_of(registry::protocol), {});
    ASSERT_FALSE(data);
    EXPECT_THAT(data.error(), HasSubstr("crashes 0: arithmetic: no such protocol"));
}

TEST(Csv, A_header_and_then_a_row_for_every_x) {
    std::ostringstream csv;
    write_csv(csv, small_figure(), measured(small_figure(), arithmetic, {.seeds = 1}));
    EXPECT_EQ(csv.str(),
              "crashes,plain minimum,plain mean,plain half width,plain maximum,"
              "\"a, \"\"b\"\" & 'c' <d> minimum\",\"a, \"\"b\"\" & 'c' <d> mean\","
              "\"a, \"\"b\"\" & 'c' <d> half width\",\"a, \"\"b\"\" & 'c' <d> maximum\"\n"
              "0,1,1,0,1,1,1,0,1\n"
              "2,21,21,0,21,21,21,0,21\n");
}

TEST(Csv, Names_of_panels_and_of_xs_stand_where_they_are_needed) {
    std::ostringstream csv;
    write_csv(csv, named_figure(), measured(named_figure(), arithmetic, {.seeds = 1}));
    EXPECT_EQ(csv.str(),
              "crashes,\"plain, left minimum\",\"plain, left mean\",\"plain, left half width\","
              "\"plain, left maximum\",\"plain, right minimum\",\"plain, right mean\","
              "\"plain, right half width\",\"plain, right maximum\"\n"
              "none,1,1,0,1,1,1,0,1\n"
              "\"some, or two\",21,21,0,21,2021,2021,0,2021\n");
}

// --- Pictures.

using boost::property_tree::ptree;

// An SVG, which must be well-formed XML.
struct Picture {
    explicit Picture(const Figure& figure, std::uint64_t seeds = 2) {
        const auto svg = draw_svg(figure, measured(figure, arithmetic, {.seeds = seeds}));
        EXPECT_TRUE(svg && *svg) << (svg ? "gnuplot is missing" : svg.error());
        if (!svg || !*svg) return;
        std::istringstream text(**svg);
        boost::property_tree::read_xml(text, tree);
        std::istringstream box(tree.get<std::string>("svg.<xmlattr>.viewBox"));
        double left = 0, top = 0;
        box >> left >> top >> width >> height;
        collect(tree);
    }

    // How often a text stands there by itself.
    long times(const std::string& text) const { return std::count(texts.begin(), texts.end(), text); }

    ptree tree;
    double width = 0;
    double height = 0;
    std::vector<std::string> texts;

private:
    void collect(const ptree& node) {
        for (const auto& [name, child] : node) {
            std::string text = child.data();
            text.erase(0, text.find_first_not_of(" \n\t"));
            text.erase(text.find_last_not_of(" \n\t") + 1);
            if (name == "text") texts.push_back(text);
            collect(child);
        }
    }
};

TEST(Picture, Is_well_formed_and_names_every_series_and_axis) {
    for (const Statistic statistic : {Statistic::minimum, Statistic::mean, Statistic::maximum}) {
        Figure figure = small_figure();
        figure.panels[0].statistic = statistic;
        const Picture picture(figure);
        for (const char* text : {"plain", "a, \"b\" & 'c' <d>", "A small one", "units", "left", "right"})
            EXPECT_EQ(picture.times(text), 1) << text;
        EXPECT_EQ(picture.times("crashes"), 2);  // below both panels
    }
}

TEST(Picture, Says_what_it_shows_of_the_seeds) {
    EXPECT_EQ(Picture(small_figure(), 3).times("mean of 3 seeds, with 95 % intervals"), 1);
    EXPECT_EQ(Picture(small_figure(), 1).times("mean of 1 seed"), 1);
}

TEST(Picture, Panels_with_the_same_curves_share_a_legend_and_xs_have_their_names) {
    const Picture picture(named_figure());
    EXPECT_EQ(picture.times("plain"), 1);
    EXPECT_EQ(picture.times("some, or two"), 2);
}

TEST(Picture, Four_panels_stand_two_by_two_and_each_row_has_its_y_label) {
    Figure figure = small_figure();
    const Series series = figure.series.front();
    figure.panels.resize(4, figure.panels.front());
    figure.series.clear();
    for (std::size_t panel = 0; panel < 4; ++panel) figure.series.push_back({"plain", panel, series.at});
    const Picture four(figure);
    const Picture two(small_figure());
    EXPECT_EQ(four.width, two.width);
    EXPECT_GT(four.height, 1.5 * two.height);
    EXPECT_EQ(four.times("units"), 2);
}

TEST(Picture, One_panel_keeps_its_y_label_and_long_numbers) {
    Figure figure = small_figure();
    figure.panels.pop_back();
    figure.series.pop_back();
    figure.panels[0].value = [](const sim::Figures&, std::uint32_t) { return 150'000; };
    const Picture picture(figure);
    EXPECT_EQ(picture.times("units"), 1);
    EXPECT_EQ(picture.times("100000"), 1);
    EXPECT_LT(picture.width, 1000);
}

// Between 21 and 32 there is no 1, 2 or 5 of a power of ten.
TEST(Picture, A_logarithmic_axis_has_ticks_however_close_its_values_are) {
    Figure figure = small_figure();
    figure.name = "small-one";
    figure.xs = {2, 3};
    figure.x_scale = figure.y_scale = Scale::logarithmic;
    figure.panels.pop_back();
    figure.series.pop_back();
    const Picture picture(figure);
    for (const char* tick : {"20", "30", "40", "50"}) EXPECT_EQ(picture.times(tick), 1) << tick;
}

TEST(Picture, Values_that_are_far_apart_get_a_logarithmic_axis_by_themselves) {
    Figure figure = small_figure();
    figure.y_scale = Scale::automatic;
    figure.panels.pop_back();
    figure.series.pop_back();
    EXPECT_EQ(Picture(figure).times("200"), 0);
    figure.xs = {0, 20};  // 1 to 202
    const Picture apart(figure);
    for (const char* tick : {"1", "2", "5", "10", "200", "500"}) EXPECT_EQ(apart.times(tick), 1) << tick;
}

TEST(Picture, Categories_are_bars_and_are_not_joined) {
    Figure figure = named_figure();
    figure.y_scale = Scale::linear;
    const Data data = measured(figure, arithmetic, {.seeds = 2});
    EXPECT_THAT(gnuplot_script(figure, data), HasSubstr("with linespoints"));
    figure.categories = true;
    EXPECT_THAT(gnuplot_script(figure, data), Not(HasSubstr("with linespoints")));
    EXPECT_THAT(gnuplot_script(figure, data), HasSubstr("with boxes title 'plain'"));
    EXPECT_EQ(Picture(figure).times("some, or two"), 2);
}

TEST(Picture, Labels_of_the_x_axis_that_would_overlap_are_left_out) {
    Figure figure = small_figure();
    figure.panels.pop_back();
    figure.series.pop_back();
    figure.xs = {0, 997, 998, 2000};
    const Picture picture(figure);
    EXPECT_EQ(picture.times("997"), 1);
    EXPECT_EQ(picture.times("998"), 0);
    EXPECT_EQ(picture.times("2000"), 1);
}

TEST(Picture, Many_long_names_fit_below_it) {
    Figure figure = small_figure();
    const auto at = figure.series.front().at;
    figure.series.clear();
    for (std::size_t panel = 0; panel < 2; ++panel)
        for (int i = 0; i < 10; ++i)
            figure.series.push_back({"control token, section " + std::to_string(i), panel, at});
    const auto svg = draw_svg(figure, measured(figure, arithmetic, {.seeds = 1}));
    ASSERT_TRUE(svg && *svg);
    EXPECT_THAT(**svg, Not(HasSubstr("d='M0.00,")));  // a line that the edge of the picture cuts
}

TEST(Picture, There_is_none_without_gnuplot) {
    const std::string usual = std::getenv("PATH");
    const Data data = measured(small_figure(), arithmetic, {});
    setenv("PATH", "/nowhere", 1);
    const auto svg = draw_svg(small_figure(), data);
    setenv("PATH", usual.c_str(), 1);
    ASSERT_TRUE(svg) << svg.error();
    EXPECT_FALSE(*svg);
}

}  // namespace
}  // namespace allot::figures
