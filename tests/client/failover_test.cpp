// Several addresses: two real daemons, each alone in its cluster, so that each can be taken away alone.

#include <array>
#include <atomic>
#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "allot/client.hpp"
#include "client/status.hpp"
#include "support/node.hpp"

namespace allot::client {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::free_port;
using test::Node;

struct FailoverTest : testing::Test {
    Options options() const {
        Options options;
        options.address = fmt::format("tcp:127.0.0.1:{},127.0.0.1:{}", ports[0], ports[1]);
        options.command = "far";
        options.connect_timeout = 10s;
        return options;
    }
    // Whether the session `far` holds `lock` at that daemon, or waits for it.
    static bool is_at(const Node& node, const std::string& lock, bool holds) {
        for (const session::ResourceStatus& one : ask_status(node.options(), 10s).resources)
            for (const session::Party& party : holds ? one.holders : one.waiters)
                if (one.name == lock && party.command == "far") return true;
        return false;
    }
    Node* other_than(const Node* one) { return one == &first ? &second : &first; }
    // The daemon that serves the session.
    Node* serving(const std::string& lock, bool holds) {
        Node* found = nullptr;
        eventually([&] {
            for (Node* node : {&first, &second})
                if (is_at(*node, lock, holds)) found = node;
            return found != nullptr;
        });
        EXPECT_NE(found, nullptr) << "nobody serves " << lock;
        return found;
    }

    std::array<int, 2> ports{free_port(), free_port()};
    Node first{fmt::format("clients = \"127.0.0.1:{}\"\n", ports[0])};
    Node second{fmt::format("clients = \"127.0.0.1:{}\"\n", ports[1])};
};

TEST_F(FailoverTest, Sessions_spread_over_the_addresses) {
    std::vector<Session> sessions;
    const auto count = [](const Node& node) { return ask_status(node.options(), 10s).hosts.at(0).sessions; };
    // Two orders: all of 40 draw the same one in one of 2^39 runs.
    for (int i = 0; i < 40; ++i) sessions.push_back(Session::connect(options()));
    EXPECT_GT(count(first), 1U);
    EXPECT_GT(count(second), 1U);
}

TEST_F(FailoverTest, An_address_where_nobody_listens_is_passed_over) {
    second.end(SIGKILL);
    for (int i = 0; i < 8; ++i) Session::connect(options()).acquire(Demand().lock("db"), 10s);
    second.start();
}

TEST_F(FailoverTest, If_no_address_serves_each_is_named_with_its_reason) {
    first.end(SIGKILL);
    second.end(SIGKILL);
    try {
        Session::connect(options());
        ADD_FAILURE() << "there is no daemon";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.code(), Code::unreachable);
        for (const int port : ports)
            EXPECT_NE(std::string(failure.what()).find(fmt::format("tcp:127.0.0.1:{}: no daemon", port)),
                      std::string::npos)
                << failure.what();
    }
    first.start();
    second.start();
}

TEST_F(FailoverTest, A_request_that_waits_is_asked_again_at_the_other_host) {
    for (const int signal : {SIGKILL, SIGTERM, SIGSTOP}) {
        Session near_first = first.session();
        Session near_second = second.session();
        std::vector<Lease> blocking;
        blocking.push_back(near_first.acquire(Demand().lock("db"), 10s));
        blocking.push_back(near_second.acquire(Demand().lock("db"), 10s));
        Session session = Session::connect(options());
        const auto granted = std::make_shared<std::atomic<bool>>(false);
        session.async_acquire(Demand().lock("db"), {},
                              [granted](const Outcome& outcome) { *granted = !!outcome; });
        Node* const gone = serving("db", false);
        ASSERT_NE(gone, nullptr);
        Node* const other = other_than(gone);
        signal == SIGSTOP ? gone->send(SIGSTOP) : gone->end(signal);
        EXPECT_TRUE(eventually([&] { return is_at(*other, "db", false); })) << "signal " << signal;
        EXPECT_FALSE(*granted);
        blocking[other == &first ? 0 : 1].release();
        EXPECT_TRUE(eventually([&] { return granted->load(); })) << "signal " << signal;
        signal == SIGSTOP ? gone->send(SIGCONT) : gone->start();
    }
}

TEST_F(FailoverTest, A_lease_is_lost_with_its_daemon_and_the_session_goes_on_elsewhere) {
    Session session = Session::connect(options());
    const Lease lease = session.acquire(Demand().lock("db"), 10s);
    Node* const gone = serving("db", true);
    ASSERT_NE(gone, nullptr);
    Node* const other = other_than(gone);
    gone->end(SIGKILL);
    const Lease more = session.acquire(Demand().lock("more"), 20s);
    EXPECT_FALSE(lease.valid());
    EXPECT_FALSE(is_at(*other, "db", true));
    EXPECT_TRUE(is_at(*other, "more", true));
    EXPECT_TRUE(more.valid());
    gone->start();
}

TEST_F(FailoverTest, A_lease_that_its_restarted_daemon_goes_on_with_stays) {
    Session session = Session::connect(options());
    const Lease lease = session.acquire(Demand().lock("db"), 10s);
    Node* const home = serving("db", true);
    ASSERT_NE(home, nullptr);
    Node* const other = other_than(home);
    home->end(SIGTERM);
    home->start();
    const Lease more = session.acquire(Demand().lock("more"), 10s);
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
    EXPECT_TRUE(is_at(*home, "more", true));
    EXPECT_FALSE(is_at(*other, "more", true));
}

TEST(FailoverLimits, A_daemon_that_has_too_many_sessions_is_passed_over) {
    const std::array<int, 2> ports{free_port(), free_port()};
    const Node full{fmt::format("clients = \"127.0.0.1:{}\"\n", ports[0]), "[limits]\nsessions = 1\n"};
    const Node roomy{fmt::format("clients = \"127.0.0.1:{}\"\n", ports[1])};
    const Session only = full.session();
    Options options;
    options.address = fmt::format("tcp:127.0.0.1:{},127.0.0.1:{}", ports[0], ports[1]);
    for (int i = 0; i < 8; ++i) Session::connect(options).acquire(Demand().lock("db"), 10s);
    options.address = fmt::format("tcp:127.0.0.1:{},127.0.0.1:{}", ports[0], free_port());
    try {
        Session::connect(options);
        ADD_FAILURE() << "one is full, the other not there";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.code(), Code::unavailable);
        EXPECT_NE(std::string(failure.what()).find("which is the limit"), std::string::npos);
    }
}

}  // namespace
}  // namespace allot::client
