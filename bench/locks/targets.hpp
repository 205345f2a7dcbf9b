// What was promised, and whether it is kept.
#pragma once

#include <string>

namespace allot::bench {

class Targets {
public:
    // The condition as it is printed ("<= 1.5"), and whether it holds.
    void judge(const std::string& what, const std::string& found, const std::string& condition, bool holds);
    // A target that cannot be judged, since there is nothing to compare with, is not reached.
    void leave_open(const std::string& what, const std::string& why);
    bool all_reached() const { return all_reached_; }

    // With one number, and what it must be.
    void at_least(const std::string& what, double found, double target);
    void at_most(const std::string& what, double found, double target);

private:
    bool all_reached_ = true;
};

}  // namespace allot::bench
