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

}  // namespace
}  // namespace allot::daemon
