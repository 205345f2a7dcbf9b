// When long work must end: at the time limit of a command (--limit), or because the user interrupts it
// (Ctrl-C or SIGTERM). Both are facts about the whole process, so there is one of each.
//
// Work that can report what it found so far asks `due()` now and then, and reports. Work that leads to
// nothing by itself, such as building an instance, calls `poll()`, which throws `Due`; the command then says
// why it stopped. Both are as cheap as reading a variable: a timer of the system watches the clock.
//
// A handler of a protocol never asks: a driver would take the exception for a broken invariant. But a large
// instance can keep a handler busy for long. If the report has not begun within 0.8 s after a stop became
// due, the process says so in one line and ends with `overrun_code`.
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace allot::stop {

inline constexpr int overrun_code = 3;

// Sets the time limit, which begins now, in place of the one before; without a value there is none.
void within(std::optional<double> seconds);
// From now on the first SIGINT or SIGTERM makes a stop due. Another one at least 0.8 s later ends the
// process.
void on_signals();

// The work is over: the process now takes the time that its report needs.
void reporting();
// While one of these lives, the process does not end because of a stop: it writes a file whole, for example.
class Unhurried {
public:
    Unhurried();
    ~Unhurried();
    Unhurried(const Unhurried&) = delete;
    Unhurried& operator=(const Unhurried&) = delete;
};

bool due();
// "the time limit of 2 s was reached" or "interrupted"; empty if no stop is due.
std::string reason();

struct Due : std::exception {
    const char* what() const noexcept override { return "a stop is due"; }
};
// Throws Due if a stop is due.
void poll();

}  // namespace allot::stop
