// Sets of locks: `counters` with everything on. Tokens begin at the first seat of some host, by name.
#include "daemon/space_of.hpp"
#include "protocols/multilock/counters.hpp"

namespace allot::daemon {

std::unique_ptr<Space> make_locks(const Seating& seating, Space::Post post) {
    Counters::Config config;
    config.sites = seating.sites();
    config.homes = seating.hosts;
    return std::make_unique<SpaceOf<Counters>>(config, seating, std::move(post));
}

HostId home_of(std::string_view lock, std::uint32_t hosts) {
    Counters::Config config;
    config.homes = hosts;
    return config.home(lock);
}

}  // namespace allot::daemon
