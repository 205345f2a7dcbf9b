// Messages of the session protocol as frames, without a copy into a variant first.
#pragma once

#include <boost/mp11.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/frame.hpp"
#include "core/bytes.hpp"

namespace allot::session {

// Adds the frame of a message that is one of the alternatives of `Language` (ClientMessage, DaemonMessage).
template <class Language, class Message>
void put_message(const Message& message, Edition edition, std::string& out) {
    constexpr std::size_t kind = boost::mp11::mp_find<Language, Message>::value;
    static_assert(kind < std::variant_size_v<Language>);
    const std::size_t start = out.size();
    begin_frame(out);
    encode(kind, out);
    encode(message, out, edition);
    end_frame(start, out);
}

// The edition that a Hello or a Welcome names. In every edition these are of kind 0 and begin with it.
inline std::optional<Edition> edition_in(std::string_view content) {
    std::uint64_t kind = 0;
    Edition spoken = 0;
    if (!bytes_detail::take_varint(content, kind) || kind != 0 || !decode(content, spoken))
        return std::nullopt;
    return spoken;
}

}  // namespace allot::session
