// Keeps a check within its limits of time (base/stop.hpp) and memory, and reports its progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "check/checker.hpp"

namespace allot::check {

std::size_t resident_bytes();       // of this process, now
std::size_t peak_resident_bytes();  // of this process, ever
double cpu_seconds();               // of this process, all threads

class Watchdog {
public:
    explicit Watchdog(const Options& options) : options_(options), start_(std::chrono::steady_clock::now()) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    // Why the work must stop now, if it is about to allocate `extra_bytes`; empty if it may continue.
    std::string reason_to_stop(std::size_t extra_bytes = 0) const;
    // The reason if the limit of memory is reached.
    std::string out_of_memory() const;
    bool wants_progress() const { return static_cast<bool>(options_.on_progress); }
    void tell(const Progress& progress) const;

private:
    const Options& options_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace allot::check
