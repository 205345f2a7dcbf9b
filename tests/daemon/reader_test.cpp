// The part of the status that callers may read: their own requests, the names of others' resources, or
// everything.
#include "daemon/reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/json.hpp"
#include "daemon/permissions.hpp"
#include "session/status_json.hpp"

namespace allot::daemon::reader_tests {
namespace {

using host::Reading;
using session::Party;
using session::ResourceStatus;
using session::Status;

Party party(const std::string& user, const std::string& host, std::int32_t pid = 7) {
    return {.host = host,
            .pid = pid,
            .user = user,
            .command = "job of " + user,
            .fence = 17,
            .since_ms = 1000,
            .wanted = {"db", "other"}};
}

// ann holds db at h1, the certificate ci waits for it, and bob of h2 holds gpu.
Status example() {
    Status status{.host = "h1"};
    status.resources.push_back({.name = "db",
                                .kind = "lock",
                                .holders = {party("ann", "h1")},
                                .waiters = {party("cert:ci", "h2", 0)}});
    status.resources.push_back({.name = "gpu", .kind = "lock", .holders = {party("bob", "h2")}});
    return status;
}

const StatusReader ann{.user = "ann", .host = "h1", .owner = "ann@h1"};

std::string text_of(const Status& status) {
    return json_text(session::status_json(status));
}
bool shows(const Status& status, const std::string& part) {
    return text_of(status).find(part) != std::string::npos;
}

TEST(StatusReader, Sees_its_own_requests_and_the_names_of_others) {
    const Status seen = visible_to(ann, example());
    ASSERT_EQ(seen.resources.size(), 2u);
    EXPECT_EQ(seen.resources[0].holders[0], party("ann", "h1"));
    const Party hidden{.host = "h2", .fence = 17, .since_ms = 1000};
    EXPECT_EQ(seen.resources[0].waiters[0], hidden);
    EXPECT_EQ(seen.resources[1].holders[0], hidden);
    EXPECT_TRUE(shows(seen, "read = "));
}

TEST(StatusReader, A_user_of_the_same_name_on_another_host_is_another_one) {
    const Status seen = visible_to({.user = "bob", .host = "h1"}, example());
    EXPECT_FALSE(shows(seen, "job of bob"));
}

TEST(StatusReader, A_certificate_is_known_on_all_hosts_and_is_no_user) {
    EXPECT_TRUE(shows(visible_to({.user = "cert:ci"}, example()), "job of cert:ci"));
    EXPECT_FALSE(shows(visible_to({.user = "cert:ann"}, example()), "job of ann"));
    EXPECT_FALSE(shows(visible_to({.user = "ci", .host = "h2"}, example()), "job of cert:ci"));
}

TEST(StatusReader, Nobody_is_no_user_though_some_parties_have_none) {
    Status status = example();
    status.resources[1].holders[0].user.clear();
    EXPECT_FALSE(shows(visible_to({}, status), "job of"));
}

TEST(StatusReader, Without_a_right_to_names_it_sees_resources_of_its_own_only) {
    StatusReader reader = ann;
    reader.others = Reading::none;
    const Status seen = visible_to(reader, example());
    ASSERT_EQ(seen.resources.size(), 1u);
    EXPECT_EQ(seen.resources[0].name, "db");
    EXPECT_FALSE(shows(seen, "job of cert:ci"));
    EXPECT_FALSE(shows(seen, "other\",\"gpu"));
}

TEST(StatusReader, With_the_right_it_sees_everything) {
    EXPECT_EQ(visible_to({.others = Reading::all}, example()), example());
}

TEST(StatusReader, An_owner_sees_what_its_programs_left_behind) {
    Status status{.host = "h1"};
    Party left{.host = "h1", .user = "ann@h1", .sticky = true, .gone = true};
    status.resources.push_back({.name = "rack7", .kind = "lock", .holders = {left}});
    EXPECT_EQ(visible_to(ann, status), status);
    EXPECT_FALSE(shows(visible_to({.user = "ann", .host = "h2", .owner = "ann@h2"}, status), "ann@h1"));
}

// --- The rights of callers.

class RightsTest : public testing::Test {
protected:
    Reading of(const host::Caller& caller) const { return Permissions(config).reader(caller).others; }
    static host::Caller user(std::vector<std::uint32_t> allowances) {
        return {.user = "ann", .allowances = std::move(allowances)};
    }

    Config config;
};

TEST_F(RightsTest, Only_administrators_read_all_without_a_rule) {
    EXPECT_EQ(of({.user = "root"}), Reading::all);
    EXPECT_EQ(of({.user = user_name(::geteuid())}), Reading::all);
    EXPECT_EQ(of({.user = "root", .is_local = false}), Reading::names);
    EXPECT_EQ(of({.user = "no-such-user"}), Reading::names);
    EXPECT_EQ(of({.user = host::uncertified, .is_local = false}), Reading::names);
}

TEST_F(RightsTest, The_rule_that_allows_most_counts) {
    config.allow = {{.users = {"*"}, .locks = {}, .semaphores = {}, .read = Reading::none},
                    {.users = {"ann"}, .locks = {}, .semaphores = {}, .read = Reading::all},
                    {.users = {"ann"}, .locks = {"db"}, .semaphores = {}}};
    EXPECT_EQ(of(user({})), Reading::names);
    EXPECT_EQ(of(user({0})), Reading::none);
    EXPECT_EQ(of(user({0, 2})), Reading::none);
    EXPECT_EQ(of(user({0, 1})), Reading::all);
    EXPECT_EQ(of({.user = "root", .allowances = {0}}), Reading::all);
}

TEST_F(RightsTest, Whoever_may_end_programs_sees_them_unless_a_rule_says_otherwise) {
    config.allow = {
        {.users = {"ann"}, .locks = {}, .semaphores = {}, .operate = true},
        {.users = {"bob"}, .locks = {}, .semaphores = {}, .operate = true, .read = Reading::names}};
    EXPECT_EQ(of(user({0})), Reading::all);
    EXPECT_EQ(of(user({1})), Reading::names);
}

TEST_F(RightsTest, A_reader_without_an_identity_is_nobody) {
    config.host = "h1";
    Permissions permissions(config);
    EXPECT_EQ(permissions.reader({.user = host::uncertified, .is_local = false}).user, "");
    const StatusReader certified = permissions.reader({.user = "ann", .is_local = false});
    EXPECT_EQ(certified.user, "cert:ann");
    EXPECT_EQ(certified.host, "");
    const StatusReader local = permissions.reader({.user = "ann"});
    EXPECT_EQ(local.user, "ann");
    EXPECT_EQ(local.host, "h1");
    EXPECT_EQ(local.owner, "ann@h1");
}

}  // namespace
}  // namespace allot::daemon::reader_tests
