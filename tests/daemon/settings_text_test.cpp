#include "daemon/settings_text.hpp"

#include <gtest/gtest.h>

#include "daemon/founded.hpp"

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

TEST(SettingsText, A_name_that_is_there_twice_is_refused) {
    EXPECT_EQ(wrong_changes({"builds=5", "builds=6"}), "builds=6: builds is there twice; write it once");
    EXPECT_EQ(wrong_changes({"admission=operator", "admission=operator"}),
              "admission=operator: admission is there twice; write it once");
    EXPECT_FALSE(wrong_changes({"builds=5", "builds.max_request=5", "other=0"}));
    EXPECT_FALSE(changed(with_builds(3, 3), {"builds=5", "builds=6"}));
}

// So that the command itself says so, as wrong usage, without a daemon.
TEST(SettingsText, What_is_wrong_with_any_settings_is_known_without_them) {
    EXPECT_EQ(wrong_changes({"other=many"}),
              "other=many: write a number of permits from 1 to 10000, or 0 to remove it");
    EXPECT_EQ(wrong_changes({"other=10001"}),
              "other=10001: write a number of permits from 1 to 10000, or 0 to remove it");
    EXPECT_EQ(wrong_changes({"other.max_request=0"}),
              "other.max_request=0: write a number from 1 to 10000, and at most its permits");
    EXPECT_EQ(wrong_changes({"other"}),
              "other: write the name of a semaphore and its permits, as in builds=5");
    EXPECT_TRUE(wrong_changes({"lease=5s"}));
    EXPECT_TRUE(wrong_changes({"admission=5s"}));
    EXPECT_FALSE(wrong_changes({"seats=5"})) << "an earlier version may have made it";
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
    EXPECT_EQ(founded_differences(before.founded, after.founded),
              (std::vector<std::string>{"lease: 3s -> 5s", "mode: none -> { a }, { b }"}));
    EXPECT_TRUE(differences(before, after).empty());
    EXPECT_TRUE(founded_differences(after.founded, after.founded).empty());
}

TEST(SettingsText, Orders_do_not_change_what_the_cluster_was_formed_with) {
    for (const char* change : {"lease=5s", "bootstrap.lease=5s", "seats=7", "mode=fence"}) {
        const auto settings = changed(founded_with("3s", {}), {change});
        ASSERT_FALSE(settings) << change;
        EXPECT_NE(
            settings.error().find(": it stays as it was when the cluster was formed; to change it, stop all "
                                  "hosts, write it in [bootstrap] of each file, and run `allot cluster init "
                                  "--above N --bootstrap`"),
            std::string::npos)
            << settings.error();
    }
    Settings settings = founded_with("3s", {});
    settings.semaphores["lease"] = {2, 2};
    EXPECT_TRUE(changed(settings, {"lease=5"})) << "a semaphore that has such a name";
}

TEST(SettingsText, Names_that_settings_have_in_the_files_become_no_semaphores) {
    const std::pair<const char*, const char*> cases[]{
        {"voters=3", "voters: write `allot cluster voters`"},
        {"bootstrap.voters=3", "bootstrap.voters: write `allot cluster voters`"},
        {"hosts=3", "hosts: write `allot cluster join`"},
        {"bootstrap.hosts=3", "bootstrap.hosts: write `allot cluster join`"},
        {"semaphores=3", "semaphores: write the name of a semaphore alone"},
        {"bootstrap.semaphores.builds=3", "bootstrap.semaphores.builds: write the name of a semaphore alone"},
        {"bootstrap.builds=3", "bootstrap.builds: no order changes such a setting"},
        {"bootstrap.builds.max_request=3", "bootstrap.builds.max_request: no order changes such a setting"},
        {"cluster.plaintext=1", "cluster.plaintext: no order changes such a setting"},
        {"cluster.admission=operator", "cluster.admission: write admission=operator"},
        {"bootstrap.admission=operator", "bootstrap.admission: write admission=operator"},
        {"admission=5", "admission: write admission=operator"},
        {"admission", "admission: write admission=operator"},
    };
    for (const auto& [change, why] : cases) EXPECT_EQ(why_not(change).find(why), 0u) << why_not(change);
    const auto strict = changed(with_builds(3, 3), {"admission=operator"});
    EXPECT_TRUE(strict->asks_operator);
    EXPECT_FALSE(changed(*strict, {"admission=certificate"})->asks_operator);
    EXPECT_EQ(why_not("racks.gpu=3"), "") << "a dot alone is no reason";
}

Config file_with(const std::string& bootstrap) {
    const auto config = parse_config("host = \"a\"\n" + bootstrap, "x");
    if (!config) throw std::runtime_error(config.error());
    return *config;
}

TEST(SettingsText, A_file_contradicts_the_cluster_only_where_something_is_written) {
    Settings cluster = settings_of(
        file_with("[bootstrap]\nlease = \"2s\"\ngrace = \"300ms\"\nvoters = [\"a\"]\n[bootstrap.hosts]\n"
                  "a = \"a:1\"\nb = \"b:1\"\nc = \"c:1\"\n[bootstrap.semaphores]\nbuilds = 3\nmore = 1\n"));
    EXPECT_TRUE(contradictions(file_with(""), cluster).empty());
    EXPECT_TRUE(contradictions(file_with("[bootstrap.semaphores]\nbuilds = 3\n"), cluster).empty());
    EXPECT_TRUE(
        contradictions(file_with("[bootstrap.hosts]\nb = \"b:1\"\na = \"elsewhere:1\"\n"), cluster).empty())
        << "a file is right about its own host";
    cluster.hosts[2].standing = agreement::Standing::out;
    using All = std::vector<Contradiction>;
    EXPECT_EQ(contradictions(file_with("[bootstrap]\nlease = \"9s\"\nadmission = \"operator\"\n"), cluster),
              (All{{"bootstrap.lease", "9s", "2s"}, {"bootstrap.admission", "operator", "certificate"}}));
    EXPECT_EQ(contradictions(file_with("[bootstrap]\nvoters = [\"b\"]\n[bootstrap.hosts]\na = \"a:1\"\n"
                                       "b = \"b:2\"\nc = \"c:1\"\n"),
                             cluster),
              (All{{"bootstrap.hosts.b", "b:2", "b:1"},
                   {"bootstrap.hosts.c", "c:1", "none"},
                   {"bootstrap.voters", "b", "a"}}));
    EXPECT_EQ(contradictions(file_with("[bootstrap.semaphores]\nbuilds = 1\nother = 2\n"), cluster),
              (All{{"bootstrap.semaphores.builds", "1 permit", "3 permits"},
                   {"bootstrap.semaphores.other", "2 permits", "none"}}));
}

TEST(SettingsText, The_first_view_has_all_of_bootstrap) {
    Config config;
    config.hosts = {{"a", "127.0.0.1:1"}};
    config.semaphores["builds"] = {3, 2};
    config.asks_operator = true;
    const Settings settings = settings_of(config);
    EXPECT_EQ(settings.founded, founded_of(config));
    EXPECT_TRUE(settings.asks_operator);
    EXPECT_EQ(settings.hosts, config.hosts);
    EXPECT_EQ(settings.semaphores, with_builds(3, 2).semaphores);
}

}  // namespace
}  // namespace allot::daemon
