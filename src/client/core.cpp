#include "client/core.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <random>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "base/no_signals.hpp"

namespace allot::client {

namespace {

// Bounds the memory that a daemon which reads nothing can cost.
constexpr std::size_t unsent_limit = std::size_t{1} << 22;

std::vector<Destination> destinations_of(const Options& options, Core::Turns turns) {
    auto destinations = Destination::all_of(options);
    if (!destinations) throw Failure(Code::wrong, destinations.error());
    if (turns == Core::Turns::drawn && destinations->size() > 1)
        std::shuffle(destinations->begin(), destinations->end(), std::random_device());
    return std::move(*destinations);
}

void refuse_nonsense(const Demand& demand) {
    if (const auto objection = demand.objection()) throw Failure(Code::wrong, *objection);
}

// The standard library adds the remaining time to another clock, where time_point::max() would overflow.
void sleep(std::unique_lock<std::mutex>& lock, std::condition_variable& waiter, Clock::time_point until) {
    constexpr std::chrono::hours long_enough{1};
    waiter.wait_until(lock, std::min(until, Clock::now() + long_enough));
}

}  // namespace

Core::Core(const Options& options, Turns turns)
    : options_(completed(options)), destinations_(destinations_of(options_, turns)), born_(Clock::now()) {}

// --- Requests of the program.

// One round. Each address has its share of the time that is left.
void Core::connect() {
    Lock lock(mutex_);
    const Time until = Clock::now() + options_.connect_timeout;
    bool turned_away = false;
    std::string problems;
    for (std::size_t left = destinations_.size(); left > 0; --left) {
        const Time now = Clock::now();
        if (meet(lock, now + (until - now) / static_cast<std::int64_t>(left))) return;
        turned_away = turned_away || turned_away_;
        problems += (problems.empty() ? "" : "; ") + problem_;
    }
    throw Failure(turned_away ? Code::unavailable : Code::unreachable, problems);
}

// Tries the destination at hand, in the thread of the program, before there is a session. If it fails,
// problem_ says why, and the next one is at hand.
bool Core::meet(Lock& lock, Time until) {
    const Time now = Clock::now();
    turned_away_ = false;
    auto connection = Connection::dial(here(), until);
    if (!connection) {
        problem_ = no_daemon(connection.error());
        turn_to_next();
        return false;
    }
    greet(std::move(*connection), now);
    std::condition_variable waiter;
    wait_until(lock, waiter, until, [&] { return link_ != Link::greeting; });
    if (link_ == Link::greeting) drop(silence());
    return link_ == Link::open;
}

ClaimPtr Core::acquire(const Demand& demand, Deadline deadline) {
    refuse_nonsense(demand);
    std::condition_variable waiter;
    Lock lock(mutex_);
    need_watch();
    const ClaimPtr claim = open_claim(demand, deadline);
    claim->waiter = &waiter;
    ask(claim);
    wait_until(lock, waiter, deadline.at(), [&] { return claim->phase != ClaimPhase::waiting; });
    claim->waiter = nullptr;
    if (claim->phase == ClaimPhase::waiting) fail_waiting(claim, at_deadline());
    if (claim->phase != ClaimPhase::held) throw Failure(*claim->failure);
    return claim;
}

void Core::async_acquire(const Demand& demand, Deadline deadline, Settled settled) {
    refuse_nonsense(demand);
    const Lock lock(mutex_);
    need_thread();
    const ClaimPtr claim = open_claim(demand, deadline);
    claim->settled = std::move(settled);
    ask(claim);
    if (deadline.at() < thread_sleeps_until_ || link_ != Link::open) wake_thread();
}

ClaimPtr Core::open_claim(const Demand& demand, Deadline deadline) {
    const Time now = Clock::now();
    if (link_ != Link::open) {
        check_link(now);
        if (session_.empty()) down_since_ = now;
        next_dial_ = now;
    } else if (connection_->unsent() > unsent_limit) {
        throw Failure(Code::unreachable, silence());
    }
    chores_at_ = std::min(chores_at_, now + tick());
    return claims_.open(as_request(demand), now, deadline);
}

Failure Core::at_deadline() const {
    if (link_ != Link::open) return {Code::unreachable, problem_};
    return {Code::timed_out, "not granted in time"};
}

void Core::release(const ClaimPtr& claim) {
    // The callback belongs to the program and may call back here when it is destroyed, so it outlives the
    // lock.
    std::function<void(const std::string&)> forgotten;
    Lock lock(mutex_);
    forgotten.swap(claim->on_lost);
    if (!claims_.release(claim)) return;
    say(session::Release{claim->ticket()});
    if (claim->ending != Ending::kept) return;
    // Nobody but the daemon can take it back, and it may just be restarting.
    std::condition_variable waiter;
    wait_until(lock, waiter, Clock::now() + options_.resume_within,
               [&] { return claim->phase == ClaimPhase::over; });
}

bool Core::valid(const ClaimPtr& claim) {
    Lock lock(mutex_);
    if (claim->phase == ClaimPhase::held && !reading_) {
        read_once(lock, Clock::now(), -1);
        pass_on_the_reading();
    }
    if (claim->phase == ClaimPhase::held && !connected()) {
        std::condition_variable waiter;
        wait_until(lock, waiter, Clock::now() + short_wait,
                   [&] { return connected() || claim->phase != ClaimPhase::held; });
    }
    if (claim->phase != ClaimPhase::held) return false;
    if (Clock::now() < leased_until_ || claim->ending == Ending::kept) return true;
    if (claim->ending != Ending::nothing) lose(claim, expiry());
    return false;
}

Clock::time_point Core::valid_until(const ClaimPtr& claim) {
    const Lock lock(mutex_);
    return claim->phase == ClaimPhase::held ? leased_until_ : Time::min();
}

std::string Core::lost_because(const ClaimPtr& claim) {
    const Lock lock(mutex_);
    return claim->failure ? claim->failure->what() : "";
}

void Core::on_lost(const ClaimPtr& claim, std::function<void(const std::string&)> call) {
    const Lock lock(mutex_);
    need_thread();
    if (claim->failure)
        later([call = std::move(call), reason = std::string(claim->failure->what())] { call(reason); });
    else
        claim->on_lost = std::move(call);
}

void Core::follow(const ClaimPtr& claim, int process) {
    Descriptor descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
    if (!descriptor)
        throw Failure(Code::wrong, "process " + std::to_string(process) + ": " + std::strerror(errno));
    Lock lock(mutex_);
    std::condition_variable waiter;
    wait_until(lock, waiter, Clock::now() + options_.resume_within,
               [&] { return link_ == Link::open || claim->phase != ClaimPhase::held; });
    if (claim->phase != ClaimPhase::held)
        throw Failure(Code::lost, claim->failure ? claim->failure->what() : "the lease was released");
    if (link_ != Link::open) throw Failure(Code::unreachable, problem_);
    if (!connection_->passes_descriptors())
        throw Failure(Code::wrong, "a lease follows a process only through a Unix socket");
    claim->process = std::move(descriptor);
    claim->process_id = process;
    say_follow(*claim);
    // The daemon answers in order: once it answers this ping, it knows the process or has said Lost.
    constexpr std::chrono::microseconds rounding{1};
    const Time asked = Clock::now();
    ping(asked);
    wait_until(lock, waiter, asked + options_.resume_within,
               [&] { return proof_ >= asked - rounding || claim->phase != ClaimPhase::held; });
    if (claim->phase != ClaimPhase::held)
        throw Failure(Code::lost, claim->failure ? claim->failure->what() : "the lease was released");
    if (proof_ < asked - rounding) throw Failure(Code::unreachable, silence());
}

session::Status Core::status(bool whole, Deadline deadline) {
    return ask_daemon(session::StatusQuery{whole}, statuses_, deadline).status;
}

session::OrderAnswer Core::order(const session::Order& order, Deadline deadline) {
    return ask_daemon(order, orders_, deadline);
}

template <class Question, class Answer>
Answer Core::ask_daemon(const Question& question, Questions<Answer>& questions, Deadline deadline) {
    Lock lock(mutex_);
    typename Questions<Answer>::Wait wait;
    questions.waits.push_back(&wait);
    say(question);
    wait_until(lock, wait.answered, deadline.at(), [&] { return wait.answer || wait.failure; });
    std::erase(questions.waits, &wait);
    if (wait.answer) return std::move(*wait.answer);
    throw wait.failure.value_or(Failure(Code::unreachable, silence()));
}

std::string Core::host() {
    const Lock lock(mutex_);
    return host_;
}

std::chrono::microseconds Core::stop_within() {
    const Lock lock(mutex_);
    return stop_within_;
}

int Core::descriptor() {
    const Lock lock(mutex_);
    return connection_ ? connection_->descriptor() : -1;
}

// --- Waiting, and reading for all who wait.

template <class Done>
void Core::wait_until(Lock& lock, std::condition_variable& waiter, Time until, Done done) {
    waiters_.push_back(&waiter);
    while (!done() && Clock::now() < until) {
        if (reading_)
            sleep(lock, waiter, until);
        else
            read_once(lock, until, -1);
    }
    std::erase(waiters_, &waiter);
    pass_on_the_reading();
}

void Core::read_once(Lock& lock, Time until, int alarm) {
    reading_ = true;
    if (link_ == Link::down) redial(lock, until, alarm);
    if (link_ != Link::down) {
        const bool full = connection_->unsent() > 0;
        const Time wake = std::min(until, chores_at_);
        lock.unlock();
        const auto received = connection_->receive(wake, alarm, full);
        lock.lock();
        take_in(received);
    }
    reading_ = false;
    if (doomed_) bury();
    if (const Time now = Clock::now(); now >= chores_at_) chores(now);
}

void Core::pass_on_the_reading() {
    if (reading_) return;
    if (!waiters_.empty())
        waiters_.front()->notify_one();
    else
        thread_waiter_.notify_one();
}

// Announces that a claim is settled.
void Core::tell(const ClaimPtr& claim) {
    if (claim->waiter != nullptr) claim->waiter->notify_one();
    if (auto settled = std::exchange(claim->settled, nullptr))
        later([settled = std::move(settled), claim, failure = claim->failure] { settled(claim, failure); });
    if (!claim->failure) return;
    if (auto call = std::exchange(claim->on_lost, nullptr))
        later([call = std::move(call), reason = std::string(claim->failure->what())] { call(reason); });
}

// --- The session's own thread.

void Core::need_watch() {
    if (thread_.joinable()) return;
    alarm_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!alarm_)
        throw Failure(Code::unavailable,
                      std::string("no descriptor for the session: ") + std::strerror(errno));
    const NoSignals meanwhile;
    try {
        thread_ = std::thread([self = shared_from_this()] { self->serve(); });
    } catch (const std::system_error& problem) {
        throw Failure(Code::unavailable, std::string("no thread for the session: ") + problem.what());
    }
}

