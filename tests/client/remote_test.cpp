// Programs whose daemon is elsewhere: over TCP, with TLS and without.
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allot/client.hpp"
#include "net/cert.hpp"
#include "support/folder.hpp"
#include "support/node.hpp"

namespace allot::client {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::free_port;

// Certificates of one authority for the daemon and a program.
struct Papers {
    Papers() {
        const auto made =
            net::make_certificates({.folder = folder / "", .hosts = {"alpha"}, .programs = {"ann"}});
        EXPECT_TRUE(made) << made.error();
    }

    std::string file(const std::string& name) const { return folder / name; }
    std::string table() const {
        return fmt::format("[tls]\ncertificate = \"{}\"\nkey = \"{}\"\nauthority = \"{}\"\n",
                           file("alpha.pem"), file("alpha.key"), file("ca.pem"));
    }

    test::TemporaryFolder folder;
};

struct RemoteTest : testing::Test {
    Options options() const {
        Options options;
        options.address = fmt::format("tls:127.0.0.1:{}", port);
        options.connect_timeout = 10s;
        options.certificate = papers.file("programs/ann.pem");
        options.key = papers.file("programs/ann.key");
        options.authority = papers.file("ca.pem");
        options.server_name = "alpha";
        return options;
    }

    static std::string failure_of(const Options& options, Code code) {
        try {
            Session::connect(options).acquire(Demand().lock("db"), 10s);
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.code(), code) << failure.what();
            return failure.what();
        }
        ADD_FAILURE() << "it should have failed";
        return "";
    }

    Papers papers;
    int port = free_port();
    test::Node node{fmt::format("clients = \"127.0.0.1:{}\"\n", port), papers.table()};
};

TEST_F(RemoteTest, A_program_elsewhere_asks_over_TLS) {
    Session session = Session::connect(options());
    EXPECT_EQ(session.host(), "alpha");
    const Lease lease = session.acquire(Demand().lock("db").permit("builds", 2), 10s);
    EXPECT_TRUE(lease.valid());
    EXPECT_TRUE(node.must_wait(Demand().lock("db")));
}

TEST_F(RemoteTest, Many_requests_at_once_pass_through_TLS) {
    Session session = Session::connect(options());
    std::vector<Lease> leases;
    for (int i = 0; i < 50; ++i)
        leases.push_back(session.acquire(Demand().lock(fmt::format("a rather long name {}", i)), 30s));
    for (const Lease& lease : leases) EXPECT_TRUE(lease.valid()) << lease.lost_because();
    EXPECT_TRUE(node.must_wait(Demand().lock("a rather long name 49")));
}

TEST_F(RemoteTest, The_daemon_must_be_who_it_is_said_to_be) {
    Options wrong = options();
    wrong.server_name = "beta";
    EXPECT_NE(failure_of(wrong, Code::unreachable).find("ostname mismatch"), std::string::npos);
}

TEST_F(RemoteTest, The_daemon_must_be_signed_by_our_authority) {
    const Papers others;
    Options wrong = options();
    wrong.authority = others.file("ca.pem");
    EXPECT_NE(failure_of(wrong, Code::unreachable).find("certificate"), std::string::npos);
}

TEST_F(RemoteTest, So_must_the_program) {
    const Papers others;
    Options wrong = options();
    wrong.certificate = others.file("programs/ann.pem");
    wrong.key = others.file("programs/ann.key");
    wrong.resume_within = 100ms;
    failure_of(wrong, Code::unreachable);
}

TEST_F(RemoteTest, A_file_that_is_not_there_is_named) {
    Options wrong = options();
    wrong.key = papers.file("nobody.key");
    EXPECT_NE(failure_of(wrong, Code::wrong).find("nobody.key"), std::string::npos);
}

TEST_F(RemoteTest, Over_a_network_a_silent_daemon_costs_locks_too) {
    Session session = Session::connect(options());
    const Lease lease = session.acquire(Demand().lock("db"), 10s);
    node.send(SIGSTOP);
    EXPECT_TRUE(eventually([&] { return !lease.valid(); }));
    node.send(SIGCONT);
}

TEST_F(RemoteTest, A_session_is_taken_up_again_over_TLS) {
    Session session = Session::connect(options());
    const Lease lease = session.acquire(Demand().lock("db"), 10s);
    node.end(SIGTERM);
    node.start();
    const Lease more = session.acquire(Demand().lock("gpu0"), 10s);
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
}

TEST_F(RemoteTest, A_session_that_connects_again_uses_renewed_files) {
    Session session = Session::connect(options());
    session.acquire(Demand().lock("db"), 10s);
    const Papers renewed;
    for (const char* name : {"ca.pem", "alpha.pem", "alpha.key", "programs/ann.pem", "programs/ann.key"})
        std::filesystem::copy_file(renewed.file(name), papers.file(name),
                                   std::filesystem::copy_options::overwrite_existing);
    node.end(SIGTERM);
    node.start();
    EXPECT_GT(session.acquire(Demand().lock("db"), 10s).fence(), 0U);
}

