// Messages of the session protocol as frames, without a copy into a variant first.
#pragma once

#include <boost/mp11.hpp>
#include <string>

#include "core/bytes.hpp"
#include "net/frame.hpp"

namespace allot::session {

// Adds the frame of a message that is one of the alternatives of `Language` (ClientMessage, DaemonMessage).
template <class Language, class Message>
void put_message(const Message& message, std::string& out) {
    constexpr std::size_t kind = boost::mp11::mp_find<Language, Message>::value;
    static_assert(kind < std::variant_size_v<Language>);
    const std::size_t begin = out.size();
    out.append(net::frame_head, '\0');
    bytes_detail::put_varint(kind, out);
    encode(message, out);
    auto length = out.size() - begin - net::frame_head;
    for (std::size_t i = 0; i < net::frame_head; ++i, length >>= 8)
        out[begin + i] = static_cast<char>(length & 0xff);
}

}  // namespace allot::session
