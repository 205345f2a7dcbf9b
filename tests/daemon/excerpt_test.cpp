// A status that fits: nobody vanishes uncounted, and those who matter most are still there.
#include "daemon/excerpt.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/bytes.hpp"

namespace allot::daemon {
namespace {

using session::Party;
using session::ResourceStatus;
using session::Status;

constexpr std::size_t frame = std::size_t{1} << 20;

ResourceStatus busy(const std::string& name, std::size_t holders, std::size_t waiters,
                    std::size_t name_length) {
    const Party party{.host = "h1",
                      .user = "ann",
                      .command = std::string(200, 'c'),
                      .units = 2,
                      .wanted = std::vector<std::string>(8, std::string(name_length, 'n'))};
    return {.name = name,
            .kind = "semaphore",
            .capacity = 10'000,
            .holders = std::vector<Party>(holders, party),
            .waiters = std::vector<Party>(waiters, party)};
}

struct Sum {
    std::size_t resources = 0;
    std::size_t holders = 0;
    std::size_t units = 0;
    std::size_t waiters = 0;
    bool operator==(const Sum&) const = default;
};

Sum sum_of(const Status& status) {
    Sum sum{.resources = status.resources.size() + status.more_resources};
    for (const ResourceStatus& one : status.resources) {
        sum.holders += one.holders.size() + one.more_holders;
        sum.units += one.more_units;
        for (const Party& holder : one.holders) sum.units += holder.units;
        sum.waiters += one.waiters.size() + one.more_waiters;
    }
    return sum;
}

TEST(Excerpt, What_fits_is_left_as_it_is) {
    Status status{.host = "h1", .resources = {busy("builds", 3, 100, 10)}};
    EXPECT_EQ(excerpt(status, frame), status);
}

TEST(Excerpt, Thousands_who_hold_and_wait_are_counted_and_the_first_are_listed) {
    Status status{.host = "h1"};
    for (int i = 0; i < 50; ++i) status.resources.push_back(busy(fmt::format("r{}", i), 200, 3000, 100));
    const Sum before = sum_of(status);
    const Status cut = excerpt(status, frame);
    EXPECT_LE(to_bytes(cut).size(), frame);
    EXPECT_EQ(sum_of(cut), before);
    EXPECT_EQ(cut.more_resources, 0u);
    for (const ResourceStatus& one : cut.resources) EXPECT_GE(one.waiters.size(), 3u);
}

TEST(Excerpt, Resources_that_nobody_uses_go_first) {
    Status status{.host = "h1"};
    for (int i = 0; i < 30'000; ++i)
        status.resources.push_back({.name = fmt::format("idle{:05}", i), .kind = "lock", .place = "h1"});
    status.resources.push_back(busy("zebra", 1, 1, 10));
    const Status cut = excerpt(status, frame);
    EXPECT_LE(to_bytes(cut).size(), frame);
    EXPECT_EQ(sum_of(cut), sum_of(status));
    EXPECT_EQ(cut.resources.size(), 1000u);
    EXPECT_EQ(cut.resources.front().name, "zebra");
}

TEST(Excerpt, A_name_that_is_too_long_for_all_of_them_does_no_harm) {
    Status status{.host = "h1"};
    for (int i = 0; i < 900; ++i) status.resources.push_back(busy(std::string(4096, 'x'), 1, 1, 4096));
    const Status cut = excerpt(status, frame);
    EXPECT_LE(to_bytes(cut).size(), frame);
    EXPECT_EQ(cut.resources.size() + cut.more_resources, 900u);
    EXPECT_GT(cut.resources.size(), 100u);
}

TEST(Excerpt, So_do_the_links_of_a_large_cluster) {
    Status status{.host = "h1", .resources = {busy("builds", 1, 1, 10)}};
    for (int i = 0; i < 300; ++i)
        status.hosts.push_back({.name = fmt::format("h{}", i),
                                .state = "up",
                                .links = std::vector<session::LinkView>(
                                    299, {.to = "another host", .state = i == 7 ? "down" : "up"})});
    const Status cut = excerpt(status, frame);
    EXPECT_LE(to_bytes(cut).size(), frame);
    EXPECT_EQ(cut.hosts.size(), 300u);
    EXPECT_EQ(cut.hosts[7].links.size(), 299u);
    EXPECT_EQ(cut.resources.size(), 1u);
}

}  // namespace
}  // namespace allot::daemon
