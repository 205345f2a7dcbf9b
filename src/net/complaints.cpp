#include "net/complaints.hpp"

#include <fmt/format.h>

#include "net/stream.hpp"

namespace allot::net {

namespace {

constexpr std::size_t complaints_limit = 64;

}  // namespace

void Complaints::complain(LogLevel level, const std::string& line) {
    if (known_.size() >= complaints_limit) known_.clear();
    if (known_.insert(line).second) log(level, line);
}

void Complaints::complain_of(const Identity& who, const std::string& why) {
    // Without the port, which is another each time.
    const std::string address = who.address.substr(0, who.address.rfind(':'));
    complain(LogLevel::warning, fmt::format("a connection from {} is refused: {}", address, why));
}

}  // namespace allot::net
