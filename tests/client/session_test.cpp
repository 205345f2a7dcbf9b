// Programs and a real daemon: what is promised in allot/client.hpp.
#include <atomic>
#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "allot/client.hpp"
#include "client/status.hpp"
#include "support/node.hpp"

namespace allot::client {
namespace {

using namespace std::chrono_literals;
using test::eventually;

Demand db() {
    return Demand().lock("db");
}

Code code_of_failure(const std::function<void()>& action) {
    try {
        action();
    } catch (const Failure& failure) {
        return failure.code();
    }
    ADD_FAILURE() << "it should have failed";
    return Code::wrong;
}

struct SessionTest : testing::Test {
    test::Node node;
    Session session = node.session();
};

TEST_F(SessionTest, Fences_grow_from_holder_to_holder) {
    Lease first = session.acquire(db(), 10s);
    const auto fence = first.fence();
    EXPECT_TRUE(first.valid());
    first.release();
    EXPECT_FALSE(first.valid());
    EXPECT_GT(session.acquire(db(), 10s).fence(), fence);
}

TEST_F(SessionTest, All_of_a_demand_is_granted_together) {
    const Lease lease = session.acquire(Demand().lock("gpu0").lock("db").permit("builds", 2), 10s);
    ASSERT_EQ(lease.held().size(), 3U);
    EXPECT_EQ(lease.held()[0].name, "gpu0");
    EXPECT_EQ(lease.held()[2].name, "builds");
    EXPECT_NO_THROW((void)lease.fence("db"));
    EXPECT_THROW((void)lease.fence(), std::logic_error);
    EXPECT_TRUE(node.must_wait(db()));
    EXPECT_TRUE(node.must_wait(Demand().permit("builds")));
    EXPECT_FALSE(node.must_wait(Demand().lock("gpu1"))) << "nobody holds it";
}

TEST_F(SessionTest, Who_finds_it_busy_gets_it_when_it_is_given_back) {
    Session other = node.session();
    {
        const Lease lease = session.acquire(db(), 10s);
        EXPECT_TRUE(node.must_wait(db()));
        EXPECT_FALSE(other.try_acquire(db()));
        const auto asked = Clock::now();
        EXPECT_EQ(code_of_failure([&] { other.acquire(db(), 5ms); }), Code::timed_out);
        EXPECT_GE(Clock::now() - asked, 5ms) << "too early";
    }
    EXPECT_TRUE(other.try_acquire(db(), 10s));
}

TEST_F(SessionTest, A_semaphore_has_as_many_permits_as_it_was_given) {
    const Demand one = Demand().permit("builds");
    const auto first = session.acquire(one, 10s);
    {
        const auto second = session.acquire(one, 10s);
        EXPECT_TRUE(node.must_wait(one));
    }
    EXPECT_TRUE(session.try_acquire(one, 10s));
}

TEST_F(SessionTest, What_makes_no_sense_is_refused) {
    EXPECT_EQ(code_of_failure([&] { session.acquire(Demand(), 1s); }), Code::wrong);
    EXPECT_EQ(code_of_failure([&] { session.acquire(Demand().permit("undeclared"), 10s); }), Code::wrong);
    EXPECT_EQ(code_of_failure([&] { session.acquire(Demand().permit("builds", 3), 10s); }), Code::wrong);
    EXPECT_EQ(code_of_failure([&] { session.acquire(Demand().lock("d\xFF"), 10s); }), Code::wrong);
}

TEST_F(SessionTest, A_session_that_ends_gives_everything_back) {
    std::optional<Session> other = node.session();
    std::optional<Lease> lease = other->acquire(db(), 10s);
    other.reset();
    EXPECT_TRUE(node.must_wait(db())) << "the lease keeps its session";
    lease.reset();
    EXPECT_TRUE(session.try_acquire(db(), 10s));
}

TEST_F(SessionTest, Threads_share_one_session) {
    int unprotected = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                const Lease lease = session.acquire(db(), 60s);
                ++unprotected;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(unprotected, 400);
}

// How long it has run so far. That of a thread that sleeps stays as it is, to the nanosecond.
std::chrono::nanoseconds run_time(std::thread& thread) {
    clockid_t clock{};
    EXPECT_EQ(::pthread_getcpuclockid(thread.native_handle(), &clock), 0);
    timespec time{};
    EXPECT_EQ(::clock_gettime(clock, &time), 0);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST_F(SessionTest, Threads_that_wait_without_a_deadline_sleep) {
    std::optional<Lease> held = node.session().acquire(db(), 10s);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { session.acquire(db()); });
    EXPECT_TRUE(eventually([&] {
        const auto resources = ask_status(node.options(), 10s).resources;
        return resources.size() == 2 && resources.front().waiters.size() == 2;  // db, and builds
    }));
    // They do not run at all while somebody else is served twenty times; but for a chore now and then.
    Session other = node.session();
    for (std::thread& thread : threads)
        EXPECT_TRUE(eventually([&] {
            const auto before = run_time(thread);
            for (int i = 0; i < 20; ++i) other.acquire(Demand().lock("gpu0"), 10s);
            return run_time(thread) == before;
        }));
    held.reset();
    for (std::thread& thread : threads) thread.join();
}

TEST_F(SessionTest, A_callback_gets_the_lease_and_others_go_on) {
    Lease held = session.acquire(db(), 10s);
    std::promise<Outcome> promise;
    session.async_acquire(db(), 10s, [&](Outcome outcome) { promise.set_value(std::move(outcome)); });
    EXPECT_TRUE(session.try_acquire(Demand().lock("gpu0"), 10s)) << "a synchronous call beside it";
    held.release();
    Lease lease = promise.get_future().get().lease();
    EXPECT_TRUE(lease.valid());
}

TEST_F(SessionTest, A_callback_is_told_of_the_deadline) {
    const Lease held = session.acquire(db(), 10s);
    std::promise<Outcome> promise;
    const auto asked = Clock::now();
    session.async_acquire(db(), 5ms, [&](Outcome outcome) { promise.set_value(std::move(outcome)); });
    const Outcome outcome = promise.get_future().get();
    EXPECT_GE(Clock::now() - asked, 5ms) << "too early";
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.failure().code(), Code::timed_out);
}

TEST_F(SessionTest, A_callback_is_called_even_if_the_session_ends) {
    const Lease held = session.acquire(db(), 10s);
    std::promise<Outcome> promise;
    {
        Session other = node.session();
        other.async_acquire(db(), {}, [&](Outcome outcome) { promise.set_value(std::move(outcome)); });
    }
    EXPECT_FALSE(promise.get_future().get());
}

// The smallest coroutine that can be awaited by nobody.
struct Detached {
    struct promise_type {
        Detached get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

Detached take_and_tell(Session& session, std::promise<std::uint64_t>& fence, std::promise<Code>& code) {
    {
        const Lease lease = co_await session.async_acquire(db(), 10s);
        fence.set_value(lease.fence());
        try {
            const Lease again = co_await session.async_acquire(db(), 5ms);
        } catch (const Failure& failure) {
            code.set_value(failure.code());
        }
    }
}

TEST_F(SessionTest, A_coroutine_goes_on_when_it_is_granted) {
    std::promise<std::uint64_t> fence;
    std::promise<Code> code;
    take_and_tell(session, fence, code);
    EXPECT_GT(fence.get_future().get(), 0U);
    EXPECT_EQ(code.get_future().get(), Code::timed_out);
    EXPECT_TRUE(session.try_acquire(db(), 10s)) << "and gave it back";
}

TEST_F(SessionTest, Who_waits_for_a_stopped_daemon_gives_up_by_its_own_clock) {
    Lease lease = session.acquire(db(), 10s);
    node.send(SIGSTOP);
    const auto asked = Clock::now();
    EXPECT_EQ(code_of_failure([&] { session.acquire(Demand().lock("gpu0"), 50ms); }), Code::timed_out);
    EXPECT_GE(Clock::now() - asked, 50ms) << "too early";
    EXPECT_FALSE(session.try_acquire(Demand().lock("gpu0")));
    Options impatient = node.options();
    impatient.connect_timeout = 50ms;
    EXPECT_EQ(code_of_failure([&] { Session::connect(impatient); }), Code::unreachable);
    EXPECT_TRUE(lease.valid()) << "a lock is not given to others meanwhile";
    node.send(SIGCONT);
    lease.release();
    EXPECT_TRUE(session.try_acquire(Demand().lock("db").lock("gpu0"), 10s)) << "nothing was left behind";
}

TEST_F(SessionTest, Without_a_deadline_a_silent_daemon_is_given_up_too) {
    Options options = node.options();
    options.resume_within = 100ms;
    Session impatient = Session::connect(options);
    node.send(SIGSTOP);
    const auto asked = Clock::now();
    EXPECT_EQ(code_of_failure([&] { impatient.acquire(db()); }), Code::unreachable);
    EXPECT_GE(Clock::now() - asked, 100ms) << "too early";
    node.send(SIGCONT);
}

TEST_F(SessionTest, Permits_are_lost_when_the_daemon_is_silent_for_too_long) {
    const Lease polled = session.acquire(Demand().permit("builds"), 10s);
    Session other = node.session();
    Lease watched = other.acquire(Demand().permit("builds"), 10s);
    std::promise<std::string> reason;
    watched.on_lost([&](const std::string& why) { reason.set_value(why); });
    node.send(SIGSTOP);
    EXPECT_NE(reason.get_future().get().find("does not answer"), std::string::npos);
    EXPECT_TRUE(eventually([&] { return !polled.valid(); }));
    EXPECT_FALSE(watched.valid());
    node.send(SIGCONT);
}

TEST_F(SessionTest, Permits_stay_valid_while_the_daemon_answers) {
    const Lease lease = session.acquire(Demand().permit("builds"), 10s);
    const auto first = lease.valid_until();
    EXPECT_TRUE(eventually([&] { return !lease.valid() || lease.valid_until() > first; }));
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
}

TEST_F(SessionTest, A_daemon_that_is_restarted_in_order_still_knows_what_is_held) {
    Lease lease = session.acquire(db(), 10s);
    const auto fence = lease.fence();
    node.end(SIGTERM);
    node.start();
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
    EXPECT_TRUE(node.must_wait(db()));
    const Lease second = session.acquire(Demand().lock("gpu0"), 10s);
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
    EXPECT_EQ(lease.fence(), fence);
    lease.release();
    EXPECT_TRUE(node.session().try_acquire(db(), 10s));
}

TEST_F(SessionTest, Threads_go_on_while_the_daemon_is_restarted_in_order) {
    std::atomic<bool> enough = false;
    std::atomic<int> inside = 0;
    std::atomic<int> rounds = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            while (!enough) {
                const Lease lease = session.acquire(db(), 60s);
                EXPECT_EQ(++inside, 1);
                EXPECT_TRUE(lease.valid()) << lease.lost_because();
                --inside;
                ++rounds;
            }
        });
    for (int restart = 0; restart < 5; ++restart) {
        const int before = rounds;
        EXPECT_TRUE(eventually([&] { return rounds > before + 20; }));
        node.end(SIGTERM);
        node.start();
    }
    enough = true;
    for (std::thread& thread : threads) thread.join();
}

TEST_F(SessionTest, A_daemon_that_was_killed_still_knows_what_is_held) {
    Lease lease = session.acquire(db(), 10s);
    const auto fence = lease.fence();
    node.end(SIGKILL);
    node.start();
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
    EXPECT_TRUE(node.must_wait(db()));
    EXPECT_EQ(lease.fence(), fence);
    lease.release();
    EXPECT_TRUE(node.session().try_acquire(db(), 10s));
}

TEST_F(SessionTest, Without_a_daemon_a_lease_ends_by_the_clock_of_its_program) {
    Lease lease = session.acquire(db(), 10s);
    std::promise<std::string> reason;
    lease.on_lost([&](const std::string& why) { reason.set_value(why); });
    node.end(SIGKILL);
    auto told = reason.get_future();
    ASSERT_EQ(told.wait_for(30s), std::future_status::ready);
    EXPECT_FALSE(told.get().empty());
    EXPECT_FALSE(lease.valid());
}

TEST_F(SessionTest, A_daemon_that_stays_away_is_given_up) {
    Options options = node.options();
    options.resume_within = 50ms;
    Session impatient = Session::connect(options);
    const Lease lease = impatient.acquire(db(), 10s);
    node.end(SIGKILL);
    EXPECT_EQ(code_of_failure([&] { impatient.acquire(Demand().lock("gpu0")); }), Code::unreachable);
    EXPECT_TRUE(eventually([&] { return !lease.valid(); }));
    node.start();
    EXPECT_TRUE(impatient.try_acquire(Demand().lock("gpu0"), 10s)) << "a new session";
}

// What the child does must return 0, and in time.
int in_a_child(const std::function<int()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        ::_exit(action());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

// A program that holds a lock and calls nothing while its daemon is restarted. Beside it another one is
// stopped, and does not come back: when its lock is given away, the time in which programs may come back is
// over.
TEST(QuietHolder, Keeps_its_lock_however_long_it_calls_nothing) {
    test::Node node("", "[limits]\nresume_within = \"1s\"\n");
    Session session = node.session();
    const Lease lease = session.acquire(db(), 10s);
    const pid_t absent = ::fork();
    if (absent == 0) {
        Session mine = node.session();
        const Lease gpu = mine.acquire(Demand().lock("gpu0"), 10s);
        ::raise(SIGSTOP);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(absent, &status, WUNTRACED), absent);
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_TRUE(node.must_wait(Demand().lock("gpu0")));
    node.end(SIGTERM);
    node.start();
    EXPECT_NO_THROW(node.session().acquire(Demand().lock("gpu0"), 60s));
    EXPECT_TRUE(node.must_wait(db())) << "the daemon gave it away";
    EXPECT_TRUE(lease.valid()) << lease.lost_because();
    ::kill(absent, SIGKILL);
    ::waitpid(absent, nullptr, 0);
}

TEST_F(SessionTest, Without_descriptors_nothing_is_taken_and_later_all_is_well) {
    const int problem = in_a_child([&] {
        Session mine = node.session();
        std::vector<int> all;
        for (int one = 0; one >= 0; one = ::dup(0))
            if (one > 0) all.push_back(one);
        const bool refused = code_of_failure([&] { mine.acquire(db(), 10s); }) == Code::unavailable;
        for (const int one : all) ::close(one);
        if (!refused || !node.session().try_acquire(db())) return 1;
        return mine.acquire(db(), 10s).valid() ? 0 : 2;
    });
    EXPECT_EQ(problem, 0);
}

TEST_F(SessionTest, Without_a_thread_nothing_is_taken_and_signals_still_come) {
    const int problem = in_a_child([&] {
        Session mine = node.session();
        pthread_attr_t usual;
        ::pthread_getattr_default_np(&usual);
        pthread_attr_t huge = usual;
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 46);  // no such stack can be mapped
        ::pthread_setattr_default_np(&huge);
        const bool refused = code_of_failure([&] { mine.acquire(db(), 10s); }) == Code::unavailable;
        ::pthread_setattr_default_np(&usual);
        sigset_t blocked;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        if (!refused || ::sigismember(&blocked, SIGTERM) != 0) return 1;
        if (!node.session().try_acquire(db())) return 2;
        return mine.acquire(db(), 10s).valid() ? 0 : 3;
    });
    EXPECT_EQ(problem, 0);
}

TEST_F(SessionTest, A_forked_child_leaves_its_parents_leases_alone) {
    std::optional<Lease> lease = session.acquire(db(), 10s);
    EXPECT_EQ(in_a_child([&] {
                  lease.reset();
                  const Session gone = std::move(session);
                  return 0;
              }),
              0);
    EXPECT_TRUE(node.must_wait(db()));
    EXPECT_TRUE(lease->valid());
}

TEST_F(SessionTest, A_lease_lasts_as_long_as_the_process_it_follows) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    // The holder ends without giving anything back.
    EXPECT_EQ(in_a_child([&] {
                  Session other = node.session();
                  Lease lease = other.acquire(db(), 10s);
                  lease.follow(child);
                  ::_exit(0);
                  return 1;
              }),
              0);
    // The daemon has noticed it when only the session of this test is left, and the one that asks.
    EXPECT_TRUE(eventually([&] { return ask_status(node.options(), 10s).hosts.front().sessions == 2; }));
    EXPECT_TRUE(node.must_wait(db()));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(session.try_acquire(db(), 10s));
}

}  // namespace
}  // namespace allot::client
