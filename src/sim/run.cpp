#include "sim/run.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <tuple>

#include "base/stop.hpp"
#include "world/lines.hpp"
#include "world/properties.hpp"

namespace allot::sim {

namespace {

std::uint32_t count_timers(const world::Facts& facts) {
    std::uint32_t most = 0;
    for (const Enumerator& timer : facts.timers)
        most = std::max(most, static_cast<std::uint32_t>(timer.number) + 1);
    return most;
}

std::string_view timer_name(const world::Facts& facts, std::uint32_t timer) {
    return std::ranges::find(facts.timers, timer, &Enumerator::number)->name;
}

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

Run::Run(const world::Instance& instance, const Plan& plan, const Surroundings& surroundings,
         std::uint64_t seed, const Observer& observer)
    : instance_(instance),
      plan_(plan),
      surroundings_(surroundings),
      seed_(seed),
      observer_(observer),
      cpu_began_(cpu_seconds()),
      workload_(seed),
      latency_(workload_(0)),
      faults_(workload_(0)),
      detector_(workload_(0)),
      timing_(~seed),
      hardware_(seed ^ 0x9E3779B97F4A7C15u),
      stepper_(instance_, plan.syncs_late() ? world::Writes::late : world::Writes::instant),
      sites_(instance.sites(), Box<Site>(instance.site_values())),
      agents_(instance.sites()),
      timer_count_(count_timers(instance.facts())),
      cut_off_(instance.sites()),
      timers_(std::size_t{instance.sites()} * timer_count_, never),
      history_(instance.history_values()),
      flight_(instance.envelope_values()),
      metrics_(instance.sites(), instance.facts().kinds.size(), instance.facts().probes) {
    for (const SiteId site : plan.campers.sites) agents_[site].camps = true;
    if (surroundings.verify > 0) next_verify_ = surroundings.verify;
}

Figures Run::go() {
    begin();
    if (plan_.warm_up.value > 0) {
        run_until(plan_.warm_up.value);
        metrics_.begin(now_);
    }
    run_until(plan_.time.value);
    return finish();
}

bool Run::may_go_on() {
    stopped_ = stopped_ || stop::due();
    return !stopped_;
}

void Run::run_until(Time end) {
    while (may_go_on() && !queue_.empty() && queue_.next_time() <= end) {
        const Scheduled event = queue_.pop();
        now_ = event.at;
        metrics_.event();
        handle(event);
        if (metrics_.events() >= next_verify_) verify();
        if (metrics_.events() % events_per_report == 0 && observer_.on_progress)
            observer_.on_progress({now_, metrics_.events()});
    }
    if (!stopped_) now_ = end;
}

void Run::handle(const Scheduled& event) {
    const std::uint32_t index = event.index;
    switch (static_cast<What>(event.what & 0xFF)) {
        case What::deliver:
            return deliver(index);
        case What::timeout:
            return timeout(index, event.what >> 8);
        case What::request:
            return request(index);
        case What::release:
            return release(index);
        case What::give_up:
            return give_up(index);
        case What::report:
            return hear(index);
        case What::crash:
            return index == anybody ? crash_somebody() : crash(index);
        case What::start:
            return start(index);
        case What::leave:
            agents_[index].leaves = true;
            return plan_next(index);
        case What::corrupt:
            return corrupt();
        case What::tick:
            return tick(index);
        case What::synced:
            return sync(index);
        case What::cut:
            return cut(index);
        case What::heal:
            return heal(index);
        case What::pause:
            return pause(index);
        case What::resume:
            return resume(index);
        case What::agree:
            return agree(index);
        case What::see:
            return see(index);
        case What::quiet:
            return quiet(index);
    }
}

// The founders start at time 0, in order, and then learn whom they trust: every world begins like this.
void Run::begin() {
    begin_views();
    for (SiteId self = 0; self < surroundings_.founders && may_go_on(); ++self) {
        stepper_.start(self, at(self), plan_.requests.of(self));
        settle(self, Phase::idle);
        see_founders(self);
    }
    beginning_ = false;
    begin_detectors();
    log_ = observer_.log;
    if (log_ != nullptr) *log_ << surroundings_.header << '\n';
    begin_clocks();
    plan_faults();
    if (plan_.start == Start::arbitrary) corrupt();
}

void Run::start(SiteId self) {
    Site& site = at(self);
    if (site.up() || site.standing == Standing::left) return;
    if (log_ != nullptr) log_step(self, world::start_line(self, site.standing == Standing::absent));
    agents_[self] = Agent{.camps = agents_[self].camps};
    stepper_.start(self, site, plan_.requests.of(self));
    settle(self, Phase::idle);
    if (!site.up()) return;
    announce_start(self);
    inform(self);
    after_detection(What::agree, self);
}

void Run::request(SiteId self) {
    Agent& agent = agents_[self];
    Site& site = at(self);
    if (agent.next != What::request || agent.due != now_ || site.paused()) return;
    agent.due = never;
    // The site may refuse now; then its application asks again after its next step.
    if (closing_ || !site.up() || !instance_.may_request(self, site)) return;
    const Demand demand = draw_demand(self);
    if (log_ != nullptr) log_step(self, world::request_line(self, demand));
    metrics_.requested(self, now_);
    take(self, Phase::waiting, [&] { stepper_.request(self, site, demand); });
}

void Run::release(SiteId self) {
    Agent& agent = agents_[self];
    if (agent.next != What::release || agent.due != now_ || !at(self).holding() || at(self).paused()) return;
    agent.due = never;
    if (log_ != nullptr) log_step(self, world::site_line(InputKind::release, self));
    take(self, Phase::holding, [&] { stepper_.release(self, at(self)); });
}

void Run::give_up(SiteId self) {
    Agent& agent = agents_[self];
    Site& site = at(self);
    if (agent.next != What::give_up || agent.due != now_ || !site.up() || site.paused()) return;
    agent.due = never;
    if (log_ != nullptr) log_step(self, world::site_line(InputKind::cancel, self));
    take(self, Phase::waiting, [&] { stepper_.cancel(self, site); });
}

void Run::deliver(std::uint32_t slot) {
    Letter& letter = flight_[slot];
    const Envelope& envelope = flight_.envelope(slot);
    const SiteId to = envelope.to;
    Site& site = at(to);
    if (site.paused() || is_cut(envelope.from, to)) return held_.push_back(slot);
    const bool lost = std::exchange(letter.number, 0) == 0;
    if (!lost && site.up() && site.incarnation == letter.incarnation) {
        metrics_.delivered();
        if (log_ != nullptr) log_step(to, envelope_line("deliver", envelope));
        const std::vector<SiteId> ghosts = forgotten_ghosts(envelope);
        take(to, site.application.phase, [&] { stepper_.deliver(to, site, envelope); });
        // A late message may make the site watch a peer again, so the detector must repeat that the peer is
        // gone.
        for (const SiteId ghost : ghosts)
            if (at(to).up() && listens(to, ghost)) say_later(to, InputKind::departed, ghost);
    }
    flight_.give_back(slot);
}

void Run::timeout(SiteId self, std::uint32_t timer) {
    Site& site = at(self);
    if (!site.up() || site.paused() || ((site.armed >> timer) & 1u) == 0 || due(self, timer) != now_) return;
    due(self, timer) = never;
    if (log_ != nullptr) log_step(self, world::timeout_line(self, timer_name(facts(), timer)));
    take(self, site.application.phase, [&] { stepper_.timeout(self, site, timer); });
}

void Run::take(SiteId self, Phase before, FunctionRef<void()> step) {
    if (agents_[self].dies) return die_inside(self, before, step);
    step();
    settle(self, before);
}

// Applies the effects of a step: messages, timers, notices, and the next action of the application.
void Run::settle(SiteId self, Phase before) {
    log_outcome(self, before);
    note_probes_and_notices();
    if (!stepper_.report().clean()) judge(stepper_.report());
    if (facts().has_monitor) observe();
    send_all(self);
    set_timers(self);
    if (before != at(self).application.phase) account(self, before);
    plan_sync(self);
    plan_next(self);
}

void Run::note_probes_and_notices() {
    for (const std::string_view probe : stepper_.fx().probes()) metrics_.passed(probe);
    for (const Notice& notice : stepper_.fx().notices()) {
        if (notice.kind == Notice::Kind::revoked) metrics_.revoked();
        if (notice.kind == Notice::Kind::refused) metrics_.refused();
    }
}

void Run::observe() {
    Report report;
    for (const Event& event : stepper_.events()) instance_.observe(*history_, event, report);
    judge(report);
}

void Run::send_all(SiteId self) {
    const AnyEffects& fx = stepper_.fx();
    for (std::size_t i = 0, count = fx.send_count(); i < count; ++i) {
        const auto [to, kind, message] = fx.send_at(i);
        send(self, to, kind, message);
    }
}

void Run::send(SiteId self, SiteId to, std::size_t kind, const void* message) {
    metrics_.sent(kind);
    if (to >= sites()) {
        Report report;
        report.violated(world::assertion.name, fmt::format("a message to site {}, which does not exist", to));
        return judge(report);
    }
    const Site& receiver = at(to);
    // Messages to a site that is gone vanish; while the founders start, all of them count as up.
    if (!receiver.up() && !(beginning_ && to < surroundings_.founders)) return;
    launch(self, to, message);
}

void Run::launch(SiteId from, SiteId to, const void* message) {
    const std::uint32_t slot = flight_.take();
    Letter& letter = flight_[slot];
    letter.number = ++letters_;
    letter.incarnation = at(to).incarnation;
    Envelope& envelope = flight_.envelope(slot);
    envelope.from = from;
    envelope.to = to;
    instance_.set_message(envelope, message);
    push(arrival(from, to), What::deliver, slot);
}

// On FIFO links no message overtakes an earlier one of its channel. Only channels whose newest message is in
// flight need an entry.
Time Run::arrival(SiteId from, SiteId to) {
    const Time at = now_ + plan_.latency.draw(latency_);
    if (surroundings_.links == Links::unordered || !plan_.latency.varies()) return at;
    if (channels_.size() >= channels_limit_) {
        boost::unordered::erase_if(channels_, [&](const auto& channel) { return channel.second <= now_; });
        channels_limit_ = std::max<std::size_t>(1024, 2 * channels_.size());
    }
    Time& newest = channels_[std::uint64_t{from} << 32 | to];
    newest = std::max(newest, at);
    return newest;
}

void Run::set_timers(SiteId self) {
    for (const auto& change : stepper_.fx().timers()) {
        Time length = ticks(self, std::max<Time>(change.ticks, 1));
        if (instance_.backs_off(change.timer)) length = 1 + timing_(length);
        due(self, change.timer) = change.armed ? now_ + length : never;
        if (change.armed) push(now_ + length, What::timeout, self, change.timer);
    }
}

void Run::account(SiteId self, Phase before) {
    const Application& app = at(self).application;
    changed_at_ = now_;
    events_at_change_ = metrics_.events();
    if (before == Phase::waiting) {
        if (app.phase == Phase::holding) {
            metrics_.granted(self, app.demand.size(), now_);
            metrics_.taken_over(app.demand, now_);
        } else {
            metrics_.abandoned(self);
        }
    }
    if (before == Phase::holding) metrics_.lets_go(self, now_);
    if ((before == Phase::holding || before == Phase::leaving) && app.phase == Phase::idle)
        metrics_.let_go(self, now_);
    if (app.phase != Phase::holding) return;
    const bool most = metrics_.occupies(self, app.demand.size(), now_);
    // The units in use must not exceed the capacity, so every new maximum is checked.
    if (facts().capacity_is_bound && most && next_verify_ != never) next_verify_ = 0;
}

void Run::plan_next(SiteId self) {
    const Site& site = at(self);
    Agent& agent = agents_[self];
    if (!site.up() || site.paused()) return;
    const Application& app = site.application;
    // A site that no longer waits has nothing to cancel, and one that was stopped has nothing to release.
    if (agent.next == What::give_up && app.phase != Phase::waiting) agent.due = never;
    if (agent.next == What::release && app.phase != Phase::holding) agent.due = never;
    if (app.phase == Phase::idle) {
        if (agent.leaves) return leave(self);
        if (agent.due == never && app.requests_left > 0 && !closing_ && instance_.may_request(self, site))
            plan_activity(self, What::request, plan_.think.draw(workload_));
    } else if (app.phase == Phase::holding) {
        if (agent.due == never && !agent.camps)
            plan_activity(self, What::release,
                          plan_.hold.draw(workload_, app.demand.size(), surroundings_.capacity));
    } else if (app.phase == Phase::waiting) {
        if (agent.due == never && plan_.give_up.after)
            plan_activity(self, What::give_up, plan_.give_up.after->draw(workload_));
    }
}

void Run::plan_activity(SiteId self, What what, Time delay) {
    agents_[self].next = what;
    agents_[self].due = now_ + delay;
    push(agents_[self].due, what, self);
}

Demand Run::draw_demand(SiteId self) {
    if (plan_.demand.fixed) return *plan_.demand.fixed;
    return instance_.draw_demand(self, workload_);
}

// In the order of worlds: on FIFO links, the oldest message of a channel first.
std::vector<const Envelope*> Run::in_flight() const {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < flight_.size(); ++slot) {
        const Letter& letter = flight_[slot];
        if (letter.number == 0) continue;
        const Site& receiver = at(flight_.envelope(slot).to);
        if (receiver.up() && receiver.incarnation == letter.incarnation) slots.push_back(slot);
    }
    const auto order = [&](std::uint32_t slot) {
        const Envelope& envelope = flight_.envelope(slot);
        return std::tuple(envelope.from, envelope.to, flight_[slot].number);
    };
    if (surroundings_.links == Links::fifo) std::ranges::sort(slots, {}, order);
    std::vector<const Envelope*> envelopes;
    for (const std::uint32_t slot : slots) envelopes.push_back(&flight_.envelope(slot));
    return envelopes;
}

void Run::verify() {
    std::vector<const Site*> sites;
    for (const Box<Site>& site : sites_) sites.push_back(&*site);
    const std::vector<const Envelope*> flight = in_flight();
    const world::AnyView view{sites, flight};
    Report report;
    if (!corrupted_at_ || is_legitimate(view, report)) instance_.check(view, report);
    judge(report);
    const std::uint64_t interval = recovering_ ? surroundings_.look : surroundings_.verify;
    next_verify_ = interval > 0 ? metrics_.events() + interval : never;
}

// The first violation ends the run: later events mean nothing.
void Run::judge(Report report) {
    if (report.clean() || stopped_ || recovering_ || closing_) return;
    // Where an assertion failed there is nothing to go on with, judged or not.
    report.keep([this](std::string_view name) {
        return plan_.property.contains(name) || name == world::assertion.name;
    });
    if (report.clean()) return;
    violations_.push_back({report.property(), report.detail(), now_, seed_});
    stopped_ = true;
}

Figures Run::finish() {
    if (!stopped_ && (surroundings_.verify > 0 || recovering_)) verify();
    if (!stopped_ && recovering_) {
        recovering_ = false;
        Report report;
        report.violated(world::convergence.name, fmt::format("not legitimate {} after the last corruption",
                                                             time_text(now_ - *corrupted_at_)));
        judge(report);
    }
    for (SiteId site = 0; site < sites(); ++site) {
        if (!at(site).up()) continue;
        const Phase phase = at(site).application.phase;
        if (phase == Phase::waiting) metrics_.still_waiting(site, now_, plan_.patient_for());
        if (phase == Phase::leaving) metrics_.still_leaving(site, now_, plan_.patient_for());
    }
    Figures figures = metrics_.figures(now_, surroundings_.capacity);
    figures.stalled = stalled_sites();
    if (!facts().asks_forever) figures.left_behind = 0;
    for (std::size_t kind = 0; kind < figures.messages_by_kind.size(); ++kind)
        figures.messages_by_kind[kind].kind = facts().kinds[kind].name;
    figures.violations = std::move(violations_);
    figures.stopped = stopped_ && figures.violations.empty();
    figures.cpu_seconds = cpu_seconds() - cpu_began_;
    if (figures.cpu_seconds > 0)
        figures.events_per_second = static_cast<double>(figures.events) / figures.cpu_seconds;
    return figures;
}

}  // namespace allot::sim
