#include "targets.hpp"

#include <fmt/format.h>

namespace allot::bench {

void Targets::judge(const std::string& what, const std::string& found, const std::string& condition,
                    bool holds) {
    fmt::print("{:<58} {:>8}   target {:<8} {}\n", what, found, condition, holds ? "reached" : "missed");
    all_reached_ = all_reached_ && holds;
}

void Targets::leave_open(const std::string& what, const std::string& why) {
    fmt::print("{:<58} {:>8}   open: {}\n", what, "-", why);
    all_reached_ = false;
}

void Targets::at_least(const std::string& what, double found, double target) {
    judge(what, fmt::format("{:.2f}", found), fmt::format(">= {}", target), found >= target);
}

void Targets::at_most(const std::string& what, double found, double target) {
    judge(what, fmt::format("{:.2f}", found), fmt::format("<= {}", target), found <= target);
}

}  // namespace allot::bench
