// What a real daemon says to those who ask for too much, or speak another version; and that others are
// unharmed.
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>

#include "base/descriptor.hpp"
#include "client/socket.hpp"
#include "client/status.hpp"
#include "daemon/permissions.hpp"
#include "session/frames.hpp"
#include "session/speak.hpp"
#include "support/node.hpp"

namespace allot::daemon::doors_tests {
namespace {

using client::Code;
using client::Demand;
using client::Failure;
using client::Lease;
using client::Session;
using test::eventually;
using testing::HasSubstr;
using namespace std::chrono_literals;

std::string failure_of(Code code, const std::function<void()>& action) {
    try {
        action();
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.code(), code) << failure.what();
        return failure.what();
    }
    ADD_FAILURE() << "it should have failed";
    return "";
}

std::size_t count_of(const std::string& part, const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

sockaddr_un unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

sockaddr_in loopback_address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

template <class Address>
Descriptor connected_to(const Address& address) {
    Descriptor socket(::socket(reinterpret_cast<const sockaddr&>(address).sa_family, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
}

template <class Address>
Descriptor listening_at(const Address& address) {
    Descriptor socket(::socket(reinterpret_cast<const sockaddr&>(address).sa_family, SOCK_STREAM, 0));
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket.get(), 4), 0);
    return socket;
}

std::uint16_t port_of(const Descriptor& socket) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    return ntohs(address.sin_port);
}

std::string read_all(const Descriptor& socket) {
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::recv(socket.get(), part.data(), part.size(), 0)) > 0;)
        all.append(part.data(), static_cast<std::size_t>(count));
    return all;
}

