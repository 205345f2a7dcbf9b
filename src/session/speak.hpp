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
    const std::size_t start = out.size();
    net::begin_frame(out);
    bytes_detail::put_varint(kind, out);
    encode(message, out);
    net::end_frame(start, out);
}

}  // namespace allot::session
