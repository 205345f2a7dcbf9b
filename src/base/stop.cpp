#include "base/stop.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>

namespace allot::stop {

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<Clock::time_point> end{Clock::time_point::max()};
std::atomic<double> limit{0};
volatile std::sig_atomic_t signalled = 0;

void on_signal(int /*signal*/) {
    signalled = 1;
}

}  // namespace

void within(double seconds) {
    limit = seconds;
    end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void on_signals() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    // The default action is back after the first signal, so a second one ends the process.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

bool due() {
    return signalled != 0 || Clock::now() >= end.load(std::memory_order_relaxed);
}

std::string reason() {
    if (signalled != 0) return "interrupted";
    if (Clock::now() < end.load()) return "";
    char text[64];
    std::snprintf(text, sizeof text, "the time limit of %g s was reached", limit.load());
    return text;
}

void poll() {
    if (due()) throw Due();
}

}  // namespace allot::stop