void send_frame(const Descriptor& socket, const std::string& content) {
    std::string frame;
    put_frame(content, frame);
    EXPECT_EQ(::send(socket.get(), frame.data(), frame.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(frame.size()));
}

// Of an earlier version, and then something that this one does not know.
const std::string session_hello_7("\x00\x07\xff\xff what is this", 16);
const std::string link_hello_7(
    "\x0a"
    "allot link\x07\xff\xff what is this");

// --- Limits

TEST(LimitsTest, A_session_with_too_many_requests_is_refused_one_more_and_others_are_unharmed) {
    const test::Node node("", "[limits]\nrequests_per_session = 3\n");
    Session session = node.session();
    std::vector<Lease> leases;
    for (const char* name : {"a", "b", "c"}) leases.push_back(session.acquire(Demand().lock(name), 10s));
    EXPECT_EQ(failure_of(Code::limit, [&] { session.acquire(Demand().lock("d"), 10s); }),
              "this session has 3 open requests, which is the limit");
    EXPECT_TRUE(leases.front().valid());
    EXPECT_NO_THROW(node.session().acquire(Demand().lock("d"), 10s));
    leases.pop_back();
    EXPECT_NO_THROW(session.acquire(Demand().lock("d"), 10s));
}

TEST(LimitsTest, One_user_does_not_take_all_sessions) {
    const test::Node node("", "[limits]\nsessions = 100\nsessions_per_user = 2\n");
    const Session first = node.session();
    {
        const Session second = node.session();
        const std::string why = failure_of(Code::unavailable, [&] { node.session(); });
        EXPECT_NE(why.find("has 2 sessions, which is the limit for one user; try again later"),
                  std::string::npos)
            << why;
    }
    EXPECT_TRUE(test::eventually([&] {
        try {
            node.session();
            return true;
        } catch (const client::Failure&) {
            return false;
        }
    }));
}

TEST(LimitsTest, Requests_that_wait_count_as_well) {
    const test::Node node("", "[limits]\nrequests_per_session = 2\n");
    Session holder = node.session();
    const Lease held = holder.acquire(Demand().lock("db"), 10s);
    Session session = node.session();
    for (int i = 0; i < 2; ++i) session.async_acquire(Demand().lock("db"), {}, [](const client::Outcome&) {});
    failure_of(Code::limit, [&] { session.acquire(Demand().lock("other"), 10s); });
    EXPECT_TRUE(held.valid());
}

// Without a bound this status would have tens of megabytes.
TEST(LimitsTest, The_status_of_thousands_who_wait_for_many_locks_fits_into_a_frame) {
    const std::uint16_t page = port_of(listening_at(loopback_address(0)));
    const test::Node node(fmt::format("http = \"127.0.0.1:{}\"\n", page),
                          "[limits]\nmemory_megabytes = 512\n");
    constexpr int sessions = 12;
    constexpr int requests = 250;
    Demand demand;
    for (int i = 0; i < 50; ++i) demand.lock(fmt::format("{:-<100}{:02}", "a rather long name", i));
    Session holder = node.session();
    const Lease held = holder.acquire(demand, 10s);
    std::vector<Session> waiters;
    for (int i = 0; i < sessions; ++i) {
        waiters.push_back(node.session());
        for (int j = 0; j < requests; ++j)
            waiters.back().async_acquire(demand, {}, [](const client::Outcome&) {});
    }
    session::Status status;
    EXPECT_TRUE(eventually([&] {
        status = client::ask_status(node.options(), 10s);
        const auto& first = status.resources.front();
        return first.waiters.size() + first.more_waiters == std::size_t{sessions} * requests;
    }));
    ASSERT_GE(status.resources.size(), 50u);
    for (const session::ResourceStatus& one : status.resources) {
        if (one.kind != "lock") continue;
        EXPECT_EQ(one.holders.size(), 1u);
        EXPECT_GE(one.waiters.size(), 1u);
        EXPECT_EQ(one.waiters.size() + one.more_waiters, std::size_t{sessions} * requests);
    }
    const Descriptor visitor = connected_to(loopback_address(page));
    const std::string question = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    EXPECT_EQ(::send(visitor.get(), question.data(), question.size(), 0),
              static_cast<ssize_t>(question.size()));
    const std::string metrics = read_all(visitor);
    EXPECT_THAT(metrics, HasSubstr("\nallot_leases_held 1\n"));
    EXPECT_THAT(metrics, HasSubstr("\nallot_leases_waiting 3000\n"));
}

// --- Processes that are followed

std::string frame_of(const session::ClientMessage& message) {
    std::string frame;
    std::visit(
        [&](const auto& one) { session::put_message<session::ClientMessage>(one, newest_edition, frame); },
        message);
    return frame;
}

// Each answer takes the daemon some milliseconds here, so all of them would take it minutes.
TEST(LimitsTest, Who_asks_for_the_status_again_and_again_keeps_nobody_waiting) {
    const test::Node node;
    Session greedy = node.session();
    for (int i = 0; i < 200; ++i) {
        Demand demand;
        for (int j = 0; j < 64; ++j) demand.lock(fmt::format("lock-{}-{}", i, j));
        greedy.acquire(demand, 10s);
    }
    client::Socket asker(connected_to(unix_address(node.options().address)));
    std::string questions = frame_of(session::Hello{});
    for (int i = 0; i < 20'000; ++i) questions += frame_of(session::StatusQuery{});
    ASSERT_TRUE(asker.send(questions));
    Session other = node.session();
    EXPECT_NO_THROW(other.acquire(Demand().lock("db"), 10s));
    EXPECT_NO_THROW(client::ask_status(node.options(), 10s));
}

TEST(FollowTest, Who_cannot_be_watched_is_told_so_and_keeps_its_lock_until_it_gives_it_back) {
    const test::Node node;
    client::Socket holder(connected_to(unix_address(node.options().address)));
    const session::Acquire want{.ticket = 1, .locks = {"db"}};
    // Nothing comes along with this one, as if there had been no room for it.
    const std::string words =
        frame_of(session::Hello{}) + frame_of(want) + frame_of(session::Follow{1, ::getpid()});
    ASSERT_TRUE(holder.send(words));
    std::string heard;
    std::array<char, 4096> part{};
    EXPECT_TRUE(eventually([&] {
        heard += holder.receive(part, client::Clock::now() + 1ms, -1, false).bytes;
        return heard.find("cannot watch the process") != std::string::npos;
    }));
    EXPECT_TRUE(node.must_wait(Demand().lock("db")));
    ASSERT_TRUE(holder.send(frame_of(session::Release{1})));
    EXPECT_NO_THROW(node.session().acquire(Demand().lock("db"), 10s));
}

TEST(FollowTest, A_process_is_not_watched_longer_than_its_ticket_lasts) {
    test::Node node;
    Session session = node.session();
    const Lease lease = session.acquire(Demand().lock("db"), 10s);
    client::Socket waiter(connected_to(unix_address(node.options().address)));
    ASSERT_TRUE(waiter.send(frame_of(session::Hello{})));
    std::string heard;
    std::array<char, 4096> part{};
    const auto hears = [&](const std::string& what) {
        return eventually([&] {
            const auto received = waiter.receive(part, client::Clock::now() + 1ms, -1, false);
            heard += received.bytes;
            return heard.find(what) != std::string::npos;
        });
    };
    ASSERT_TRUE(hears("alpha"));
    const std::size_t before = node.descriptors();
    const Descriptor self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    for (session::Ticket ticket = 1; ticket <= 10; ++ticket) {
        heard.clear();
        ASSERT_TRUE(waiter.send(frame_of(session::Acquire{ticket, {"db"}, {}, 100'000})));
        ASSERT_TRUE(waiter.send_with(frame_of(session::Follow{ticket, ::getpid()}), self.get()));
        ASSERT_TRUE(hears("cannot follow ticket"));
    }
    EXPECT_EQ(node.descriptors(), before);
    for (session::Ticket ticket = 11; ticket <= 20; ++ticket) {
        ASSERT_TRUE(waiter.send(frame_of(session::Acquire{ticket, {"free"}, {}, 0})));
        ASSERT_TRUE(waiter.send_with(frame_of(session::Follow{ticket, ::getpid()}), self.get()));
        ASSERT_TRUE(waiter.send(frame_of(session::Release{ticket})));
    }
    heard.clear();
    ASSERT_TRUE(waiter.send(frame_of(session::StatusQuery{false})));
    ASSERT_TRUE(hears("alpha"));
    EXPECT_EQ(node.descriptors(), before);
}

// The daemon hears of the process before it notices how much time has passed.
TEST(FollowTest, A_lease_that_ended_while_the_daemon_was_stopped_follows_nobody) {
    const test::Node node;
    client::Socket holder(connected_to(unix_address(node.options().address)));
    ASSERT_TRUE(holder.send(frame_of(session::Hello{}) + frame_of(session::Acquire{1, {"db"}, {}, 0})));
    std::string heard;
    std::array<char, 4096> part{};
    const auto hears = [&](const std::string& what) {
        return eventually([&] {
            heard += holder.receive(part, client::Clock::now() + 1ms, -1, false).bytes;
            return heard.find(what) != std::string::npos;
        });
    };
    ASSERT_TRUE(hears("db"));
    node.send(SIGSTOP);
    const Descriptor self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    ASSERT_TRUE(holder.send_with(frame_of(session::Follow{1, ::getpid()}), self.get()));
    std::this_thread::sleep_for(1500ms);  // longer than a lease
    node.send(SIGCONT);
    EXPECT_TRUE(hears("the lease of this host has ended")) << node.log();
    EXPECT_NO_THROW(node.session().acquire(Demand().lock("db"), 10s)) << node.log();
}

TEST(FollowTest, Only_processes_of_the_same_user_or_of_its_own_are_followed) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const auto may_follow = [&](std::int32_t asker, std::uint32_t user) {
        net::Identity identity;
        identity.process = {.pid = asker, .uid = user, .groups = {}};
        return Permissions::may_follow(identity, child);
    };
    const std::uint32_t other = ::getuid() + 1;
    const pid_t elsewhere = ::getppid();
    EXPECT_TRUE(may_follow(elsewhere, ::getuid()));
    EXPECT_TRUE(may_follow(elsewhere, 0));
    EXPECT_TRUE(may_follow(::getpid(), other)) << "it has started it";
    EXPECT_FALSE(may_follow(elsewhere, other));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

// --- Other versions

struct VersionTest : testing::Test {
    std::string socket_path() const { return node.options().address; }

    test::Node node;
};

TEST_F(VersionTest, A_program_of_another_version_is_told_so_and_others_are_unharmed) {
    Session session = node.session();
    const Lease lease = session.acquire(Demand().lock("db"), 10s);
    for (int i = 0; i < 3; ++i) {
        const Descriptor stranger = connected_to(unix_address(socket_path()));
        send_frame(stranger, session_hello_7);
        const std::string answer = read_all(stranger);
        ASSERT_GT(answer.size(), frame_head);
        const auto message = from_bytes<session::DaemonMessage>(std::string_view(answer).substr(frame_head));
        ASSERT_TRUE(message && std::holds_alternative<session::Farewell>(*message));
        EXPECT_EQ(
            std::get<session::Farewell>(*message).reason,
            fmt::format("the program speaks edition 7 of the session protocol, this daemon {} to {}; install "
                        "the same allot for both",
                        first_edition, newest_edition));
    }
    EXPECT_EQ(count_of("the program speaks edition 7", node.log()), 1u) << node.log();
    EXPECT_TRUE(lease.valid());
    EXPECT_TRUE(session.try_acquire(Demand().lock("gpu0"), 10s));
}

// A command's exit code and all that it says.
std::pair<int, std::string> said_by(const std::string& command) {
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::string text;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    return {WEXITSTATUS(::pclose(pipe)), text};
}

TEST_F(VersionTest, A_program_says_so_if_its_daemon_speaks_another_version) {
    const std::string path = socket_path() + ".2";
    const Descriptor listener = listening_at(unix_address(path));
    std::thread daemon([&] {
        const Descriptor program(::accept(listener.get(), nullptr, nullptr));
        std::array<char, 4096> hello{};
        EXPECT_GT(::recv(program.get(), hello.data(), hello.size(), 0), 0);
        send_frame(program, session_hello_7);  // a Welcome begins in the same way
        read_all(program);
    });
    const auto [code, text] = said_by(fmt::format(ALLOT_COMMAND " run --socket {} --lock db -- true", path));
    EXPECT_EQ(code, 119);
    EXPECT_EQ(text,
              fmt::format("allot: refused: {}: the daemon speaks edition 7 of the session protocol, this "
                          "program {} to {}; install the same allot for both\n",
                          path, first_edition, newest_edition));
    daemon.join();
}

TEST(LinkVersionTest, A_host_that_answers_in_another_version_is_told_so_and_programs_are_unharmed) {
    const Descriptor beta = listening_at(loopback_address(0));
    const test::Node alpha(
        "",
        fmt::format("[bootstrap.hosts]\nalpha = \"127.0.0.1:0\"\nbeta = \"127.0.0.1:{}\"\n", port_of(beta)));
    const std::string why = fmt::format(
        "it speaks edition 7 of the link protocol, this host {} to {}; install a later "
        "allot there",
        first_edition, newest_edition);
    for (int i = 0; i < 3; ++i) {
        const Descriptor link(::accept(beta.get(), nullptr, nullptr));
        send_frame(link, link_hello_7);
        EXPECT_THAT(read_all(link), HasSubstr(why));
    }
    const std::string line = "no link to host beta: " + why;
    EXPECT_TRUE(eventually([&] { return count_of(line, alpha.log()) == 1; })) << alpha.log();
    EXPECT_NO_THROW(alpha.session());
    const session::Status status = client::ask_status(alpha.options(), 10s);
    ASSERT_EQ(status.hosts.front().links.size(), 1u);
    EXPECT_EQ(status.hosts.front().links.front().problem, why);
}

}  // namespace
}  // namespace allot::daemon::doors_tests
