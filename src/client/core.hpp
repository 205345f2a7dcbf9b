// A session with a daemon, shared by the Session and its Leases.
//
// Without callbacks no thread is dedicated to reading: one of the waiting threads reads and handles messages
// for all (`reading_`); when it has its own answer, another one takes over. So a synchronous acquire is one
// write and one read in the calling thread. The session's own thread starts with the first request and only
// watches for the end of the connection; once there are callbacks to run or pings to send, it reads like any
// waiting thread.
//
// The reading thread reconnects after a failure, with the session's name, so that the daemon can say what it
// still knows (Claims::resume). Nothing is sent until then: the claims record what to say.
//
// Of several addresses, the session tries the one it had first, and then the others in turn. A lease belongs
// to the daemon that granted it: while the session holds one, it returns to that daemon only.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "allot/client.hpp"
#include "client/claims.hpp"
#include "client/connection.hpp"
#include "session/status.hpp"

namespace allot::client {

class Core : public std::enable_shared_from_this<Core> {
public:
    // The order in which several addresses are tried. Sessions that draw it spread over the hosts, also when
    // one host dies; questions and orders ask the first that answers.
    enum class Turns : std::uint8_t { as_written, drawn };
    Core(const Options& options, Turns turns);

    // Throws Failure, like every function that waits for the daemon.
    void connect();

    ClaimPtr acquire(const Demand& demand, Deadline deadline);
    void async_acquire(const Demand& demand, Deadline deadline, Settled settled);
    void release(const ClaimPtr& claim);
    bool valid(const ClaimPtr& claim);
    Clock::time_point valid_until(const ClaimPtr& claim);
    std::string lost_because(const ClaimPtr& claim);
    void on_lost(const ClaimPtr& claim, std::function<void(const std::string&)> call);
    void follow(const ClaimPtr& claim, int process);
    session::Status status(bool whole, Deadline deadline);
    session::OrderAnswer order(const session::Order& order, Deadline deadline);

    std::string host();
    std::chrono::microseconds stop_within();
    int descriptor();

    // Call it when no other thread uses the session; a callback in the session's own thread may still run.
    void stop();

private:
    using Lock = std::unique_lock<std::mutex>;
    using Time = Clock::time_point;

    // How long valid() waits for a new connection.
    static constexpr std::chrono::milliseconds short_wait{100};

    // down: no connection. greeting: Hello is sent, Welcome has not come.
    enum class Link : std::uint8_t { down, greeting, open };

    bool meet(Lock& lock, Time until);

    // --- Waiting, and reading for all who wait (core.cpp)
    ClaimPtr open_claim(const Demand& demand, Deadline deadline);
    template <class Done>
    void wait_until(Lock& lock, std::condition_variable& waiter, Time until, Done done);
    void read_once(Lock& lock, Time until, int alarm);
    void pass_on_the_reading();
    void tell(const ClaimPtr& claim);
    Failure at_deadline() const;

    // --- The session's own thread (core.cpp)
    void need_watch();
    void need_thread();
    void wake_thread();
    void later(std::function<void()> call);
    void serve();
    void watch(Lock& lock);
    bool awake();
    void run_calls(Lock& lock);
    Time next_wake() const;

    // --- The connection (link.cpp)
    Time dial_until(Time until, Time now) const;
    void turn_to_next();
    bool is_bound() const;
    void greet(Connection connection, Time now);
    void redial(Lock& lock, Time until, int alarm);
    void drop(const std::string& problem);
    void bury();
    void give_up(Code code);
    std::string no_daemon(const std::string& why) const;
    std::string silence() const;
    std::string expiry() const;  // why the leases were not renewed

    template <class Message>
    void say(const Message& message);
    void ask(const ClaimPtr& claim);
    void say_follow(const Claim& claim);
    void fail_waiting(const ClaimPtr& claim, Failure failure);
    void lose(const ClaimPtr& claim, const std::string& reason);

    void take_in(const Socket::Received& received);
    bool understand(std::string_view content);
    void hear(session::Welcome& message);
    void hear(session::Granted& message);
    void hear(session::Refused& message);
    void hear(session::Released& message);
    void hear(session::Lost& message);
    void hear(session::Pong& message);
    void hear(session::StatusAnswer& message);
    void hear(session::Farewell& message);
    void hear(session::OrderAnswer& message);

    // --- Pings and timeouts (link.cpp)
    void chores(Time now);
    void check_link(Time now);
    void check_claims(Time now);
    bool is_silent(Time now, Clock::duration patience) const;
    void leave_for_another();
    void ping(Time now);
    std::chrono::microseconds ping_every() const;
    Clock::duration tick() const;
    Clock::duration look_every() const;
    bool connected() const;

    Options options_;
    const std::vector<Destination> destinations_;
    std::size_t at_ = 0;          // the destination in use, or to be tried next
    std::size_t session_at_ = 0;  // the destination that knows session_
    std::size_t failures_ = 0;    // in a row, of any destination
    std::size_t refusals_ = 0;    // of them, by daemons that turned the session away
    const Destination& here() const { return destinations_[at_]; }
    const Time born_;

    std::mutex mutex_;
    Claims claims_;
    bool reading_ = false;
    std::vector<std::condition_variable*> waiters_;  // waiting threads, which may take over the reading

    // Every thread writes to the connection; only the reading thread, if there is one, closes it.
    Link link_ = Link::down;
    std::optional<Connection> connection_;
    bool doomed_ = false;              // close it as soon as nobody reads
    bool ended_ = false;               // the daemon closed it; the reading thread will notice
    std::string problem_;              // why there is no connection
    Edition edition_ = first_edition;  // of the session, after the greeting
    std::string scratch_;
    session::DaemonMessage heard_message_;

    std::string session_;  // name for resuming; empty: nothing to resume
    std::string host_;
    std::chrono::microseconds stop_within_{0};
    Time down_since_;
    bool turned_away_ = false;  // the daemon refused the session and said why
    Time next_dial_;
    Time greeted_at_;

    Time leased_until_;  // leases are valid until then without further contact
    void extend(Time asked, const session::Validity& valid_us);

    // Pings.
    Time proof_;  // the daemon was alive after this time
    Time pinged_at_;
    std::optional<Time> unanswered_since_;  // time of the first ping since the last bytes came
    Time chores_at_;

    // Threads that wait for an answer of this kind; the daemon answers them in order.
    template <class Answer>
    struct Questions {
        struct Wait {
            std::condition_variable answered;
            std::optional<Answer> answer;
            std::optional<Failure> failure;
        };
        std::deque<Wait*> waits;

        void answer(Answer answer) {
            if (waits.empty()) return;
            waits.front()->answer = std::move(answer);
            waits.front()->answered.notify_one();
            waits.pop_front();
        }
        void fail(const Failure& failure) {
            for (Wait* wait : waits) {
                wait->failure.emplace(failure);
                wait->answered.notify_one();
            }
        }
    };
    Questions<session::StatusAnswer> statuses_;
    Questions<session::OrderAnswer> orders_;
    template <class Question, class Answer>
    Answer ask_daemon(const Question& question, Questions<Answer>& questions, Deadline deadline);

    std::thread thread_;
    Descriptor alarm_;
    std::condition_variable thread_waiter_;
    bool thread_reads_ =
        false;  // it reads when nobody else does; otherwise only at the end of the connection
    bool thread_polls_ = false;
    bool alarm_rings_ = false;
    Time thread_sleeps_until_;
    std::deque<std::function<void()>> calls_;
    bool stopping_ = false;
};

}  // namespace allot::client
