// A run so far: its world, the steps that led there, and the properties that the last step violated.
#pragma once

#include <vector>

#include "walk/walker.hpp"

namespace allot::swarm {

class PartialRun {
public:
    // The walker must not rank stamps.
    PartialRun(walk::Walker& walker, walk::World start) : walker_(walker), here_(std::move(start)) {}

    // Takes a possible step and judges the next world. A step that changes nothing is dropped, and the result
    // is false.
    bool take(const walk::Move& move) {
        Report report;
        walk::World after = walker_.apply(here_, move, report);
        if (report.clean() && after == here_) return false;
        if (report.clean()) machine().check_state(after, report);
        here_ = std::move(after);
        report_ = std::move(report);
        moves_.push_back(move);
        return true;
    }

    // Earlier worlds, except the initial one, must not be used any more.
    void forget_earlier_states() { walker_.forget_states_but(here_); }

    const walk::World& here() const { return here_; }
    const std::vector<walk::Move>& moves() const { return moves_; }
    const Report& report() const { return report_; }
    // True after a violation, which ends the run.
    bool broken() const { return !report_.clean(); }

    walk::Walker& walker() const { return walker_; }
    walk::Machine& machine() const { return walker_.machine(); }
    const walk::LocalInfo& site(SiteId site) const { return machine().local(here_.sites[site]); }
    std::uint32_t sites() const { return machine().setup().sites; }
    const walk::Budget& budget() const { return machine().ledger(here_.ledger).budget; }

private:
    walk::Walker& walker_;
    walk::World here_;
    std::vector<walk::Move> moves_;
    Report report_;
};

}  // namespace allot::swarm
