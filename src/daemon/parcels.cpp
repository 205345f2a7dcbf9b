#include "daemon/parcels.hpp"

#include <fmt/format.h>
#include <utility>

namespace allot::daemon {

std::size_t Parcels::longest_letter(const Config& config) {
    constexpr std::size_t least = std::size_t{64} << 20;
    // Of a name in a queue, and of a request for permits: their numbers, with room to spare.
    constexpr std::size_t entry_bytes = 64;
    const host::Limits& limits = config.limits;
    constexpr std::size_t most_hosts = 50;  // hosts may join; a larger cluster has shorter queues on each
    const std::size_t hosts = std::max(config.hosts.size(), most_hosts);
    const std::size_t names = hosts * config.lock_seats * limits.locks_per_request;
    const std::size_t requests = std::size_t{limits.sessions} * limits.requests_per_session;
    return std::max(least, names * (limits.name_length + entry_bytes) + requests * entry_bytes);
}

Result<std::optional<std::string>> Parcels::add(net::HostId from, const Piece& piece) {
    std::string& letter = unfinished_[from];
    if (letter.size() + piece.bytes.size() > longest_) {
        unfinished_.erase(from);
        return Error{
            fmt::format("a message has more than {} bytes; write the same [limits] on all hosts", longest_)};
    }
    letter += piece.bytes;
    if (!piece.last) return std::optional<std::string>();
    std::optional<std::string> whole = std::move(letter);
    unfinished_.erase(from);
    return whole;
}

}  // namespace allot::daemon
