// What a program says to its daemon.
#include "fuzz/round_trip.hpp"
#include "session/frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::round_trip<allot::session::ClientMessage>(allot::fuzz::as_text(data, size));
    return 0;
}
