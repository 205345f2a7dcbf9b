// What a daemon that was stopped in order finds on its disk.
#include "daemon/state.hpp"
#include "fuzz/round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::round_trip<allot::daemon::SavedState>(allot::fuzz::as_text(data, size));
    return 0;
}