void Core::need_thread() {
    need_watch();
    if (!std::exchange(thread_reads_, true)) wake_thread();
}

void Core::wake_thread() {
    if (!thread_polls_) return thread_waiter_.notify_one();
    alarm_rings_ = true;
    ::eventfd_write(alarm_.get(), 1);
}

void Core::later(std::function<void()> call) {
    calls_.push_back(std::move(call));
    wake_thread();
}

void Core::serve() {
    Lock lock(mutex_);
    while (!stopping_ || !calls_.empty()) {
        run_calls(lock);
        const Time now = Clock::now();
        if (now >= next_wake()) chores(now);
        if (!calls_.empty() || stopping_) continue;
        if (!thread_reads_ && link_ == Link::open && !ended_) {
            watch(lock);
            continue;
        }
        // Without a connection, the next request reconnects, unless the fate of a claim is still unknown.
        if (link_ == Link::down && claims_.all().empty()) {
            thread_sleeps_until_ = Time::max();
            thread_waiter_.wait(lock);
            continue;
        }
        thread_sleeps_until_ = next_wake();
        if (reading_) {
            sleep(lock, thread_waiter_, thread_sleeps_until_);
            continue;
        }
        thread_polls_ = true;
        read_once(lock, thread_sleeps_until_, alarm_.get());
        awake();
        pass_on_the_reading();
    }
}

