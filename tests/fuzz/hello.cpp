// The first frame of a link, from somebody who has not said yet who he is.
#include "base/frame.hpp"
#include "fuzz/round_trip.hpp"
#include "net/link_frames.hpp"

using namespace allot;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = fuzz::as_text(data, size);
    if (const auto hello = net::read_hello(bytes)) {
        std::string again;
        net::put_hello(*hello, again);
        fuzz::demand(std::string_view(again).substr(frame_head) == bytes);
        net::Link link(1);
        if (link.objection_to(hello->position).empty()) link.meet(hello->position);
    }
    return 0;
}
