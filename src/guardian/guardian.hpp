// The guardian: a process beside the daemon that stops programs when the lease of their host ends, also if
// the daemon is dead, hangs or is stopped.
//
// The daemon names each lease to it (a charge) with pidfds of its processes, and moves the deadline of the
// host in a shared page. At deadline - grace the guardian sends SIGTERM and SIGCONT to the processes of every
// stoppable charge; from the deadline on it sends SIGKILL every 20 ms until nobody is left. A charge whose
// deadline has passed is lost: a later deadline does not save it.
//
// The charges survive the daemon: the next one that connects takes them over. The guardian ends when it has
// had neither charges nor a daemon for some time, and the deadline has passed.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"

namespace allot::guardian {

struct GuardianOptions {
    std::chrono::milliseconds grace{1000};   // between SIGTERM and SIGKILL, until a daemon says otherwise
    std::chrono::milliseconds idle{10'000};  // without charges and daemon, the guardian ends after this time
};

// Makes this process the guardian in `folder`, the state folder of a daemon: it leaves its session, closes
// all descriptors but standard error, and returns 0 when it is no longer needed. The error says why it cannot
// be the guardian; in particular, there may be only one.
Result<int> run_guardian(const std::string& folder, const GuardianOptions& options);

}  // namespace allot::guardian
