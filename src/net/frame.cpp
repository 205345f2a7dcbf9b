#include "net/frame.hpp"

namespace allot::net {

void put_frame_head(std::size_t length, std::string& out) {
    for (std::size_t i = 0; i < frame_head; ++i, length >>= 8)
        out.push_back(static_cast<char>(length & 0xff));
}

void put_frame(std::string_view content, std::string& out) {
    put_frame_head(content.size(), out);
    out.append(content);
}

std::size_t FrameReader::length_of(std::string_view head) {
    std::uint32_t length = 0;
    for (std::size_t i = frame_head; i > 0; --i)
        length = (length << 8) | static_cast<unsigned char>(head[i - 1]);
    return length;
}

}  // namespace allot::net
