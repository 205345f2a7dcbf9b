// Why a request waits, if it waits for what may never come.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "allot/client.hpp"

namespace allot::cli {

// In one line; empty if the daemon knows nothing that is wrong with what is wanted, or does not answer.
std::string why_waiting(const client::Options& options, const client::Demand& demand);
// The same, or who holds something of what is wanted. Asks for no longer than that.
std::string why_not_granted(client::Options options, const client::Demand& demand,
                            std::chrono::milliseconds within);

// As long as it exists somebody waits; if that takes long, and there is a reason, it is told on stderr, once.
class WaitingNotice {
public:
    WaitingNotice(client::Options options, client::Demand demand);

private:
    std::jthread thread_;
};

}  // namespace allot::cli
