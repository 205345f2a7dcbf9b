// Links through a network that misbehaves, and neighbours that do.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/frame.hpp"
#include "core/bytes.hpp"
#include "core/random.hpp"
#include "net/fault_proxy.hpp"
#include "net/link_frames.hpp"
#include "net/mesh_support.hpp"
#include "net/timer.hpp"

namespace allot::net {
namespace {

using std::chrono::milliseconds;

class MeshFaults : public MeshTest {
protected:
    // bee, the proxy before it, and ant, which knows only the proxy.
    void start_with_proxy(MeshConfig of_ant = quick_config(ant),
                          const MeshConfig& of_bee = quick_config(bee)) {
        b = std::make_unique<TestHost>(loop, of_bee);
        b->start();
        auto made = FaultProxy::make(loop, "127.0.0.1:0", b->address());
        ASSERT_TRUE(made) << made.error();
        proxy = std::move(*made);
        of_ant.hosts[bee].address = proxy->address();
        a = std::make_unique<TestHost>(loop, of_ant);
        a->start();
    }
    void connect_through_proxy(const MeshConfig& of_ant = quick_config(ant),
                               const MeshConfig& of_bee = quick_config(bee)) {
        start_with_proxy(of_ant, of_bee);
        ASSERT_TRUE(until([&] { return a->is_connected(bee) && b->is_connected(ant); }));
    }
    // Both send, always some more than has arrived; all of it must arrive, in order and once.
    void exchange_with_faults(std::size_t count, const std::function<void(std::size_t progress)>& fault) {
        std::size_t sent = 0;
        std::size_t progress = 0;
        ASSERT_TRUE(until([&] {
            for (; sent < std::min(count, progress + 100); ++sent) {
                a->mesh->send(bee, std::to_string(sent));
                b->mesh->send(ant, std::to_string(sent));
            }
            const std::size_t now = std::min(a->received.size(), b->received.size());
            if (now > progress) fault(progress = now);
            return a->received.size() >= count && b->received.size() >= count;
        }));
        EXPECT_EQ(a->received, numbered(0, count));
        EXPECT_EQ(b->received, numbered(0, count));
    }

    std::unique_ptr<FaultProxy> proxy;
};

TEST_F(MeshFaults, Lose_nothing_and_double_nothing_when_the_link_is_cut_under_load) {
    connect_through_proxy();
    Random random(1);
    std::size_t next = 50;
    exchange_with_faults(20'000, [&](std::size_t progress) {
        if (progress < next) return;
        next = progress + 1 + random(1000);
        proxy->cut();
    });
    EXPECT_GT(a->mesh->status(bee).reconnects, 10u);
}

TEST_F(MeshFaults, Lose_nothing_on_a_slow_link_that_is_cut) {
    connect_through_proxy();
    proxy->delay(milliseconds(3));
    std::size_t next = 100;
    exchange_with_faults(2'000, [&](std::size_t progress) {
        if (progress < next) return;
        next = progress + 200;
        proxy->cut();
    });
    EXPECT_GT(a->mesh->status(bee).reconnects, 3u);
}

TEST_F(MeshFaults, Notice_a_half_open_link_and_go_on_when_it_is_healed) {
    auto config = quick_config(ant);
    config.silence = milliseconds(200);
    config.handshake = milliseconds(200);
    auto other = quick_config(bee);
    other.silence = milliseconds(200);
    other.handshake = milliseconds(200);
    connect_through_proxy(config, other);
    proxy->blackhole();
    a->mesh->send(bee, "0");
    b->mesh->send(ant, "0");
    ASSERT_TRUE(until([&] { return a->was_told("silent 1") && b->was_told("silent 0"); }));
    EXPECT_FALSE(a->is_connected(bee));
    EXPECT_FALSE(b->is_connected(ant));
    EXPECT_EQ(b->problem(ant), "nothing was heard for 200 ms");
    // Long enough for an attempt that nobody answers.
    const auto made = proxy->connections_made();
    ASSERT_TRUE(until([&] { return proxy->connections_made() > made + 1; }));
    proxy->heal();
    a->mesh->send(bee, "1");
    b->mesh->send(ant, "1");
    ASSERT_TRUE(until([&] { return a->received.size() == 2 && b->received.size() == 2; }));
    EXPECT_EQ(a->received, numbered(0, 2));
    EXPECT_EQ(b->received, numbered(0, 2));
    EXPECT_TRUE(a->was_told("heard 1"));
    EXPECT_TRUE(b->was_told("heard 0"));
    EXPECT_FALSE(a->was_told("ended 1 1"));
}

