// A reader of the status, and the part of it that this reader may see. Whatever door the question came
// through, an answer passes `visible_to` in the daemon that gives it.
#pragma once

#include <string>

#include "host/limits.hpp"
#include "session/status.hpp"

namespace allot::daemon {

struct StatusReader {
    host::Reading others = host::Reading::names;  // what it may read of the requests of others
    // Its identity, as parties show it; empty if nobody vouches for it. Its own requests it reads in full.
    std::string user{};
    std::string host{};   // where its user is known; empty: a certificate, which all hosts know
    std::string owner{};  // of what its programs left behind (mode sticky)
};

session::Status visible_to(const StatusReader& reader, session::Status status);

}  // namespace allot::daemon
