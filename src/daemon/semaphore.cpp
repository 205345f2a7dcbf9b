// A semaphore: `permits-open`. The first seats of all hosts are its founders; others join when
// they are needed.
#include "daemon/space_of.hpp"
#include "protocols/semaphore/permits_open.hpp"

namespace allot::daemon {

std::unique_ptr<Space> make_semaphore(const Seating& seating, std::uint32_t permits,
                                      std::uint32_t max_request, Space::Post post) {
    PermitsOpen::Config config;
    config.sites = seating.sites();
    config.permits = permits;
    config.max_request = max_request;
    config.make_open();
    config.founders = seating.hosts;
    config.start_up = false;
    return std::make_unique<SpaceOf<PermitsOpen>>(config, seating, std::move(post));
}

}  // namespace allot::daemon
