#include "daemon/settings_text.hpp"

#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

using agreement::Settings;

Settings with_builds(std::uint32_t permits, std::uint32_t max_request) {
    Settings settings;
    settings.semaphores["builds"] = {permits, max_request};
    return settings;
}

std::string why_not(const std::string& change) {
    const auto settings = changed(with_builds(3, 3), {change});
    return settings ? "" : settings.error();
}

TEST(SettingsText, A_request_may_be_as_large_as_the_semaphore_unless_it_was_limited) {
    EXPECT_EQ(*changed(with_builds(3, 3), {"builds=5"}), with_builds(5, 5));
    EXPECT_EQ(*changed(with_builds(3, 2), {"builds=5"}), with_builds(5, 2));
    EXPECT_EQ(*changed(with_builds(3, 2), {"builds=1"}), with_builds(1, 1));
    EXPECT_EQ(*changed(with_builds(3, 3), {"builds=5", "builds.max_request=4"}), with_builds(5, 4));
}

TEST(SettingsText, A_semaphore_with_no_permits_is_removed) {
    EXPECT_EQ(*changed(with_builds(3, 3), {"builds=0"}), Settings());
    EXPECT_EQ(why_not("other=0"), "other=0: no such semaphore, so it cannot be removed");
}

TEST(SettingsText, Wrong_changes_are_refused_with_what_to_write) {
    EXPECT_EQ(why_not("builds"), "builds: write the name of a semaphore and its permits, as in builds=5");
    EXPECT_EQ(why_not("=5"), "=5: write the name of a semaphore and its permits, as in builds=5");
    EXPECT_EQ(why_not("a,b=5"), "a,b=5: write the name of a semaphore and its permits, as in builds=5");
    EXPECT_EQ(why_not("builds=-1"),
              "builds=-1: write a number of permits from 1 to 10000, or 0 to remove it");
    EXPECT_EQ(why_not("builds.max_request=4"),
              "builds.max_request=4: write a number from 1 to 3, its permits");
    EXPECT_EQ(why_not("other.max_request=1"), "other: no such semaphore; make it first, as in other=5");
}

TEST(SettingsText, Differences_are_told_one_by_one) {
    const auto after = *changed(with_builds(3, 3), {"builds=1", "new=4", "new.max_request=2"});
    EXPECT_EQ(differences(with_builds(3, 3), after),
              (std::vector<std::string>{"semaphore builds: 3 permits -> 1 permit",
                                        "semaphore new: none -> 4 permits, at most 2 for one request"}));
    EXPECT_TRUE(differences(after, after).empty());
}

Settings founded_with(const std::string& lease, const std::vector<std::string>& modes) {
    Settings settings = with_builds(3, 3);
    settings.founded = {{"lease", lease}, {"seats", "1024"}};
    for (const std::string& mode : modes) settings.founded.push_back({"mode", mode});
    return settings;
}

TEST(SettingsText, Differences_that_no_order_removes_are_told_one_by_one) {
    const Settings before = founded_with("3s", {});
    const Settings after = founded_with("5s", {"{ a }", "{ b }"});
    EXPECT_EQ(founded_differences(before, after),
              (std::vector<std::string>{"lease: 3s -> 5s", "mode: none -> { a }, { b }"}));
    EXPECT_TRUE(differences(before, after).empty());
    EXPECT_TRUE(founded_differences(after, after).empty());
}

TEST(SettingsText, Orders_do_not_change_what_the_cluster_was_formed_with) {
    for (const char* change : {"lease=5s", "bootstrap.lease=5s", "seats=7", "mode=fence"}) {
        const auto settings = changed(founded_with("3s", {}), {change});
        ASSERT_FALSE(settings) << change;
        EXPECT_NE(
            settings.error().find(": it stays as it was when the cluster was formed; to change it, stop all "
                                  "hosts, write it in [bootstrap] of each file, and run `allot cluster init"),
            std::string::npos)
            << settings.error();
    }
    Settings settings = founded_with("3s", {});
    settings.semaphores["lease"] = {2, 2};
    EXPECT_TRUE(changed(settings, {"lease=5"})) << "a semaphore that has such a name";
}

TEST(SettingsText, The_first_view_has_all_of_bootstrap) {
    Config config;
    config.hosts = {{"a", "127.0.0.1:1"}};
    config.semaphores["builds"] = {3, 2};
    config.asks_operator = true;
    const Settings settings = settings_of(config);
    EXPECT_EQ(settings.founded, config.founded());
    EXPECT_TRUE(settings.asks_operator);
    EXPECT_EQ(settings.hosts, config.hosts);
    EXPECT_EQ(settings.semaphores, with_builds(3, 2).semaphores);
}

}  // namespace
}  // namespace allot::daemon
