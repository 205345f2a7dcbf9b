#include "net/log_once.hpp"

#include <fmt/format.h>

#include "net/stream.hpp"

namespace allot::net {

namespace {

// Bounds the memory: at this number of lines, all are forgotten.
constexpr std::size_t most_lines = 64;

}  // namespace

void LogOnce::log(LogLevel level, const std::string& line) {
    if (known_.size() >= most_lines) known_.clear();
    if (known_.insert(line).second) allot::log(level, line);
}

void LogOnce::refusal(const Identity& who, const std::string& why) {
    // Without the port, which differs each time.
    const std::string address = who.address.substr(0, who.address.rfind(':'));
    log(LogLevel::warning, fmt::format("a connection from {} is refused: {}", address, why));
}

}  // namespace allot::net
