// The part of RunOf<P> that decides who crashes, leaves or forgets what it knew.
#pragma once

#include "sim/run_of.hpp"

namespace allot::sim {

template <Protocol P>
void RunOf<P>::plan_faults() {
    for (const auto& item : plan_.crash.items) push(item.at, What::crash, item.site);
    for (const auto& item : plan_.restart.items) push(item.at, What::start, item.site);
    for (const auto& item : plan_.join.items) push(item.at, What::start, item.site);
    for (const auto& item : plan_.leave.items) push(item.at, What::leave, item.site);
    const Time step = plan_.crashes > 1 ? (plan_.to() - plan_.from()) / (plan_.crashes - 1) : 0;
    for (const Time at : plan_.corrupt_at.times) push(at, What::corrupt, 0);
    for (std::uint32_t i = 0; i < plan_.crashes; ++i) push(plan_.from() + i * step, What::crash, anybody);
}

template <Protocol P>
bool RunOf<P>::mortal(SiteId self) const {
    const Site<P>& site = sites_[self];
    return site.up() && self != surroundings_.anchor && !agents_[self].dies &&
           may_crash(site.protocol, stepper_.context(self, site));
}

// Who crashes is drawn only now: a site that has not started yet may not, and one that is down cannot.
template <Protocol P>
void RunOf<P>::crash_somebody() {
    std::vector<SiteId> mortals;
    for (SiteId site = 0; site < sites(); ++site)
        if (mortal(site)) mortals.push_back(site);
    if (mortals.empty()) return push(now_ + plan_.tick.value, What::crash, anybody);
    crash(mortals[faults_(mortals.size())]);
}

template <Protocol P>
void RunOf<P>::crash(SiteId self) {
    Site<P>& site = sites_[self];
    if (!site.up()) return;
    if (!mortal(self)) return push(now_ + plan_.tick.value, What::crash, self);  // it is tried again
    if (plan_.crash_inside > 0 && faults_(100) < plan_.crash_inside) {
        agents_[self].dies = true;
        return;
    }
    log_step(self, "crash");
    const Phase before = site.application.phase;
    stepper_.crash(self, site);
    settle(self, before);
    announce_end(self);
}

template <Protocol P>
void RunOf<P>::leave(SiteId self) {
    agents_[self].leaves = false;
    agents_[self].dies = false;  // it leaves in time
    log_step(self, "leave");
    stepper_.leave(self, sites_[self]);
    settle(self, Phase::idle);
    announce_end(self);
}

// The handler runs, but what it changed is lost, and only the first few of its messages were sent.
template <Protocol P>
template <class Step>
void RunOf<P>::die_inside(SiteId self, Phase before, Step&& step) {
    agents_[self].dies = false;
    Site<P> site = sites_[self];
    step();
    auto sends = stepper_.fx().sends();
    sends.erase(sends.begin() + static_cast<std::ptrdiff_t>(faults_(sends.size() + 1)), sends.end());
    sites_[self] = std::move(site);
    stepper_.crash(self, sites_[self]);
    if (log_ != nullptr && !sends.empty()) *log_ << " sent";
    for (const auto& one : sends) {
        if (log_ != nullptr) fmt::print(*log_, " {}", one.to);
        send(self, one.to, one.message);
    }
    settle(self, before);
    announce_end(self);
}

// A fault of memory and links: every variable is drawn anew, and every channel.
template <Protocol P>
void RunOf<P>::corrupt() {
    if constexpr (world::HasDomains<P>) {
        for (const Letter* letter : in_flight()) {
            if (log_ != nullptr) {
                log_envelope("drop", letter->envelope);
                *log_ << '\n';
            }
            flight_[static_cast<std::uint32_t>(letter - flight_.items().data())].number = 0;
        }
        channels_.clear();
        std::vector<Envelope<Message>> drawn;
        for (SiteId self = 0; self < sites(); ++self) {
            if (!sites_[self].up()) continue;
            corrupt(self);
            world::draw_messages<P>(stepper_.context(self, sites_[self]), plan_.noise, faults_, drawn);
        }
        for (const Envelope<Message>& envelope : drawn) {
            log_put(envelope);
            if (sites_[envelope.to].up()) launch(envelope);
        }
        for (SiteId self = 0; self < sites(); ++self) plan_next(self);
        monitor_ = {};
        metrics_.corrupted(now_);
        corrupted_at_ = now_;
        recovering_ = true;
        next_verify_ = 0;
    }
}

template <Protocol P>
void RunOf<P>::corrupt(SiteId self) {
    if constexpr (world::HasDomains<P>) {
        Site<P>& site = sites_[self];
        const Phase before = site.application.phase;
        world::draw_site<P>(stepper_.context(self, site), site, faults_);
        log_corruption(self);
        agents_[self].due = never;
        if (before == Phase::waiting) metrics_.abandoned(self);
        if (before == Phase::holding) metrics_.lets_go(self, now_);
        if (site.application.phase == Phase::waiting) metrics_.requested(self, now_);
        if (site.application.phase == Phase::holding)
            metrics_.occupies(self, site.application.demand.size(), now_);
    }
}

// Until then nothing is promised, and from then on everything.
template <Protocol P>
bool RunOf<P>::is_legitimate(const View<P>& view, Report& report) {
    if constexpr (SaysLegal<P>) {
        const bool legitimate = P::legal(view);
        if (legitimate && std::exchange(recovering_, false)) metrics_.recovered(now_);
        if (!legitimate && !recovering_)
            report.violated(world::closure.name, "the world was legitimate, and is so no longer");
        return legitimate;
    }
    return true;
}

}  // namespace allot::sim
