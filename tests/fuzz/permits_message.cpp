// What daemons say to each other about permits.
#include "fuzz/round_trip.hpp"
#include "protocols/semaphore/permits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::round_trip<allot::Permits::Message>(allot::fuzz::as_text(data, size));
    return 0;
}
