// Tells people on standard error how far a long command has come: on a terminal in one line that it
// overwrites a few times a second, and elsewhere (a file, a pipe) in a new line every minute.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

#include "base/function_ref.hpp"

namespace allot::cli {

class ProgressLine {
public:
    using Clock = std::chrono::steady_clock;

    ProgressLine();  // on standard error
    // With 0 columns, `out` is no terminal. A longer line would fill two rows, and only one is overwritten.
    ProgressLine(std::ostream& out, std::size_t columns, Clock::time_point began);
    ~ProgressLine();  // clears the line of a terminal
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // `text` writes the line, given the seconds since the beginning; it is only called if a line is due.
    // Several threads may not call at once.
    void tell(FunctionRef<std::string(double seconds)> text, Clock::time_point now = Clock::now());

private:
    std::ostream& out_;
    const std::size_t columns_;
    const Clock::time_point began_;
    Clock::time_point next_;
    bool shown_ = false;
};

// A bar of this share (0 to 1), as in [####    ].
std::string progress_bar(double share);

}  // namespace allot::cli
