// The bytes of a whole connection, in pieces: the reader of frames, and what is in each frame. The first byte
// says how long the pieces are; however they are cut, the same frames must come out.
#include <vector>

#include "base/frame.hpp"
#include "fuzz/round_trip.hpp"
#include "net/link_frames.hpp"

using namespace allot;

namespace {

constexpr std::size_t limit = 1000;

struct Outcome {
    std::vector<std::string> frames;
    bool good = true;
    bool operator==(const Outcome&) const = default;
};

Outcome read_in_pieces(std::string_view bytes, std::size_t piece) {
    Outcome outcome;
    FrameReader reader(limit);
    while (!bytes.empty() && outcome.good) {
        outcome.good = reader.feed(bytes.substr(0, piece), [&](std::string_view content) {
            outcome.frames.emplace_back(content);
            return true;
        });
        bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    return outcome;
}

void check_content(std::string_view content) {
    fuzz::demand(content.size() <= limit);
    if (const auto frame = net::read_link_frame(content)) {
        std::string again;
        net::put_link_frame(frame->head, frame->content, again);
        fuzz::demand(std::string_view(again).substr(frame_head) == content);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes = fuzz::as_text(data + 1, size - 1);
    const Outcome whole = read_in_pieces(bytes, bytes.size());
    fuzz::demand(whole == read_in_pieces(bytes, std::size_t{1} + data[0]));
    std::string again;
    for (const std::string& content : whole.frames) {
        check_content(content);
        put_frame(content, again);
    }
    fuzz::demand(bytes.starts_with(again));
    return 0;
}
