// Frames delimit messages in a stream of bytes. A frame is a length of four bytes, lowest first, and that
// many bytes of content. A length above the limit is refused before any content is stored, and a partial
// frame takes no more memory than the bytes that have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace allot {

constexpr std::size_t frame_head = 4;

// For a frame that is written in place: begin_frame adds a head; end_frame writes the length into the head at
// `start`, for all bytes after it and `to_follow` more.
void begin_frame(std::string& out);
void end_frame(std::size_t start, std::string& out, std::size_t to_follow = 0);
// Adds a frame with this content.
void put_frame(std::string_view content, std::string& out);

class FrameReader {
public:
    explicit FrameReader(std::size_t limit) : limit_(limit) {}

    // Calls `f(content)` for each complete frame until `f` returns false (to close the stream). Returns false
    // then, and also if a frame exceeds the limit; nothing more is read.
    template <class F>
    bool feed(std::string_view bytes, F&& f) {
        // Pass complete frames on without a copy.
        if (partial_.empty()) {
            const bool good = take(bytes, f);
            partial_.assign(bytes);
            return good;
        }
        partial_.append(bytes);
        std::string_view rest = partial_;
        const bool good = take(rest, f);
        partial_.erase(0, partial_.size() - rest.size());
        if (partial_.empty()) partial_.shrink_to_fit();
        return good;
    }

    std::size_t limit() const { return limit_; }
    // Of memory, for a frame of which the rest has not come.
    std::size_t partial_bytes() const { return partial_.size(); }
    // Holds from the next frame on.
    void set_limit(std::size_t limit) { limit_ = limit; }

private:
    template <class F>
    bool take(std::string_view& rest, F&& f) const {
        while (rest.size() >= frame_head) {
            const std::size_t length = length_of(rest);
            if (length > limit_) return false;
            if (rest.size() < frame_head + length) return true;
            const std::string_view content = rest.substr(frame_head, length);
            rest.remove_prefix(frame_head + length);
            if (!f(content)) return false;
        }
        return true;
    }

    static std::size_t length_of(std::string_view head);

    std::size_t limit_;
    std::string partial_;
};

}  // namespace allot
