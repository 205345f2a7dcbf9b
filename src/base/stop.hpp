// When long work must end: at the time limit of a command (--limit), or because the user interrupts it
// (Ctrl-C or SIGTERM). Both are facts about the whole process, so there is one of each.
//
// Work that can report what it found so far asks `due()` now and then, and reports. Work that leads to
// nothing by itself, such as building an instance, calls `poll()`, which throws `Due`; the command then says
// why it stopped.
#pragma once

#include <exception>
#include <string>

namespace allot::stop {

// Sets the time limit, which begins now.
void within(double seconds);
// From now on the first SIGINT or SIGTERM makes a stop due. A second one ends the process.
void on_signals();

bool due();
// "the time limit of 2 s was reached" or "interrupted"; empty if no stop is due.
std::string reason();

struct Due : std::exception {
    const char* what() const noexcept override { return "stopped before the work began"; }
};
// Throws Due if a stop is due. A call costs as much as reading the clock.
void poll();

}  // namespace allot::stop
