// Says why a request waits or a lease ends, and what can be done about it.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "allot/client.hpp"

namespace allot::cli {

struct Reason {
    std::string text;    // one line; empty if none is known, or the daemon does not answer
    std::string advice;  // for an operator, if the text does not say what to do
    std::string key;     // equal for two looks at the same reason, although times in the text change
};

// A problem that the daemon knows of, or else the holder of one of the resources. Asks no longer than
// `within`.
Reason why_waiting(client::Options options, const client::Demand& demand, std::chrono::milliseconds within);

// Why a lease was not renewed until its end, in one line.
std::string why_not_renewed(client::Options options, std::chrono::milliseconds within);

// Exists while a request waits. If that takes long, prints the reason on stderr, and again when it changes.
class WaitingNotice {
public:
    WaitingNotice(client::Options options, client::Demand demand);

    // Prints nothing after this. The destructor may wait for an answer of the daemon that is under way, so
    // the command should start before it.
    void settle() { thread_.request_stop(); }

private:
    std::jthread thread_;
};

}  // namespace allot::cli
