// Logs a line only the first time. A retry fails for the same reason again and again.
#pragma once

#include <set>
#include <string>

#include "base/log.hpp"

namespace allot::net {

struct Identity;

class LogOnce {
public:
    void log(LogLevel level, const std::string& line);
    // Logs that a connection was refused.
    void refusal(const Identity& who, const std::string& why);
    void forget() { known_.clear(); }

private:
    std::set<std::string> known_;
};

}  // namespace allot::net
