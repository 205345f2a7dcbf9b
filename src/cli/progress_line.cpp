#include "cli/progress_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

#include "cli/terminal.hpp"

namespace allot::cli {

namespace {

constexpr std::chrono::milliseconds between_redraws{200};
constexpr std::chrono::minutes between_lines{1};
constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : ProgressLine(std::cerr, columns_of(STDERR_FILENO), Clock::now()) {}

// A short command says nothing where each line stays.
ProgressLine::ProgressLine(std::ostream& out, std::size_t columns, Clock::time_point began)
    : out_(out), columns_(columns), began_(began), next_(columns > 0 ? began : began + between_lines) {}

ProgressLine::~ProgressLine() {
    if (columns_ > 0 && shown_) out_ << clear_line << std::flush;
}

void ProgressLine::tell(FunctionRef<std::string(double seconds)> text, Clock::time_point now) {
    if (now < next_) return;
    next_ = now + (columns_ > 0 ? Clock::duration(between_redraws) : Clock::duration(between_lines));
    shown_ = true;
    const std::string line = text(std::chrono::duration<double>(now - began_).count());
    if (columns_ > 0)
        out_ << clear_line << line.substr(0, columns_ - 1) << std::flush;
    else
        out_ << line << std::endl;
}

std::string progress_bar(double share) {
    constexpr int width = 40;
    const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width);
    return fmt::format("[{:<{}}]", std::string(filled, '#'), width);
}

}  // namespace allot::cli