TEST_F(MeshFaults, Keep_an_idle_link_alive_without_payloads) {
    auto config = quick_config(ant);
    config.silence = milliseconds(100);
    auto other = quick_config(bee);
    other.silence = milliseconds(100);
    connect_through_proxy(config, other);
    const auto before = proxy->bytes_passed();
    // Several times the silence in heartbeats, each 4 + 2 bytes.
    ASSERT_TRUE(until([&] { return proxy->bytes_passed() > before + 50 * 6; }));
    EXPECT_FALSE(a->was_told("silent 1"));
    EXPECT_EQ(a->mesh->status(bee).reconnects, 0u);
}

// The first connection's hello arrives when a second one is the link already.
TEST_F(MeshFaults, Prefer_the_newer_of_two_connections) {
    auto config = quick_config(ant);
    config.handshake = milliseconds(50);
    b = std::make_unique<TestHost>(loop, quick_config(bee));
    b->start();
    auto made = FaultProxy::make(loop, "127.0.0.1:0", b->address());
    ASSERT_TRUE(made) << made.error();
    proxy = std::move(*made);
    proxy->reorder();
    config.hosts[bee].address = proxy->address();
    a = std::make_unique<TestHost>(loop, config);
    a->start();
    exchange_with_faults(100, [](std::size_t) {});
    EXPECT_EQ(proxy->connections_made(), 2u);
    ASSERT_TRUE(until([&] { return proxy->connections() == 1; }));
    EXPECT_EQ(b->told, std::vector<std::string>{"connected 0 1 fresh"});
    EXPECT_TRUE(a->is_connected(bee));
}

TEST_F(MeshFaults, Take_nothing_twice_that_an_older_connection_delivers_late) {
    auto config = quick_config(ant);
    config.silence = milliseconds(100);
    auto other = quick_config(bee);
    connect_through_proxy(config, other);
    std::size_t next = 100;
    exchange_with_faults(3'000, [&](std::size_t progress) {
        if (progress < next) return;
        next = progress + 1'000;
        // ant finds it silent and makes another, and bee learns later than that of the end of this one.
        proxy->reorder();
    });
    EXPECT_GE(a->mesh->status(bee).reconnects, 2u);
}

// bee learns of the end of one incarnation of ant only from the hello of the next.
TEST_F(MeshFaults, Give_the_next_incarnation_nothing_that_was_meant_for_the_one_before) {
    connect_through_proxy();
    proxy->reorder();
    b->on_disconnected = [&] { b->mesh->send(ant, "for incarnation 1"); };
    a.reset();
    auto config = quick_config(ant, 2);
    config.hosts[bee].address = proxy->address();
    a = std::make_unique<TestHost>(loop, config);
    a->start();
    ASSERT_TRUE(until([&] { return b->was_told("connected 0 2 fresh"); }));
    b->mesh->send(ant, "for incarnation 2");
    ASSERT_TRUE(until([&] { return !a->received.empty(); }));
    EXPECT_EQ(a->received, std::vector<std::string>{"for incarnation 2"});
    EXPECT_EQ(b->told, (std::vector<std::string>{"connected 0 1 fresh", "disconnected 0", "ended 0 1",
                                                 "connected 0 2 fresh"}));
}

TEST_F(MeshFaults, Try_again_until_a_connection_is_taken) {
    connect_through_proxy();
    proxy->refuse();
    proxy->cut();
    ASSERT_TRUE(until([&] { return a->problem(bee).find("closed in the handshake") != std::string::npos; }));
    proxy->heal();
    exchange_with_faults(10, [](std::size_t) {});
}

