// The part of Run for agreed views. A site that ends or starts is noticed some time later, and a view is
// agreed upon; each site sees it in its own time, and may skip some.
#include <algorithm>
#include <ostream>

#include "sim/run.hpp"
#include "world/axioms.hpp"
#include "world/lines.hpp"

namespace allot::sim {

// The founders see the first view as they start.
void Run::begin_views() {
    if (!facts().sees_views) return;
    AgreedView& first = views_.emplace_back();
    for (SiteId site = 0; site < surroundings_.founders; ++site) first.members.push_back({site, 0});
}

void Run::see_founders(SiteId self) {
    if (views_.empty()) return;
    stepper_.see(self, at(self), views_.front());
    settle(self, Phase::idle);
}

void Run::after_detection(What what, SiteId self) {
    if (!views_.empty()) push(now_ + plan_.detect.draw(detector_), what, self);
}

world::Attendance Run::attendance(SiteId self) const {
    const Site& site = at(self);
    return {.self = {self, site.incarnation},
            .up = site.up(),
            .lease_over = site.lease_over(),
            .membership = site.membership};
}

void Run::agree(SiteId about) {
    const Site& site = at(about);
    const world::ViewChanges changes =
        world::view_changes(views_, attendance(about), {site.standing, site.incarnation});
    if (!changes.over && !changes.add) return;
    const ViewChange change = changes.add       ? ViewChange::add
                              : changes.replace ? ViewChange::replace
                                                : ViewChange::remove;
    views_.push_back(world::changed_view(views_.back(), change, {about, site.incarnation}));
    if (log_ != nullptr) *log_ << world::view_line(change, about) << '\n';
    for (SiteId self = 0; self < sites(); ++self)
        if (at(self).up()) after_detection(What::see, self);
}

// A newcomer first sees the view by which it was added; everybody else sees the newest.
void Run::see(SiteId self) {
    Site& site = at(self);
    if (!site.up()) return;
    if (site.paused()) return after_detection(What::see, self);
    const bool fresh = site.membership.seen == 0;
    const auto view = fresh ? std::ranges::find_if(views_,
                                                   [&](const AgreedView& one) {
                                                       return one.has({self, site.incarnation});
                                                   })
                            : views_.end() - 1;
    if (view == views_.end() || view->number + 1 <= site.membership.seen) return;
    if (log_ != nullptr) log_step(self, world::see_line(self, view->number));
    take(self, site.application.phase, [&] { stepper_.see(self, site, *view); });
    if (!site.up()) return;
    if (fresh) after_detection(What::see, self);
    after_detection(What::quiet, self);
    for (SiteId peer = 0; peer < sites(); ++peer)
        if (listens(self, peer)) say_later(self, InputKind::stopped, peer);
}

// A newcomer learns that the programs of those have stopped who were removed before it came.
void Run::quiet(SiteId self) {
    Site& site = at(self);
    const Membership& membership = site.membership;
    const bool wants =
        site.up() && membership.first > 1 && !membership.quiet && instance_.watches(self, site, self);
    if (!wants) return;
    for (SiteId other = 0; other < sites(); ++other)
        if (site.paused() || !world::has_stopped(views_, attendance(other), membership.first - 1))
            return after_detection(What::quiet, self);
    if (log_ != nullptr) log_step(self, world::site_line(InputKind::quiet, self));
    take(self, site.application.phase, [&] { stepper_.quiet(self, site); });
}

}  // namespace allot::sim
