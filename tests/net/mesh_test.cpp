// The mesh over real sockets: what hosts are told of each other.

#include "net/mesh.hpp"

#include "base/ensure.hpp"
#include "net/mesh_support.hpp"

namespace allot::net {
namespace {

using std::chrono::milliseconds;

TEST_F(MeshTest, Carries_payloads_both_ways_in_order) {
    start_both();
    // Before there is a connection as well as after.
    for (int i = 0; i < 100; ++i) a->mesh->send(bee, std::to_string(i));
    ASSERT_TRUE(until([&] { return b->received.size() == 100; }));
    for (int i = 0; i < 100; ++i) b->mesh->send(ant, std::to_string(i));
    ASSERT_TRUE(until([&] { return a->received.size() == 100; }));
    EXPECT_EQ(a->received, numbered(0, 100));
    EXPECT_EQ(b->received, numbered(0, 100));
    EXPECT_EQ(a->told, std::vector<std::string>{"connected 1 1 fresh"});
    EXPECT_EQ(b->told, std::vector<std::string>{"connected 0 1 fresh"});
    EXPECT_TRUE(until([&] { return a->mesh->status(bee).unacknowledged_bytes == 0; }));
    EXPECT_EQ(a->mesh->status(bee).sent, 100u);
    EXPECT_EQ(a->mesh->status(bee).received, 100u);
}

TEST_F(MeshTest, Sends_what_is_answered_at_once) {
    start_both();
    b->on_received = [&] { b->mesh->send(ant, b->received.back()); };
    a->on_received = [&] {
        if (a->received.size() < 1000) a->mesh->send(bee, std::to_string(a->received.size()));
    };
    a->mesh->send(bee, "0");
    ASSERT_TRUE(until([&] { return a->received.size() == 1000; }));
    EXPECT_EQ(a->received, numbered(0, 1000));
}

TEST_F(MeshTest, Carries_payloads_up_to_the_limit_and_no_larger_ones) {
    auto config = quick_config(ant);
    config.frame_limit = 100'000;
    auto other = quick_config(bee);
    other.frame_limit = 100'000;
    start_both(config, other);
    a->mesh->send(bee, std::string(100'000, 'x'));
    a->mesh->send(bee, "");
    EXPECT_TRUE(until([&] { return b->received.size() == 2; }));
    EXPECT_EQ(b->received[0].size(), 100'000u);
    EXPECT_THROW(a->mesh->send(bee, std::string(100'001, 'x')), BrokenInvariant);
}

TEST_F(MeshTest, Tells_of_a_later_incarnation_and_drops_what_was_meant_for_the_one_before) {
    connect_both();
    const MeshConfig config = bee_again(2);
    b.reset();
    ASSERT_TRUE(until([&] { return !a->is_connected(bee); }));
    a->mesh->send(bee, "for incarnation 1");
    a->told.clear();
    b = std::make_unique<TestHost>(loop, config);
    b->start();
    ASSERT_TRUE(until([&] { return a->is_connected(bee) && b->is_connected(ant); }));
    EXPECT_EQ(a->told, (std::vector<std::string>{"ended 1 1", "connected 1 2 fresh"}));
    a->mesh->send(bee, "for incarnation 2");
    ASSERT_TRUE(until([&] { return !b->received.empty(); }));
    EXPECT_EQ(b->received, std::vector<std::string>{"for incarnation 2"});
}

TEST_F(MeshTest, Refuses_a_second_process_of_a_host_while_the_link_of_the_first_works) {
    connect_both();
    b->told.clear();
    MeshConfig config = quick_config(ant, 2);
    config.hosts[bee].address = b->address();
    TestHost copy(loop, config);
    copy.start();
    ASSERT_TRUE(until([&] { return copy.was_told("name taken 1"); }));
    EXPECT_NE(copy.problem(bee).find("host ant runs already: host bee has a link to it, from 127.0.0.1:"),
              std::string::npos)
        << copy.problem(bee);
    EXPECT_TRUE(a->is_connected(bee));
    EXPECT_TRUE(b->told.empty());
    a.reset();
    EXPECT_TRUE(until([&] { return copy.is_connected(bee); })) << "the name is free";
}

TEST_F(MeshTest, Refuses_an_earlier_incarnation) {
    start_both(quick_config(ant), quick_config(bee, 5));
    ASSERT_TRUE(until([&] { return a->is_connected(bee) && b->is_connected(ant); }));
    const MeshConfig config = bee_again(4);
    b.reset();
    b = std::make_unique<TestHost>(loop, config);
    b->start();
    const std::string problem = "its incarnation 4 has ended: this host has met incarnation 5";
    EXPECT_TRUE(until([&] { return b->was_told("disowned 0 5") && a->problem(bee) == problem; }));
    EXPECT_FALSE(a->is_connected(bee));
}

// Without its memory the same incarnation would take payloads twice: that is noticed.
TEST_F(MeshTest, Refuses_an_incarnation_that_lost_its_memory) {
    connect_both();
    a->mesh->send(bee, "once");
    b->mesh->send(ant, "too");
    const auto nothing_under_way = [&] {
        return a->mesh->status(bee).unacknowledged_bytes + b->mesh->status(ant).unacknowledged_bytes == 0;
    };
    ASSERT_TRUE(until(nothing_under_way));
    const MeshConfig config = bee_again(1);
    b.reset();
    b = std::make_unique<TestHost>(loop, config);
    b->start();
    EXPECT_TRUE(
        until([&] { return a->problem(bee).find("one end has lost its state") != std::string::npos; }));
    EXPECT_TRUE(until([&] { return b->was_told("disowned 0 1"); })) << "it knows whose memory it is";
    EXPECT_FALSE(a->was_told("disowned 1 1"));
    EXPECT_TRUE(b->received.empty());
}

TEST_F(MeshTest, Tells_nothing_after_it_was_stopped) {
    connect_both();
    b->on_received = [&] { b->mesh->stop(); };
    a->mesh->send(bee, "1");
    a->mesh->send(bee, "2");
    ASSERT_TRUE(until([&] { return !a->is_connected(bee); }));
    EXPECT_EQ(b->received, std::vector<std::string>{"1"});
    EXPECT_EQ(b->told, std::vector<std::string>{"connected 0 1 fresh"});
}

TEST_F(MeshTest, Counts_silence_from_the_start) {
    auto config = quick_config(ant);
    config.silence = milliseconds(60);
    b = std::make_unique<TestHost>(loop, quick_config(bee));
    b->start();
    const MeshConfig again = bee_again(1);
    b->mesh->stop();
    start_ant(config);
    ASSERT_TRUE(until([&] { return a->was_told("silent 1"); }));
    EXPECT_TRUE(a->mesh->status(bee).silent);
    EXPECT_EQ(a->problem(bee), fmt::format("cannot connect to {}: Connection refused", b->address()));
    b = std::make_unique<TestHost>(loop, again);
    b->start();
    ASSERT_TRUE(until([&] { return a->was_told("heard 1"); }));
    EXPECT_EQ(a->told, (std::vector<std::string>{"silent 1", "connected 1 1 fresh", "heard 1"}));
}

TEST_F(MeshTest, Of_another_agreement_is_refused) {
    auto config = quick_config(bee);
    config.agreement = 0xbad;
    config.settings[0].value = "5s";
    start_both(quick_config(ant), config);
    ASSERT_TRUE(until([&] { return !a->problem(bee).empty() && !b->problem(ant).empty(); }));
    EXPECT_EQ(
        b->problem(ant),
        "its configuration differs: register.lease is 5s on host bee and 3s on host ant; write the same "
        "on all hosts, or bring the one that is wrong back with `allot cluster join`");
    EXPECT_EQ(a->problem(bee), "refused: " + b->problem(ant));
    EXPECT_TRUE(a->told.empty());
}

TEST_F(MeshTest, That_reaches_another_host_notices) {
    auto swapped = quick_config(bee);
    swapped.hosts = {{"ant", "127.0.0.1:0"}, {"cat", "127.0.0.1:0"}};
    start_both(quick_config(ant), swapped);
    ASSERT_TRUE(until([&] { return !a->problem(bee).empty(); }));
    EXPECT_EQ(a->problem(bee), "refused: it expects host bee, this is host cat");
}

TEST(MeshConfiguration, Allows_plaintext_only_on_this_machine_unless_told_otherwise) {
    boost::asio::io_context loop;
    auto config = quick_config(ant);
    config.hosts[bee].address = "10.1.2.3:4711";
    const auto refused = Mesh::make(loop, config, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error(),
        "host bee at 10.1.2.3:4711: links beyond this machine need TLS (`allot cert` makes certificates), or "
        "plaintext allowed explicitly, by plaintext = true in [cluster]");
    config.plaintext = true;
    EXPECT_TRUE(Mesh::make(loop, config, {}));
}

TEST(MeshConfiguration, That_makes_no_sense_is_refused) {
    boost::asio::io_context loop;
    const auto error_of = [&](const std::function<void(MeshConfig&)>& change) {
        auto config = quick_config(ant);
        change(config);
        const auto made = Mesh::make(loop, config, {});
        return made ? "" : made.error();
    };
    EXPECT_EQ(error_of([](auto&) {}), "");
    EXPECT_NE(error_of([](auto& config) { config.self = 2; }), "");
    EXPECT_NE(error_of([](auto& config) { config.hosts[bee].name = "ant"; }), "");
    EXPECT_NE(error_of([](auto& config) { config.hosts[bee].name = ""; }), "");
    EXPECT_NE(error_of([](auto& config) { config.hosts[bee].address = "bee"; }), "");
    EXPECT_NE(error_of([](auto& config) { config.silence = config.heartbeat; }), "");
    EXPECT_NE(error_of([](auto& config) { config.heartbeat = milliseconds(0); }), "");
    EXPECT_NE(error_of([](auto& config) { config.retry_last = milliseconds(0); }), "");
}

}  // namespace
}  // namespace allot::net
