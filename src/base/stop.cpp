#include "base/stop.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/time.h>
#include <unistd.h>

namespace allot::stop {

namespace {

// From a stop to the end of the process, unless the report has begun. A second signal within this time is the
// same wish as the first: `timeout` signals the process and then its group.
constexpr suseconds_t grace_microseconds = 800'000;
constexpr const char* interruption = "interrupted";

// Signal handlers read and write these.
std::atomic<bool> limit_reached = false;
std::atomic<bool> interrupted = false;
std::atomic<bool> report_begun = false;
std::atomic<int> unhurried = 0;
std::atomic<std::int64_t> interrupted_at_ns = 0;  // 0: not yet
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);
char limit_text[64];

// Only functions that a signal handler may call.
[[noreturn]] void end_at_once() {
    for (const char* part : {static_cast<const char*>(program_invocation_short_name),
                             ": bounded: ", interrupted ? interruption : static_cast<const char*>(limit_text),
                             " in the middle of a long step\n"})
        if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    ::_exit(overrun_code);
}

// Fires after this time, and then each time that the grace has passed. A timer of 0 s never fires. A signal
// handler may call it.
void set_timer(double seconds) {
    itimerval timer{};
    timer.it_interval.tv_usec = grace_microseconds;
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
}

void on_alarm(int /*signal*/) {
    if (interrupted || limit_reached) {
        if (!report_begun && unhurried == 0) end_at_once();
        return;
    }
    limit_reached = true;
}

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void on_interrupt(int signal) {
    const std::int64_t now = now_ns();
    std::int64_t first = 0;
    if (interrupted_at_ns.compare_exchange_strong(first, now)) {
        interrupted = true;
        set_timer(grace_microseconds / 1e6);
    } else if (now - first >= grace_microseconds * 1000) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);  // ends the process when this handler returns
    }
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
}

}  // namespace

void within(std::optional<double> seconds) {
    if (interrupted) return;  // the grace goes on
    set_timer(0);
    limit_reached = report_begun = false;
    if (!seconds) return;
    constexpr double shortest = 1e-5;
    constexpr double longest = 1e9;
    std::snprintf(limit_text, sizeof limit_text, "the time limit of %g s was reached", *seconds);
    handle(SIGALRM, on_alarm);
    set_timer(std::clamp(*seconds, shortest, longest));
}

void on_signals() {
    if (interrupted) return;
    handle(SIGALRM, on_alarm);
    for (const int signal : {SIGINT, SIGTERM}) handle(signal, on_interrupt);
}

void reporting() {
    report_begun = true;
}

Unhurried::Unhurried() {
    ++unhurried;
}

Unhurried::~Unhurried() {
    --unhurried;
}

bool due() {
    return interrupted.load(std::memory_order_relaxed) || limit_reached.load(std::memory_order_relaxed);
}

std::string reason() {
    if (!due()) return "";
    return interrupted ? interruption : limit_text;
}

void poll() {
    if (due()) throw Due();
}

}  // namespace allot::stop
