// Says why a request waits, if it may wait in vain.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "allot/client.hpp"

namespace allot::cli {

// One line; empty if the daemon knows of no problem with the demanded resources, or does not answer.
std::string why_waiting(const client::Options& options, const client::Demand& demand);
// The same, or the holder of one of the resources. Asks no longer than `within`.
std::string why_not_granted(client::Options options, const client::Demand& demand,
                            std::chrono::milliseconds within);

// Exists while a request waits. If that takes long and the daemon knows a reason, prints it once on stderr.
class WaitingNotice {
public:
    WaitingNotice(client::Options options, client::Demand demand);

private:
    std::jthread thread_;
};

}  // namespace allot::cli
