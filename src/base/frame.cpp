#include "base/frame.hpp"

namespace allot {

void begin_frame(std::string& out) {
    out.append(frame_head, '\0');
}

void end_frame(std::size_t start, std::string& out, std::size_t to_follow) {
    std::size_t length = out.size() - start - frame_head + to_follow;
    for (std::size_t i = 0; i < frame_head; ++i, length >>= 8)
        out[start + i] = static_cast<char>(length & 0xff);
}

void put_frame(std::string_view content, std::string& out) {
    const std::size_t start = out.size();
    begin_frame(out);
    out.append(content);
    end_frame(start, out);
}

std::size_t FrameReader::length_of(std::string_view head) {
    std::uint32_t length = 0;
    for (std::size_t i = frame_head; i > 0; --i)
        length = (length << 8) | static_cast<unsigned char>(head[i - 1]);
    return length;
}

}  // namespace allot
