// The part of Run for clocks, disks, cuts and pauses.
#include <algorithm>
#include <ostream>

#include "sim/run.hpp"
#include "world/lines.hpp"

namespace allot::sim {

// Every clock runs at its own rate and begins at its own time, whether its site is up or not.
void Run::begin_clocks() {
    const std::int64_t drift = plan_.drift.millionths;
    if (drift > 0)
        for (SiteId self = 0; self < sites(); ++self)
            clock_errors_.push_back(
                static_cast<std::int64_t>(hardware_(static_cast<std::uint64_t>(2 * drift + 1))) - drift);
    if (!facts().ticks) return;
    for (SiteId self = 0; self < sites(); ++self) push(1 + hardware_(ticks(self, 1)), What::tick, self);
}

Time Run::ticks(SiteId self, std::uint64_t count) const {
    const Time length = count * surroundings_.tick;
    if (clock_errors_.empty()) return length;
    constexpr std::int64_t million = 1'000'000;
    const auto whole = static_cast<std::int64_t>(length);
    const std::int64_t error = clock_errors_[self];
    return static_cast<Time>(whole + whole / million * error + whole % million * error / million);
}

void Run::tick(SiteId self) {
    push(now_ + ticks(self, 1), What::tick, self);
    Site& site = at(self);
    if (log_ != nullptr) *log_ << world::tick_line(self, false);
    if (site.up() && !site.paused()) {
        const Phase before = site.application.phase;
        stepper_.tick(self, site);
        return settle(self, before);
    }
    if (site.up()) stepper_.tick(self, site);
    log_outcome(self, site.application.phase);
}

// A sync takes everything to the disk that was written until its end.
void Run::plan_sync(SiteId self) {
    Agent& agent = agents_[self];
    if (!at(self).unsynced || agent.sync_due != never) return;
    agent.sync_due = now_ + plan_.fsync.draw(hardware_);
    push(agent.sync_due, What::synced, self);
}

void Run::sync(SiteId self) {
    Site& site = at(self);
    if (agents_[self].sync_due != now_ || !site.up() || site.paused()) return;
    agents_[self].sync_due = never;
    if (!site.unsynced) return;
    if (log_ != nullptr) log_step(self, world::site_line(InputKind::synced, self));
    take(self, site.application.phase, [&] { stepper_.sync(self, site); });
}

// Any of the sites that suit; `anybody` if none does.
SiteId Run::draw_site(FunctionRef<bool(SiteId)> suits) {
    std::vector<SiteId> suitable;
    for (SiteId site = 0; site < sites(); ++site)
        if (suits(site)) suitable.push_back(site);
    return suitable.empty() ? anybody : suitable[faults_(suitable.size())];
}

// --- Cuts.

void Run::cut(SiteId self) {
    if (self == anybody) self = draw_site([&](SiteId site) { return at(site).up() && !cut_off_[site]; });
    if (self == anybody || cut_off_[self]) return;
    change_channels(self, "cut");
    cut_off_[self] = true;
    some_cut_off_ = true;
    push(now_ + plan_.cut_for.draw(hardware_), What::heal, self);
}

void Run::heal(SiteId self) {
    cut_off_[self] = false;
    some_cut_off_ = std::ranges::find(cut_off_, true) != cut_off_.end();
    change_channels(self, "heal");
    deliver_held();
}

// A channel to another site that is cut off stays cut.
void Run::change_channels(SiteId self, std::string_view verb) {
    if (log_ == nullptr) return;
    for (SiteId other = 0; other < sites(); ++other) {
        if (other == self || cut_off_[other]) continue;
        *log_ << world::channel_line(verb, self, other) << "\n";
        *log_ << world::channel_line(verb, other, self) << "\n";
    }
}

// Messages that still cannot arrive are held again.
void Run::deliver_held() {
    for (const std::uint32_t slot : std::exchange(held_, {})) deliver(slot);
}

// --- Pauses.

void Run::pause(SiteId self) {
    const auto may_pause = [&](SiteId site) { return at(site).up() && !at(site).paused(); };
    if (self == anybody) self = draw_site(may_pause);
    if (self == anybody || !may_pause(self)) return;
    if (log_ != nullptr) *log_ << world::site_line(InputKind::pause, self);
    stepper_.pause(at(self));
    log_outcome(self, at(self).application.phase);
    agents_[self].resume_due = now_ + plan_.pause_for.draw(hardware_);
    push(agents_[self].resume_due, What::resume, self);
}

void Run::resume(SiteId self) {
    Site& site = at(self);
    if (!site.paused() || agents_[self].resume_due != now_) return;
    if (log_ != nullptr) *log_ << world::site_line(InputKind::resume, self);
    const Phase before = site.application.phase;
    stepper_.resume(self, site);
    settle(self, before);
    catch_up(self);
    deliver_held();
}

// Everything that was due during the pause comes at its end.
void Run::catch_up(SiteId self) {
    Agent& agent = agents_[self];
    const auto postpone = [&](Time& due, What what, std::uint32_t timer = 0) {
        if (due > now_) return;
        due = now_;
        push(due, what, self, timer);
    };
    postpone(agent.due, agent.next);
    postpone(agent.sync_due, What::synced);
    for (std::uint32_t timer = 0; timer < timer_count_; ++timer)
        postpone(due(self, timer), What::timeout, timer);
    for (const std::uint32_t slot : std::exchange(held_words_, {})) hear(slot);
}

}  // namespace allot::sim
