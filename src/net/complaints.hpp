// Reasons that were logged before. Whoever retries fails for the same reason again and again, and that is
// news only once.
#pragma once

#include <set>
#include <string>

#include "base/log.hpp"

namespace allot::net {

struct Identity;

class Complaints {
public:
    void complain(LogLevel level, const std::string& line);
    // Of a connection that did not become one.
    void complain_of(const Identity& who, const std::string& why);
    void forget() { known_.clear(); }

private:
    std::set<std::string> known_;
};

}  // namespace allot::net
