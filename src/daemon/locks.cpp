// Sets of locks: `counters` with everything on. Tokens begin at the first seat of some host, by name.
#include "daemon/space_of.hpp"
#include "protocols/multilock/counters.hpp"

namespace allot::daemon {

std::unique_ptr<Space> make_locks(const Seating& seating, Space::Post post) {
    Counters::Config config;
    config.sites = seating.sites();
    config.homes = seating.hosts;
    const SpaceQuestions<Counters> questions{
        .at_hand = [](const Counters& site, const Demand& demand) { return site.at_hand(demand); },
        .queues = [](const Counters& site) { return site.queues(); },
        .for_each_place =
            [](const Counters& site, FunctionRef<void(ResourceId, std::optional<SiteId>, Stamp)> f) {
                site.for_each_place(f);
            },
    };
    return std::make_unique<SpaceOf<Counters>>(config, seating, std::move(post), questions);
}

HostId home_of(std::string_view lock, std::uint32_t hosts) {
    Counters::Config config;
    config.homes = hosts;
    return config.home(lock);
}

}  // namespace allot::daemon
