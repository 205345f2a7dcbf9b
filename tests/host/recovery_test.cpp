// Hosts begin an epoch from the reports of all members: claims that contradict each other, and views that one
// of them has skipped.
#include "protocols/agreement/recovery.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "hosts.hpp"

namespace allot::host {
namespace {

using agreement::Claim;

Claim user(SiteId host, std::vector<ResourceId> locks, const std::vector<std::uint64_t>& fences) {
    Claim claim;
    claim.phase = Phase::holding;
    claim.demand = {1, std::move(locks)};
    for (const std::uint64_t one : fences) claim.fences.push_back(StampAccess::make(one));
    claim.host = host;
    return claim;
}

std::vector<SiteId> hosts_of(const std::vector<Claim>& claims) {
    std::vector<SiteId> hosts;
    for (const Claim& claim : claims) hosts.push_back(claim.host);
    return hosts;
}

using SiteIds = std::vector<SiteId>;
const ResourceId a("a"), b("b");

TEST(Refuted, Nobody_if_each_lock_is_claimed_once) {
    std::vector<Claim> claims{user(0, {a}, {5}), user(1, {b}, {4})};
    EXPECT_TRUE(take_refuted(claims).empty());
    EXPECT_EQ(hosts_of(claims), (SiteIds{0, 1}));
}

TEST(Refuted, The_claim_with_the_smaller_fence) {
    std::vector<Claim> claims{user(0, {a}, {5}), user(1, {a}, {6})};
    EXPECT_EQ(hosts_of(take_refuted(claims)), (SiteIds{0}));
    EXPECT_EQ(hosts_of(claims), (SiteIds{1}));
}

TEST(Refuted, The_second_of_equal_claims) {
    std::vector<Claim> claims{user(0, {a}, {5}), user(1, {a}, {5})};
    EXPECT_EQ(hosts_of(take_refuted(claims)), (SiteIds{1}));
}

TEST(Refuted, A_set_as_a_whole) {
    std::vector<Claim> claims{user(0, {a, b}, {9, 5}), user(1, {b}, {6})};
    EXPECT_EQ(hosts_of(take_refuted(claims)), (SiteIds{0}));
}

TEST(Refuted, Never_one_that_waits) {
    std::vector<Claim> claims{user(0, {a}, {5}), user(1, {a}, {})};
    claims[1].phase = Phase::waiting;
    EXPECT_TRUE(take_refuted(claims).empty());
    EXPECT_EQ(claims.size(), 2u);
}

TEST_F(Hosts, Of_two_that_claim_one_lock_the_larger_fence_stays_and_the_other_program_is_stopped) {
    start(2);
    ASSERT_TRUE(is_granted(0, "a"));
    const std::uint64_t held = tickets;
    replace(1);
    const std::uint64_t false_claim = ++tickets;
    Request stale{.key = {1, false_claim}, .want = {{ResourceId("a")}, {}}, .fences = {StampAccess::make(1)}};
    stale.keeper = 1000;
    act(1, [&](Host& host, const Host::Self& at, Effects& fx) { host.adopt(at, stale, fx); });
    call(1);
    pass(config.renew_every);
    ASSERT_TRUE(works(0) && works(1));
    EXPECT_EQ(lost.count(held), 0u);
    EXPECT_EQ(lost[false_claim], "another host uses this lock with a larger fence");
    for (const Host& host : hosts) {
        ASSERT_EQ(host.erring().size(), 1u);
        EXPECT_EQ(*host.erring().begin(), std::pair(Peer{1, 2000}, Misdeed::claim));
    }
    EXPECT_FALSE(is_granted(1, "a"));
    act(0, [&](Host& host, const Host::Self& at, Effects& fx) {
        host.release(at, {1, held}, fx);
        host.settle(at, fx);
    });
    EXPECT_TRUE(granted.contains(tickets)) << "the lock goes on to the one that waits";
}

// Host 1 sleeps while host 2 ends, which the kernel certifies, and comes back: it sees only the last view.
struct SkippedView : Hosts {
    void run() {
        start(3);
        asleep = 1;
        dead = {2};
        hosts[0].certify({2, 1000});
        pass(1);
        ASSERT_EQ(members(), (std::set<SiteId>{0, 1}));
        dead = {};
        replace(2);
        call(2);
        ASSERT_EQ(members(), (std::set<SiteId>{0, 1, 2}));
        wake();
        call(1);
        pass(2);
    }
};

TEST_F(SkippedView, One_that_was_certified_in_it_is_not_waited_for) {
    run();
    EXPECT_TRUE(works(0) && works(1) && works(2));
}

TEST_F(SkippedView, Otherwise_all_wait_until_its_lease_has_ended) {
    config.rules.carry_certified = false;
    run();
    EXPECT_FALSE(works(1));
    pass(config.hold_off);
    EXPECT_TRUE(works(0) && works(1) && works(2));
}

// Its folder may be an earlier one, or a copy: what it remembers gives it no right to grant.
TEST_F(Hosts, A_daemon_grants_nothing_before_the_register_has_its_own_number) {
    start(3);
    replace(1);
    EXPECT_FALSE(is_granted(1, "a"));
    Effects fx;
    hosts[1].returned(self(1), value, fx);  // with the daemon before as a member
    EXPECT_FALSE(hosts[1].has_lease());
    carry_out(1, fx);
    EXPECT_TRUE(std::ranges::count(value.members, hosts[1].myself(self(1))));
    pass(config.hold_off + 2 * config.renew_every);
    EXPECT_TRUE(hosts[1].has_lease());
    EXPECT_TRUE(is_granted(1, "b"));
}

}  // namespace
}  // namespace allot::host