TEST_F(RemoteTest, A_process_is_followed_only_on_its_own_host) {
    Session session = Session::connect(options());
    Lease lease = session.acquire(Demand().lock("db"), 10s);
    try {
        lease.follow(::getpid());
        ADD_FAILURE() << "it should have failed";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.code(), Code::wrong) << failure.what();
    }
    EXPECT_TRUE(lease.valid());
}

// A process that holds a lock, so that only its end, and not its will, ends the connection.
class Holder {
public:
    // It may ask for something else, too, and never look whether it gets it.
    Holder(const Options& options, const std::string& lock, const std::string& asked = "") {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, talk_), 0);
        child_ = ::fork();
        if (child_ == 0) live(options, lock, asked);
        EXPECT_TRUE(answered());
    }
    // Returns when it has spoken with the daemon once more.
    void go_on() {
        EXPECT_EQ(::write(talk_[0], "g", 1), 1);
        EXPECT_TRUE(answered());
    }
    void stop() { ::kill(child_, SIGSTOP); }
    bool believes_in_it() {
        ::kill(child_, SIGCONT);
        EXPECT_EQ(::write(talk_[0], "v", 1), 1);
        return answered();
    }
    void die() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }

private:
    [[noreturn]] void live(const Options& options, const std::string& lock, const std::string& asked) {
        try {
            Session session = Session::connect(options);
            if (!asked.empty()) session.async_acquire(Demand().lock(asked), 60s, [](const Outcome&) {});
            const Lease held = session.acquire(Demand().lock(lock), 10s);
            char word = 0;
            if (::write(talk_[1], "y", 1) != 1 || ::read(talk_[1], &word, 1) != 1) ::_exit(1);
            std::optional<Lease> more;
            if (word == 'g') more = session.acquire(Demand().lock("more"), 10s);
            if (::write(talk_[1], held.valid() ? "y" : "n", 1) != 1) ::_exit(1);
            while (true) ::pause();
        } catch (const Failure&) {
            ::_exit(1);
        }
    }
    bool answered() {
        char word = 0;
        return ::read(talk_[0], &word, 1) == 1 && word == 'y';
    }

    int talk_[2]{};
    pid_t child_ = 0;
};

TEST(LoopbackTest, Who_went_away_after_a_restart_keeps_its_lock_for_as_long_as_it_may_believe_in_it) {
    const int port = free_port();
    test::Node node{fmt::format("clients = \"127.0.0.1:{}\"\n", port),
                    "[bootstrap]\nlease = \"5s\"\n[limits]\nresume_within = \"3s\"\n"};
    Options options;
    options.address = fmt::format("tcp:127.0.0.1:{}", port);
    Holder far(options, "far");
    Holder stopped(node.options(), "left");
    stopped.stop();
    node.end(SIGTERM);
    node.start();
    far.go_on();
    std::this_thread::sleep_for(1s);
    far.die();
    // The patience with programs that did not come back is over now; for `far` it began later.
    Session near = node.session();
    near.acquire(Demand().lock("left"), 30s);
    EXPECT_TRUE(node.must_wait(Demand().lock("far")));
    stopped.die();
}

TEST(StoppedHolder, Knows_that_its_lock_may_be_given_away_though_no_daemon_says_so) {
    test::Node node("", "[limits]\nresume_within = \"1s\"\n");
    Holder holder(node.options(), "db");
    holder.stop();
    node.end(SIGTERM);
    node.start();
    Session other = node.session();
    const Lease given = other.acquire(Demand().lock("db"), 30s);
    node.send(SIGSTOP);
    EXPECT_FALSE(holder.believes_in_it());
    node.send(SIGCONT);
    holder.die();
}

// The last words of a daemon say nothing about how long ago it ended.
TEST(StoppedHolder, Is_not_deceived_by_what_was_said_before_the_end) {
    test::Node node("", "[limits]\nresume_within = \"1s\"\n");
    Session other = node.session();
    Lease more = other.acquire(Demand().lock("more"), 10s);
    Holder holder(node.options(), "db", "more");
    holder.stop();
    more.release();
    other.acquire(Demand().lock("another"), 10s);  // now it was given to the holder
    node.end(SIGTERM);
    node.start();
    const Lease given = node.session().acquire(Demand().lock("db"), 30s);
    node.send(SIGSTOP);
    EXPECT_FALSE(holder.believes_in_it());
    node.send(SIGCONT);
    holder.die();
}

TEST(DeadHolder, Is_not_waited_for_after_a_restart) {
    test::Node node("", "[limits]\nresume_within = \"600s\"\n");
    Holder holder(node.options(), "db");
    node.end(SIGTERM);
    holder.die();
    node.start();
    EXPECT_TRUE(node.session().try_acquire(Demand().lock("db"), 30s));
}

TEST(LoopbackTest, Without_TLS_a_program_on_the_same_machine_may_use_TCP) {
    const int port = free_port();
    const test::Node node(fmt::format("clients = \"127.0.0.1:{}\"\n", port));
    Options options;
    options.address = fmt::format("tcp:127.0.0.1:{}", port);
    Session session = Session::connect(options);
    EXPECT_GT(session.acquire(Demand().lock("db"), 10s).fence(), 0U);
}

}  // namespace
}  // namespace allot::client