// Sleeps until the connection ends and looks at it now and then. It does not look at the bytes, so it does
// not slow down the reading thread.
void Core::watch(Lock& lock) {
    thread_polls_ = true;
    const int descriptor = connection_->descriptor();
    const Time wake = Clock::now() + look_every();
    lock.unlock();
    const bool ended = wait_for(descriptor, POLLRDHUP, wake, alarm_.get());
    lock.lock();
    if (awake()) return;
    ended_ = ended;
    if (ended) return;
    // The answer to a ping may be there, and nobody else reads.
    if (!reading_) {
        read_once(lock, Clock::now(), -1);
        pass_on_the_reading();
    }
}

// True if the alarm woke the thread.
bool Core::awake() {
    thread_polls_ = false;
    eventfd_t rung = 0;
    if (!std::exchange(alarm_rings_, false)) return false;
    ::eventfd_read(alarm_.get(), &rung);
    return true;
}

void Core::run_calls(Lock& lock) {
    while (!calls_.empty()) {
        // The call may own the last lease, so it is destroyed before the lock is taken again.
        {
            const auto call = std::move(calls_.front());
            calls_.pop_front();
            lock.unlock();
            call();
        }
        lock.lock();
    }
}

// Waiting threads watch their own deadlines.
Clock::time_point Core::next_wake() const {
    Time wake = chores_at_;
    for (const ClaimPtr& claim : claims_.all())
        if (claim->phase == ClaimPhase::waiting && claim->settled)
            wake = std::min(wake, claim->deadline.at());
    return wake;
}

void Core::stop() {
    Lock lock(mutex_);
    stopping_ = true;
    for (const ClaimPtr& claim : claims_.all())
        if (claim->phase == ClaimPhase::waiting)
            fail_waiting(claim, Failure(Code::unreachable, "the session was closed"));
    if (!thread_.joinable()) return drop("the session was closed");
    wake_thread();
    if (thread_.get_id() == std::this_thread::get_id()) return thread_.detach();
    lock.unlock();
    thread_.join();
}

}  // namespace allot::client
