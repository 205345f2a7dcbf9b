#include "sim/time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/figures.hpp"

namespace {

using namespace allot;
using namespace allot::sim;
using testing::HasSubstr;

TEST(Time, Is_written_with_a_unit) {
    EXPECT_EQ(*parse_time("time", "0.6ms"), 600 * microsecond);
    EXPECT_EQ(*parse_time("time", "20us"), 20 * microsecond);
    EXPECT_EQ(*parse_time("time", "7ns"), 7u);
    EXPECT_EQ(*parse_time("time", "2m"), 120 * second);
    EXPECT_EQ(*parse_time("time", "0"), 0u);
    for (const char* wrong : {"", "5", "-1s", "1 s", "fast", "nans", "1e30s"})
        EXPECT_FALSE(parse_time("time", wrong)) << wrong;
}

TEST(Distribution, Reads_what_it_writes) {
    for (const char* text : {"0.6ms", "10s", "uniform:0.2ms..1ms", "exponential:0.6ms", "0s"})
        EXPECT_EQ(Distribution::parse("think", text)->text(), text);
    for (const char* wrong : {"uniform:1ms", "exponential:", "normal:1ms", "x"})
        EXPECT_THAT(Distribution::parse("think", wrong).error(),
                    HasSubstr(std::string("--think ") + wrong + ": write a time"));
    EXPECT_EQ(Distribution::parse("think", "uniform:2ms..1ms").error(),
              "--think uniform:2ms..1ms: the shorter time comes first; write uniform:1ms..2ms");
}

struct Sample {
    double mean = 0;
    double variance = 0;
    Time smallest = ~Time{0};
    Time largest = 0;
};

Sample sample(const Distribution& distribution) {
    constexpr int draws = 200'000;
    Random random(7);
    Sample sample;
    double squares = 0;
    for (int i = 0; i < draws; ++i) {
        const Time drawn = distribution.draw(random);
        sample.mean += in_ms(drawn) / draws;
        squares += in_ms(drawn) * in_ms(drawn) / draws;
        sample.smallest = std::min(sample.smallest, drawn);
        sample.largest = std::max(sample.largest, drawn);
    }
    sample.variance = squares - sample.mean * sample.mean;
    return sample;
}

TEST(Distribution, A_constant_does_not_vary) {
    const Sample drawn = sample(Distribution::constant(600 * microsecond));
    EXPECT_EQ(drawn.smallest, 600 * microsecond);
    EXPECT_EQ(drawn.largest, 600 * microsecond);
}

TEST(Distribution, Uniform_draws_are_spread_between_the_ends) {
    const Sample drawn = sample(Distribution::uniform(millisecond, 3 * millisecond));
    EXPECT_GE(drawn.smallest, millisecond);
    EXPECT_LE(drawn.largest, 3 * millisecond);
    EXPECT_NEAR(drawn.mean, 2.0, 0.01);
    EXPECT_NEAR(drawn.variance, 4.0 / 12, 0.01);
}

TEST(Distribution, The_variance_of_exponential_draws_is_the_square_of_their_mean) {
    const Sample drawn = sample(Distribution::exponential(2 * millisecond));
    EXPECT_NEAR(drawn.mean, 2.0, 0.02);
    EXPECT_NEAR(drawn.variance, 4.0, 0.1);
}

TEST(Distribution, Half_of_all_exponential_draws_are_below_the_mean_times_the_logarithm_of_two) {
    Random random(3);
    const auto distribution = Distribution::exponential(1'000'000);
    int below = 0;
    for (int i = 0; i < 100'000; ++i) below += distribution.draw(random) < 693'147 ? 1 : 0;
    EXPECT_NEAR(below, 50'000, 500);
}

TEST(Distribution, No_draw_is_nothing) {
    Random random(1);
    for (const auto& distribution :
         {Distribution::constant(0), Distribution::uniform(0, 0), Distribution::exponential(0)})
        EXPECT_EQ(distribution.draw(random), 1u);
}

TEST(HoldTime, Reads_what_it_writes) {
    for (const char* text :
         {"sized:5ms..35ms", "sized:5ms..35ms~50%", "uniform:0.2ms..1ms", "exponential:0.6ms", "2ms"})
        EXPECT_EQ(HoldTime::parse("hold", text)->text(), text);
    for (const char* wrong : {"sized:5ms", "sized:5ms..35ms~", "sized:5ms..35ms~50", "sized:5ms..35ms~101%",
                              "sized:5ms..35ms~-1%", "sized:"})
        EXPECT_THAT(HoldTime::parse("hold", wrong).error(),
                    HasSubstr(std::string("--hold ") + wrong + ": write times for one unit and for all"));
    EXPECT_EQ(HoldTime::parse("hold", "sized:35ms..5ms").error(),
              "--hold sized:35ms..5ms: the shorter time comes first; write sized:5ms..35ms");
    EXPECT_THAT(HoldTime::parse("hold", "x").error(), HasSubstr("--hold x: write a time, as in 0.6ms"));
    EXPECT_FALSE(Distribution::parse("think", "sized:5ms..35ms"));
}

TEST(HoldTime, Grows_evenly_from_one_unit_to_all_of_them) {
    Random random(1);
    const SizedTime hold{5 * millisecond, 35 * millisecond, 0};
    EXPECT_EQ(hold.draw(random, 1, 31), 5 * millisecond);
    EXPECT_EQ(hold.draw(random, 11, 31), 15 * millisecond);
    EXPECT_EQ(hold.draw(random, 31, 31), 35 * millisecond);
    EXPECT_EQ(hold.draw(random, 99, 31), 35 * millisecond);
    EXPECT_EQ(hold.draw(random, 1, 1), 5 * millisecond);
}

// Multilock.md, section 8.1: min(35, 5 + 30 (x - 1) / (M - 1) U(0.5, 1.5)) ms.
TEST(HoldTime, Only_what_is_added_for_the_size_varies_and_never_beyond_the_upper_end) {
    Random random(1);
    const SizedTime hold{5 * millisecond, 35 * millisecond, 50};
    EXPECT_EQ(hold.draw(random, 1, 80), 5 * millisecond);
    for (const std::uint64_t size : {2u, 27u, 54u, 67u, 80u}) {
        const double usual = 30.0 * static_cast<double>(size - 1) / 79;
        Moments drawn;
        double least = 1e9, most = 0;
        for (int i = 0; i < 100'000; ++i) {
            const double time = in_ms(hold.draw(random, size, 80));
            drawn.add(time);
            least = std::min(least, time);
            most = std::max(most, time);
        }
        EXPECT_NEAR(least, 5 + usual / 2, 0.01);
        EXPECT_NEAR(most, std::min(35.0, 5 + 1.5 * usual), 0.01);
        EXPECT_NEAR(drawn.mean(), hold.mean(size, 80) / 1e6, 0.1);
    }
    EXPECT_NEAR(hold.mean(80, 80) / 1e6, 35 - 3.75, 1e-6);  // half of the draws are cut
}

}  // namespace
