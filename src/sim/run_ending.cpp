// The part of Run that finds out, after the end, which sites wait forever.
#include <utility>

#include "sim/run.hpp"

namespace allot::sim {

bool Run::waits(SiteId self) const {
    const Phase phase = at(self).application.phase;
    return at(self).up() && (phase == Phase::waiting || phase == Phase::leaving);
}

// A sign, not a proof: a site waits longer than it has patience, and since then the others were served again
// and again, or nobody was. A healthy run under load shows neither.
bool Run::seems_stalled() const {
    for (SiteId site = 0; site < sites(); ++site)
        if (waits(site) && metrics_.passed_over(site, now_, plan_.patient_for())) return true;
    return false;
}

// Where the run still has events, such as timers, only time can tell: it goes on without new requests until
// everybody is served, or nobody is for as long as the whole run took.
std::uint64_t Run::stalled_sites() {
    const auto count = [&] {
        std::uint64_t waiting = 0;
        for (SiteId site = 0; site < sites(); ++site) waiting += waits(site) ? 1 : 0;
        return waiting;
    };
    if (stopped_ || queue_.empty()) return stopped_ ? 0 : count();
    // Campers keep others waiting on purpose, and sites that turn round forever need each other's requests.
    if (!plan_.campers.sites.empty() || facts().asks_forever || !seems_stalled()) return 0;
    log_ = nullptr;
    next_verify_ = never;
    closing_ = true;
    std::uint64_t waiting = count();
    for (bool served = true; served && waiting > 0 && !queue_.empty() && !stopped_;) {
        run_until(now_ + plan_.time.value);
        served = count() < waiting;
        waiting = count();
    }
    return std::exchange(stopped_, false) ? 0 : waiting;
}

}  // namespace allot::sim
