// Sites of `counters`, which locks are served by, and one that says whatever the input says.
#include "fuzz/sites.hpp"
#include "protocols/multilock/counters.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::Source source(data, size);
    allot::Counters::Config config;
    config.sites = 4;
    config.homes = source.choice(3);
    config.loans = source.choice(3);
    allot::fuzz::play<allot::Counters>(source, config);
    return 0;
}