TEST_F(MeshFaults, Keep_what_is_not_acknowledged_and_deliver_it_in_the_end) {
    connect_through_proxy();
    proxy->blackhole();
    constexpr std::size_t count = 500;
    const auto payload = [](std::size_t number) { return std::to_string(number) + std::string(10'000, '.'); };
    for (std::size_t i = 0; i < count; ++i) a->mesh->send(bee, payload(i));
    EXPECT_GT(a->mesh->status(bee).unacknowledged_bytes, count * 10'000);
    proxy->heal();
    ASSERT_TRUE(until([&] { return a->mesh->status(bee).unacknowledged_bytes == 0; }));
    ASSERT_EQ(b->received.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(b->received[i], payload(i));
}

// --- Connections that are none of a host

// Speaks raw bytes to bee, and keeps what it answers.
class Raw {
public:
    Raw(boost::asio::io_context& loop, const std::string& address) : loop_(loop) {
        attempt_ = connect_tcp(loop, address, nullptr, "", [this](Result<StreamPtr> result) {
            ASSERT_TRUE(result) << result.error();
            stream = *result;
            stream->start({.read = [this](std::string_view bytes) { read += bytes; },
                           .closed = [this](const std::string&) { closed = true; }});
        });
        EXPECT_TRUE(run_until(loop, [this] { return stream != nullptr; }));
    }

    // The reason that came before the end.
    std::string refusal() {
        EXPECT_TRUE(run_until(loop_, [this] { return closed; }));
        std::string reason = "none";
        FrameReader reader(1 << 20);
        reader.feed(read, [&](std::string_view content) {
            const auto frame = read_link_frame(content);
            if (frame && frame->head.kind == FrameKind::refusal) reason = frame->content;
            return true;
        });
        return reason;
    }

    StreamPtr stream;
    std::string read;
    bool closed = false;

private:
    boost::asio::io_context& loop_;
    std::unique_ptr<Attempt> attempt_;
};

constexpr std::size_t small_limit = 10'000;

Hello hello_of_ant() {
    return {.from = "ant",
            .from_number = ant,
            .to = "bee",
            .to_number = bee,
            .agreement = 42,
            .settings = quick_config(ant).settings,
            .payload_limit = small_limit,
            .position = {.incarnation = 9},
            .process = 1,
            .connection = 1};
}

std::string framed(const Hello& hello) {
    std::string out;
    put_hello(hello, out);
    return out;
}

// bee alone, and whatever connects to it.
class Intruders : public MeshTest {
protected:
    void SetUp() override {
        auto config = quick_config(bee);
        config.handshake = milliseconds(200);
        config.frame_limit = small_limit;
        b = std::make_unique<TestHost>(loop, config);
        b->start();
    }
    std::string refused(const std::string& bytes) {
        Raw raw(loop, b->address());
        raw.stream->write(bytes);
        return raw.refusal();
    }
    // Says hello as ant, is taken, and then says this.
    std::string broken_off(const std::string& bytes) {
        Raw raw(loop, b->address());
        raw.stream->write(framed(hello_of_ant()) + bytes);
        const std::string reason = raw.refusal();
        EXPECT_TRUE(b->was_told("connected 0 9 fresh"));
        EXPECT_EQ(b->told.back(), "disconnected 0");
        return reason;
    }
    static std::string frame(const Head& head, std::string_view content = "") {
        std::string out;
        put_link_frame(head, content, out);
        return out;
    }
};

TEST_F(Intruders, That_speak_something_else_are_refused) {
    EXPECT_EQ(refused(std::string("\x08\0\0\0garbage!", 12)), "this is no link of allot");
    EXPECT_EQ(refused(std::string("\0\0\0\0", 4)), "this is no link of allot");
    // Taken for a length: far too much.
    EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), "it sent a frame of more than 4096 bytes");
    EXPECT_TRUE(b->told.empty());
}

TEST_F(Intruders, Of_an_edition_before_the_first_are_told_so) {
    std::string frame;
    put_frame(to_bytes(Opening{.newest = 7}) + "the past", frame);
    EXPECT_EQ(
        refused(frame),
        fmt::format("it speaks edition 7 of the link protocol, this host {} to {}; install a later allot "
                    "there",
                    first_edition, newest_edition));
}

TEST_F(Intruders, That_do_not_know_the_edition_of_the_hosts_are_told_so) {
    auto hello = hello_of_ant();
    hello.opening.newest = former_edition;
    b->mesh->update({{"ant", "127.0.0.1:0"}, {"bee", b->address()}}, newest_edition);
    EXPECT_EQ(refused(framed(hello)),
              fmt::format("the hosts of this cluster write edition {}, and host ant knows {} only; install a "
                          "later allot there",
                          newest_edition, former_edition));
}

TEST_F(Intruders, With_a_wrong_hello_are_told_why) {
    auto hello = hello_of_ant();
    hello.from = "wasp";
    EXPECT_EQ(refused(framed(hello)), "host wasp is not in the cluster; `allot cluster join` brings it in");
    hello = hello_of_ant();
    hello.from = "bee";
    EXPECT_EQ(refused(framed(hello)), "host bee is not in the cluster; `allot cluster join` brings it in")
        << "that is bee itself";
    hello = hello_of_ant();
    hello.from_number = 2;
    EXPECT_EQ(refused(framed(hello)), "host ant has number 3 in its list of hosts, and number 1 in this one");
    hello = hello_of_ant();
    hello.to_number = 0;
    EXPECT_EQ(refused(framed(hello)), "host bee has number 1 in its list of hosts, and number 2 in this one");
    hello = hello_of_ant();
    hello.agreement = 43;
    hello.settings[1].value = "3";
    const std::string differs =
        "its configuration differs: semaphores.builds is 2 on host bee and 3 on host ant; write the same on "
        "all hosts, or bring the one that is wrong back with `allot cluster join`";
    EXPECT_EQ(refused(framed(hello)), differs);
    EXPECT_EQ(b->problem(ant), differs);
    hello.settings = {{"register.lease", "3s"}, {"semaphores.a\n", "1"}, {"semaphores.builds", "2"}};
    EXPECT_THAT(refused(framed(hello)),
                testing::HasSubstr(": semaphores.a? is not set on host bee and 1 on host ant;"));
    hello.settings.resize(1);
    EXPECT_THAT(refused(framed(hello)),
                testing::HasSubstr(": semaphores.builds is 2 on host bee and not set on host ant;"));
    hello.settings = quick_config(bee).settings;
    EXPECT_EQ(refused(framed(hello)), "its configuration differs: compare the configurations of both hosts");
    hello = hello_of_ant();
    hello.payload_limit = 10'001;
    EXPECT_EQ(refused(framed(hello)), "it takes payloads of up to 10001 bytes, host bee of up to 10000");
    hello = hello_of_ant();
    hello.to = "cat";
    EXPECT_EQ(refused(framed(hello)), "it expects host cat, this is host bee");
    EXPECT_TRUE(b->told.empty());
}

TEST_F(Intruders, Whose_hello_is_too_long_are_not_even_read) {
    auto hello = hello_of_ant();
    hello.from = std::string(5'000, 'x');
    EXPECT_EQ(refused(framed(hello)), "it sent a frame of more than 4096 bytes");
}

TEST_F(Intruders, That_trickle_have_to_be_done_in_time) {
    Raw raw(loop, b->address());
    const std::string hello = framed(hello_of_ant());
    std::size_t next = 0;
    Timer timer(loop);
    const std::function<void()> trickle = [&] {
        raw.stream->write(hello.substr(next++ % hello.size(), 1));
        timer.set(milliseconds(10), trickle);
    };
    trickle();
    ASSERT_TRUE(until([&] { return raw.closed; }));
    EXPECT_LT(next, hello.size()) << "the test is slow enough";
    EXPECT_TRUE(b->told.empty());
}

TEST_F(Intruders, That_connect_and_say_nothing_have_to_go) {
    Raw raw(loop, b->address());
    EXPECT_TRUE(until([&] { return raw.closed; }));
}

TEST_F(Intruders, Do_no_harm_to_the_link_there_is) {
    auto config = quick_config(ant);
    config.hosts[bee].address = b->address();
    config.frame_limit = small_limit;
    a = std::make_unique<TestHost>(loop, config);
    a->start();
    ASSERT_TRUE(until([&] { return a->is_connected(bee); }));
    refused(std::string(100, '\0'));
    refused(std::string(100, '\xff'));
    auto hello = hello_of_ant();
    hello.agreement = 1;
    refused(framed(hello));
    hello = hello_of_ant();
    hello.position.incarnation = 0;
    const std::string why = refused(framed(hello));
    EXPECT_TRUE(why.starts_with("host ant runs already: host bee has a link to it, from 127.0.0.1:")) << why;
    a->mesh->send(bee, "still there");
    ASSERT_TRUE(until([&] { return !b->received.empty(); }));
    EXPECT_EQ(a->mesh->status(bee).reconnects, 0u);
    EXPECT_EQ(b->told, std::vector<std::string>{"connected 0 1 fresh"});
}

TEST_F(Intruders, That_became_a_link_must_keep_to_the_rules) {
    EXPECT_EQ(broken_off(std::string("\x02\0\0\0\x09\x01", 6)), "it sent a malformed frame");
    EXPECT_EQ(broken_off(frame({FrameKind::payload, 2}, "x")), "it sent payload 2 after 0");
    EXPECT_EQ(broken_off(frame({FrameKind::acknowledge, 1})), "it acknowledges 1 payloads of 0");
    EXPECT_EQ(broken_off(frame({FrameKind::payload, 1}, std::string(10'100, 'x'))),
              "it sent a frame of more than 10011 bytes");
    EXPECT_EQ(b->problem(ant), "it sent a frame of more than 10011 bytes");
    EXPECT_EQ(broken_off(frame({FrameKind::refusal}, "as I \x1b wish")), "refused: as I ? wish");
    EXPECT_TRUE(b->received.empty());
    broken_off(frame({FrameKind::payload, 1}, "one") + frame({FrameKind::payload, 1}, "one") +
               frame({FrameKind::payload, 2}, "two") + frame({FrameKind::goodbye, 0}) +
               frame({FrameKind::payload, 3}, "after the goodbye"));
    EXPECT_EQ(b->received, (std::vector<std::string>{"one", "two"}));
}

// --- The process of another host

TEST_F(MeshFaults, Tell_the_end_of_an_incarnation_when_its_process_is_gone) {
    const auto config = quick_config(ant);
    b = std::make_unique<TestHost>(loop, quick_config(bee));
    b->start();
    const pid_t child = ::fork();
    if (child == 0) {
        // ant, in a process of its own; what was inherited belongs to bee and is not touched.
        boost::asio::io_context own;
        auto of_ant = config;
        of_ant.hosts[bee].address = b->address();
        TestHost host(own, of_ant);
        host.start();
        host.mesh->send(bee, "last words");
        own.run();
        ::_exit(0);
    }
    ASSERT_TRUE(until([&] { return !b->received.empty(); }));
    EXPECT_FALSE(b->was_told("ended 0 1"));
    b->mesh->send(ant, "to the dead");
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_TRUE(until([&] { return b->was_told("ended 0 1"); }));
    EXPECT_EQ(b->told, (std::vector<std::string>{"connected 0 1 fresh", "disconnected 0", "ended 0 1"}));
    EXPECT_EQ(b->mesh->status(ant).unacknowledged_bytes, 0u);
    EXPECT_EQ(b->problem(ant), "its process has ended");
    b->mesh->send(ant, "to the dead");
    EXPECT_EQ(b->mesh->status(ant).unacknowledged_bytes, 0u) << "nothing piles up for who is gone for good";
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(MeshFaults, Hear_the_last_payloads_of_a_process_that_stops_in_order_and_then_its_end) {
    const auto config = quick_config(ant);
    b = std::make_unique<TestHost>(loop, quick_config(bee));
    b->start();
    const pid_t child = ::fork();
    if (child == 0) {
        boost::asio::io_context own;
        auto of_ant = config;
        of_ant.hosts[bee].address = b->address();
        TestHost host(own, of_ant);
        host.start();
        const bool connected = run_until(own, [&] { return host.is_connected(bee); });
        host.mesh->send(bee, "last words");
        host.mesh->stop();
        ::_exit(connected ? 0 : 1);
    }
    ASSERT_TRUE(until([&] { return b->was_told("ended 0 1"); }));
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(b->received, std::vector<std::string>{"last words"});
    EXPECT_EQ(b->told, (std::vector<std::string>{"connected 0 1 fresh", "disconnected 0", "ended 0 1"}));
}

}  // namespace
}  // namespace allot::net
