// What daemons say to each other: the payloads of links.
#include "daemon/letters.hpp"
#include "fuzz/round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::round_trip<allot::daemon::Letter>(allot::fuzz::as_text(data, size));
    return 0;
}
