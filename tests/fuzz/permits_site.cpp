// Sites of `host-permits`, which semaphores are served by, and one that says whatever the input says.
#include "fuzz/sites.hpp"
#include "protocols/semaphore/host_permits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::Source source(data, size);
    allot::HostPermits::Config config;
    config.permits = 1 + source.choice(3);
    config.max_request = 1 + source.choice(config.permits);
    config.seats = 1 + source.choice(3);
    allot::fuzz::play<allot::HostPermits>(source, config);
    return 0;
}
