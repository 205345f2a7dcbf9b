// The file of a voter.
#include "protocols/agreement/council.hpp"

#include "fuzz/round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::round_trip<allot::agreement::Council::Files>(allot::fuzz::as_text(data, size));
    return 0;
}
