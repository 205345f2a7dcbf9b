// Letters of any length over links with short payloads. A long letter goes in pieces, one payload each, which
// follow each other on the link: so signs of life never wait behind a whole letter, and no frame is too long.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.hpp"
#include "daemon/config.hpp"
#include "daemon/letters.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

class Parcels {
public:
    static constexpr std::size_t piece_bytes = std::size_t{64} << 10;

    // No letter that is put together here has more bytes than `longest`.
    explicit Parcels(std::size_t longest) : longest_(longest) {}
    void set_longest(std::size_t longest) { longest_ = longest; }
    // The length that no letter between hosts with these limits exceeds: a report names what all seats of a
    // host use and wait for, and a token those of all hosts that wait for it.
    static std::size_t longest_letter(const Config& config);

    // Calls send(payload) for each payload of a letter in dated bytes, in order.
    template <class F>
    static void split(std::string_view letter, Edition edition, F&& send);

    // Adds the next piece of a letter of that host. Returns the letter if it is whole now. The error: it is
    // too long, and is dropped.
    Result<std::optional<std::string>> add(net::HostId from, const Piece& piece);
    // A new incarnation of that host begins with a new letter.
    void forget(net::HostId from) { unfinished_.erase(from); }

private:
    std::size_t longest_;
    std::map<net::HostId, std::string> unfinished_;
};

template <class F>
void Parcels::split(std::string_view letter, Edition edition, F&& send) {
    if (letter.size() <= piece_bytes) return send(letter);
    std::string payload;
    while (!letter.empty()) {
        const std::string_view bytes = letter.substr(0, piece_bytes);
        letter.remove_prefix(bytes.size());
        payload.clear();
        encode_dated(Letter(Piece{letter.empty(), std::string(bytes)}), payload, edition);
        send(std::string_view(payload));
    }
}

}  // namespace allot::daemon
