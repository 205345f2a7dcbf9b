// The part of Run that finds out, after the end, which sites wait forever.
#include <algorithm>

#include "sim/run.hpp"

namespace allot::sim {

bool Run::waits(SiteId self) const {
    const Phase phase = at(self).application.phase;
    return at(self).up() && (phase == Phase::waiting || phase == Phase::leaving);
}

std::uint64_t Run::count_waiting() const {
    std::uint64_t waiting = 0;
    for (SiteId site = 0; site < sites(); ++site) waiting += waits(site) ? 1 : 0;
    return waiting;
}

// A sign, not a proof: a site waits longer than it has patience, and since then the others were served again
// and again, or nobody was. A healthy run under load shows neither.
bool Run::seems_stalled() const {
    for (SiteId site = 0; site < sites(); ++site)
        if (waits(site) && metrics_.passed_over(site, now_, plan_.patient_for())) return true;
    return false;
}

// Nobody was served for so long that every program, fault and timer had its turn, and each site many turns.
bool Run::stands_still() const {
    constexpr std::uint64_t turns = 100;
    return now_ - changed_at_ > std::max(plan_.time.value, 2 * longest_delay_) &&
           metrics_.events() - events_at_change_ > turns * sites();
}

// The run goes on without new requests. The sites that wait when no event is left, or while only timers and
// tokens go on, wait forever. A run that decides neither within `last_event` has no stalled sites.
std::uint64_t Run::stalled_sites() {
    if (stopped_) return 0;
    if (queue_.empty()) return count_waiting();
    // Campers keep others waiting on purpose, and sites that turn round forever need each other's requests.
    if (!plan_.campers.sites.empty() || facts().asks_forever || !seems_stalled()) return 0;
    log_ = nullptr;
    next_verify_ = never;
    closing_ = true;
    const std::uint64_t last_event = 10 * metrics_.events() + 1'000'000;
    while (count_waiting() > 0 && !queue_.empty() && !stands_still()) {
        run_until(std::max(now_ + plan_.time.value, queue_.next_time()));
        if (stopped_ || metrics_.events() > last_event) return 0;  // a stop makes the whole run bounded
    }
    return count_waiting();
}

}  // namespace allot::sim
