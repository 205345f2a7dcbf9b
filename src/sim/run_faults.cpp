// The part of Run for crashes, departures and corruptions.
#include <ostream>

#include "sim/run.hpp"
#include "world/arbitrary.hpp"
#include "world/axioms.hpp"
#include "world/lines.hpp"

namespace allot::sim {

void Run::plan_faults() {
    for (const auto& item : plan_.crash.items) push(item.at, What::crash, item.site);
    for (const auto& item : plan_.restart.items) push(item.at, What::start, item.site);
    for (const auto& item : plan_.join.items) push(item.at, What::start, item.site);
    for (const auto& item : plan_.leave.items) push(item.at, What::leave, item.site);
    for (const auto& item : plan_.cut.items) push(item.at, What::cut, item.site);
    for (const auto& item : plan_.pause.items) push(item.at, What::pause, item.site);
    for (const Time at : plan_.corrupt_at.times) push(at, What::corrupt, 0);
    const auto spread = [&](std::uint32_t count, What what) {
        const Time step = count > 1 ? (plan_.to() - plan_.from()) / (count - 1) : 0;
        for (std::uint32_t i = 0; i < count; ++i) push(plan_.from() + i * step, what, anybody);
    };
    spread(plan_.crashes, What::crash);
    spread(plan_.cuts, What::cut);
    spread(plan_.pauses, What::pause);
}

bool Run::mortal(SiteId self) const {
    const Site& site = at(self);
    return site.up() && self != surroundings_.anchor && !agents_[self].dies &&
           instance_.may_crash(self, site);
}

// Draws the site only now: a site that has not started yet may not crash, and one that is down cannot.
void Run::crash_somebody() {
    const bool holders = plan_.victims == Victims::holders;
    const SiteId victim =
        draw_site([&](SiteId site) { return mortal(site) && (!holders || at(site).holding()); });
    if (victim == anybody) return push(now_ + surroundings_.tick, What::crash, anybody);
    crash(victim);
}

void Run::crash(SiteId self) {
    Site& site = at(self);
    if (!site.up()) return;
    if (!mortal(self)) return push(now_ + surroundings_.tick, What::crash, self);  // tries again
    if (plan_.crash_inside > 0 && faults_(100) < plan_.crash_inside) {
        agents_[self].dies = true;
        return;
    }
    // A write that is under way may be on the disk or not.
    const Disk disk = site.unsynced && faults_.coin() ? Disk::torn : Disk::kept;
    if (log_ != nullptr) log_step(self, world::crash_line(self, facts().durable, disk));
    const Phase before = site.application.phase;
    if (before == Phase::holding) metrics_.lost(site.application.demand, now_);
    stepper_.crash(self, site, disk);
    settle(self, before);
    end_life(self);
}

void Run::end_life(SiteId self) {
    announce_end(self);
    after_detection(What::agree, self);
    if (plan_.restart_after.after) push(now_ + plan_.restart_after.after->draw(faults_), What::start, self);
}

void Run::leave(SiteId self) {
    agents_[self].leaves = false;
    agents_[self].dies = false;  // it leaves before the crash
    if (log_ != nullptr) log_step(self, world::site_line(InputKind::leave, self));
    stepper_.leave(self, at(self));
    settle(self, Phase::idle);
    announce_end(self);
}

// Draws which messages of the step leave the site before it crashes: any that the links allow.
std::vector<bool> Run::draw_survivors(const std::vector<SiteId>& destinations) {
    std::vector<bool> left;
    for (std::size_t i = 0; i < destinations.size(); ++i) {
        left.push_back(faults_.coin());
        left[i] = left[i] && world::may_be_cut_short(
                                 surroundings_.links, i + 1, [&](std::size_t k) { return destinations[k]; },
                                 [&](std::size_t k) { return left[k]; });
    }
    return left;
}

// The handler runs, but the site loses its changes, unless they are on its disk, and only some of its
// messages leave.
void Run::die_inside(SiteId self, Phase before, FunctionRef<void()> step) {
    agents_[self].dies = false;
    Box<Site> site = sites_[self];
    step();
    std::vector<SiteId> destinations;
    std::vector<Box<Envelope>> sent;
    for (std::size_t i = 0; i < stepper_.fx().send_count(); ++i) {
        const auto [to, kind, message] = stepper_.fx().send_at(i);
        destinations.push_back(to);
        sent.push_back(instance_.envelope(self, to, message));
    }
    const std::vector<bool> left = draw_survivors(destinations);
    if (before == Phase::holding) metrics_.lost(site->application.demand, now_);
    if (!facts().durable) sites_[self] = std::move(site);
    stepper_.crash(self, at(self));
    if (log_ != nullptr) *log_ << world::crash_inside_line(self, cut_short_, destinations, left);
    for (std::size_t i = 0; i < sent.size(); ++i)
        if (left[i]) send(self, sent[i]->to, instance_.kind(*sent[i]), instance_.message(*sent[i]));
    settle(self, before);
    end_life(self);
}

// A fault of memory and links: every variable and every channel becomes random.
void Run::corrupt() {
    if (!facts().has_domains) return;
    if (log_ != nullptr)
        for (const Envelope* envelope : in_flight()) *log_ << envelope_line("drop", *envelope) << '\n';
    for (std::uint32_t slot = 0; slot < flight_.size(); ++slot) flight_[slot].number = 0;
    channels_.clear();
    std::vector<Box<Envelope>> drawn;
    for (SiteId self = 0; self < sites(); ++self) {
        if (!at(self).up()) continue;
        corrupt(self);
        world::draw_messages(instance_, self, at(self), plan_.noise, faults_, drawn);
    }
    for (const Box<Envelope>& envelope : drawn) {
        log_put(*envelope);
        if (at(envelope->to).up()) launch(envelope->from, envelope->to, instance_.message(*envelope));
    }
    for (SiteId self = 0; self < sites(); ++self) plan_next(self);
    history_ = Box<History>(instance_.history_values());
    metrics_.corrupted(now_);
    corrupted_at_ = now_;
    recovering_ = true;
    next_verify_ = 0;
}

void Run::corrupt(SiteId self) {
    Site& site = at(self);
    const Phase before = site.application.phase;
    world::draw_site(instance_, self, site, faults_);
    log_corruption(self);
    agents_[self].due = never;
    if (before == Phase::waiting) metrics_.abandoned(self);
    if (before == Phase::holding) metrics_.lets_go(self, now_);
    if (site.application.phase == Phase::waiting) metrics_.requested(self, now_);
    if (site.application.phase == Phase::holding)
        metrics_.occupies(self, site.application.demand.size(), now_);
}

// Properties count only once the world is legitimate, and from then on.
bool Run::is_legitimate(const world::AnyView& view, Report& report) {
    const bool legitimate = instance_.legal(view);
    if (legitimate && std::exchange(recovering_, false)) metrics_.recovered(now_);
    if (!legitimate && !recovering_)
        report.violated(world::closure.name, "the world was legitimate and is not legitimate any more");
    return legitimate;
}

}  // namespace allot::sim
