// RunOf<P>: one run of a protocol under a plan. Every step of a site is a step of world::Stepper, the very
// one that the checker explores and the player plays; what is here decides only when it happens.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <limits>
#include <tuple>
#include <vector>

#include "core/json.hpp"
#include "core/random.hpp"
#include "core/visit.hpp"
#include "sim/metrics.hpp"
#include "sim/queue.hpp"
#include "sim/simulation.hpp"
#include "world/arbitrary.hpp"
#include "world/properties.hpp"
#include "world/step.hpp"

namespace allot::sim {

// A protocol with too many demands to list them draws them itself.
template <class P>
concept DrawsDemands = requires(const ContextOf<P>& ctx, Random& random) {
    { P::draw_demand(ctx, random) } -> std::same_as<Demand>;
};

// Things with a number, which is free for the next one when they are gone.
template <class T>
class Slab {
public:
    std::uint32_t take() {
        if (free_.empty()) {
            items_.emplace_back();
            return static_cast<std::uint32_t>(items_.size() - 1);
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    void give_back(std::uint32_t index) { free_.push_back(index); }
    T& operator[](std::uint32_t index) { return items_[index]; }
    const std::vector<T>& items() const { return items_; }

private:
    std::vector<T> items_;
    std::vector<std::uint32_t> free_;
};

// What the plan and the configuration together say of a run.
struct Surroundings {
    Links links = Links::fifo;
    std::uint32_t founders = 0;
    std::optional<SiteId> anchor;
    std::uint64_t capacity = 1;  // units that could be in use at once
    std::uint64_t verify = 0;    // every so many events
    std::uint64_t look = 1;      // the same until a world is legitimate again
    std::string header;          // of the log
};

template <Protocol P>
class RunOf {
public:
    RunOf(const typename P::Config& config, const Plan& plan, const Surroundings& surroundings,
          std::uint64_t seed, const Observer& observer);

    Figures go();

private:
    using Message = typename P::Message;
    using Timer = TimerOf<P>;
    using InputKind = world::InputKind;
    static constexpr Time never = std::numeric_limits<Time>::max();
    static constexpr SiteId anybody = std::numeric_limits<SiteId>::max();
    static constexpr std::uint64_t events_per_report = 1 << 16;

    enum class What : std::uint8_t {
        deliver,
        timeout,
        request,
        release,
        give_up,
        report,
        crash,
        start,
        leave,
        corrupt
    };

    // A message in flight, to the life of its receiver that there was when it was sent.
    struct Letter {
        Envelope<Message> envelope;
        std::uint32_t life = 0;
        std::uint64_t number = 0;  // in the order of sending; 0: nothing is here
    };
    // What a detector is about to say, if it is still true then.
    struct Word {
        SiteId to = 0;
        std::uint32_t life = 0;  // of the one that hears it
        InputKind kind{};
        SiteId about = 0;
    };
    // The program behind a site: what it does next, and when. Only an event with that time counts, so an
    // event that was overtaken by others needs no deletion.
    struct Agent {
        What next{};
        Time due = never;
        bool camps = false;
        bool leaves = false;
        bool dies = false;  // inside its next step
    };

    void begin();
    void begin_detectors();
    void plan_faults();
    void run_until(Time end);
    void handle(const Scheduled& event);

    void start(SiteId self);
    void request(SiteId self);
    void release(SiteId self);
    void give_up(SiteId self);
    void deliver(std::uint32_t slot);
    void timeout(SiteId self, std::uint32_t timer);
    bool mortal(SiteId self) const;
    void crash_somebody();
    void crash(SiteId self);
    void leave(SiteId self);
    void corrupt();
    void corrupt(SiteId self);

    template <class Step>
    void take(SiteId self, Phase before, Step&& step);
    template <class Step>
    void die_inside(SiteId self, Phase before, Step&& step);
    void settle(SiteId self, Phase before);
    void send_all(SiteId self);
    void send(SiteId self, SiteId to, const Message& message);
    void launch(const Envelope<Message>& envelope);
    void set_timers(SiteId self);
    void account(SiteId self, Phase before);
    void plan_next(SiteId self);
    void plan_activity(SiteId self, What what, Time delay);
    Demand draw_demand(SiteId self);
    Time arrival(SiteId from, SiteId to);

    void hear(std::uint32_t slot);
    void say_later(SiteId to, InputKind kind, SiteId about);
    std::optional<std::uint32_t> life_meant(const Word& word) const;
    void announce_start(SiteId self);
    void announce_end(SiteId self);
    void inform(SiteId self);
    bool listens(SiteId self, SiteId peer) const {
        const Site<P>& site = sites_[self];
        return peer != self && watches(site.protocol, stepper_.context(self, site), peer);
    }
    std::vector<SiteId> forgotten_ghosts(const Envelope<Message>& envelope) const;

    std::vector<const Letter*> in_flight() const;
    void verify();
    bool is_legitimate(const View<P>& view, Report& report);
    void judge(const Report& report);
    void log_step(SiteId self, std::string_view verb, std::string_view rest = {});
    void log_delivery(const Envelope<Message>& envelope);
    void log_envelope(std::string_view verb, const Envelope<Message>& envelope);
    void log_put(const Envelope<Message>& envelope);
    void log_death(SiteId self);
    void log_outcome(SiteId self, Phase before);
    void log_corruption(SiteId self);
    Figures finish();

    void push(Time at, What what, std::uint32_t index, std::uint32_t timer = 0) {
        queue_.push({at, static_cast<std::uint32_t>(what) | timer << 8, index});
    }
    SiteId sites() const { return static_cast<SiteId>(sites_.size()); }
    static std::uint32_t timer_count();
    static double cpu_seconds();

    const typename P::Config& config_;
    const Plan& plan_;
    const Surroundings& surroundings_;
    const std::uint64_t seed_;
    const Observer& observer_;
    const double cpu_began_ = cpu_seconds();

    // One source of chance for each thing, so that more of one does not change another.
    Random workload_, latency_, faults_, detector_, timing_;

    world::Stepper<P> stepper_;
    std::vector<Site<P>> sites_;
    std::vector<Agent> agents_;
    std::vector<Time> timers_;  // when each timer of each site is due
    MonitorOf<P> monitor_;
    EventQueue queue_;
    Slab<Letter> flight_;
    Slab<Word> words_;
    boost::unordered_flat_map<std::uint64_t, Time> channels_;  // when the newest message of each arrives
    std::size_t channels_limit_ = 1024;
    Metrics metrics_;
    Time now_ = 0;
    std::uint64_t letters_ = 0;
    std::uint64_t next_verify_ = never;
    std::vector<Violation> violations_;
    std::ostream* log_ = nullptr;  // once the world is as `allot play` finds it
    bool beginning_ = true;
    bool stopped_ = false;
    std::optional<Time> corrupted_at_;
    bool recovering_ = false;  // nothing is promised until the world is legitimate
};

template <Protocol P>
RunOf<P>::RunOf(const typename P::Config& config, const Plan& plan, const Surroundings& surroundings,
                std::uint64_t seed, const Observer& observer)
    : config_(config),
      plan_(plan),
      surroundings_(surroundings),
      seed_(seed),
      observer_(observer),
      workload_(seed),
      latency_(workload_(0)),
      faults_(workload_(0)),
      detector_(workload_(0)),
      timing_(~seed),
      stepper_(config_),
      sites_(sites_of(config)),
      agents_(sites_of(config)),
      timers_(std::size_t{sites_of(config)} * timer_count(), never),
      metrics_(sites_of(config), std::variant_size_v<Message>, probes_of<P>()) {
    for (const SiteId site : plan.campers.sites) agents_[site].camps = true;
    if (surroundings.verify > 0) next_verify_ = surroundings.verify;
}

template <Protocol P>
Figures RunOf<P>::go() {
    begin();
    if (plan_.warm_up.value > 0) {
        run_until(plan_.warm_up.value);
        metrics_.begin(now_);
    }
    run_until(plan_.time.value);
    return finish();
}

template <Protocol P>
void RunOf<P>::run_until(Time end) {
    while (!stopped_ && !queue_.empty() && queue_.next_time() <= end) {
        const Scheduled event = queue_.pop();
        now_ = event.at;
        metrics_.event();
        handle(event);
        if (metrics_.events() >= next_verify_) verify();
        if (metrics_.events() % events_per_report == 0 && observer_.on_progress)
            stopped_ = stopped_ || !observer_.on_progress({now_, metrics_.events()});
    }
    if (!stopped_) now_ = end;
}

template <Protocol P>
void RunOf<P>::handle(const Scheduled& event) {
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
    }
}

// The founders start at time 0, in order, and then hear whom they trust: the same beginning as every world's.
template <Protocol P>
void RunOf<P>::begin() {
    for (SiteId self = 0; self < surroundings_.founders; ++self) {
        stepper_.start(self, sites_[self], plan_.requests.of(self));
        settle(self, Phase::idle);
    }
    beginning_ = false;
    begin_detectors();
    log_ = observer_.log;
    if (log_ != nullptr) *log_ << surroundings_.header << '\n';
    plan_faults();
    if (plan_.start == Start::arbitrary) corrupt();
}

template <Protocol P>
void RunOf<P>::start(SiteId self) {
    Site<P>& site = sites_[self];
    if (site.up() || site.standing == Standing::left) return;
    log_step(self, site.standing == Standing::absent ? "join" : "restart");
    agents_[self] = Agent{.camps = agents_[self].camps};
    stepper_.start(self, site, plan_.requests.of(self));
    settle(self, Phase::idle);
    if (!site.up()) return;
    announce_start(self);
    inform(self);
}

template <Protocol P>
void RunOf<P>::request(SiteId self) {
    Agent& agent = agents_[self];
    if (agent.next != What::request || agent.due != now_) return;
    agent.due = never;
    Site<P>& site = sites_[self];
    // It may have changed its mind: then it is asked again after its next step.
    if (!site.up() || !may_request(site.protocol, stepper_.context(self, site))) return;
    const Demand demand = draw_demand(self);
    if (log_ != nullptr)
        log_step(self, "request", fmt::format(" {} {}", demand.units, fmt::join(demand.resources, ",")));
    metrics_.requested(self, now_);
    take(self, Phase::waiting, [&] { stepper_.request(self, site, demand); });
}

template <Protocol P>
void RunOf<P>::release(SiteId self) {
    Agent& agent = agents_[self];
    if (agent.next != What::release || agent.due != now_ || !sites_[self].holding()) return;
    agent.due = never;
    log_step(self, "release");
    take(self, Phase::holding, [&] { stepper_.release(self, sites_[self]); });
}

template <Protocol P>
void RunOf<P>::give_up(SiteId self) {
    Agent& agent = agents_[self];
    Site<P>& site = sites_[self];
    if (agent.next != What::give_up || agent.due != now_ || !site.up()) return;
    agent.due = never;
    log_step(self, "cancel");
    take(self, Phase::waiting, [&] { stepper_.cancel(self, site); });
}

template <Protocol P>
void RunOf<P>::deliver(std::uint32_t slot) {
    Letter& letter = flight_[slot];
    const SiteId from = letter.envelope.from;
    const SiteId to = letter.envelope.to;
    Site<P>& site = sites_[to];
    const bool lost = std::exchange(letter.number, 0) == 0;
    if (!lost && site.up() && site.incarnation == letter.life) {
        metrics_.delivered();
        if (log_ != nullptr) log_delivery(letter.envelope);
        const std::vector<SiteId> ghosts = forgotten_ghosts(letter.envelope);
        take(to, site.application.phase, [&] { stepper_.deliver(to, site, from, letter.envelope.message); });
        // A late message may bring somebody back to mind, so that it must be said again who is gone.
        for (const SiteId ghost : ghosts)
            if (sites_[to].up() && listens(to, ghost)) say_later(to, InputKind::departed, ghost);
    }
    flight_.give_back(slot);
}

template <Protocol P>
void RunOf<P>::timeout(SiteId self, std::uint32_t timer) {
    if constexpr (HasTimers<P>) {
        Site<P>& site = sites_[self];
        Time& due = timers_[std::size_t{self} * timer_count() + timer];
        if (!site.up() || ((site.armed >> timer) & 1u) == 0 || due != now_) return;
        due = never;
        if (log_ != nullptr)
            log_step(self, "timeout", fmt::format(" {}", enum_name(static_cast<Timer>(timer))));
        take(self, site.application.phase, [&] { stepper_.timeout(self, site, timer); });
    }
}

template <Protocol P>
template <class Step>
void RunOf<P>::take(SiteId self, Phase before, Step&& step) {
    if (agents_[self].dies) return die_inside(self, before, step);
    step();
    settle(self, before);
}

// What a step left behind: messages, timers, notices, and what its application does next.
template <Protocol P>
void RunOf<P>::settle(SiteId self, Phase before) {
    log_outcome(self, before);
    for (const std::string_view probe : stepper_.fx().probes()) metrics_.passed(probe);
    for (const Notice& notice : stepper_.fx().notices()) {
        if (notice.kind == Notice::Kind::revoked) metrics_.revoked();
        if (notice.kind == Notice::Kind::refused) metrics_.refused();
    }
    if (!stepper_.report().clean()) judge(stepper_.report());
    if constexpr (!std::same_as<MonitorOf<P>, NoMonitor>) {
        Report report;
        for (const Event& event : stepper_.events()) monitor_.observe(event, report);
        judge(report);
    }
    send_all(self);
    set_timers(self);
    if (before != sites_[self].application.phase) account(self, before);
    plan_next(self);
}

template <Protocol P>
void RunOf<P>::send_all(SiteId self) {
    for (const auto& one : stepper_.fx().sends()) send(self, one.to, one.message);
}

template <Protocol P>
void RunOf<P>::send(SiteId self, SiteId to, const Message& message) {
    metrics_.sent(message.index());
    if (to >= sites()) {
        Report report;
        report.violated(world::assertion.name, fmt::format("a message to site {}, which does not exist", to));
        return judge(report);
    }
    const Site<P>& receiver = sites_[to];
    // Messages to a site that is gone vanish; while the founders start, all of them count as there.
    if (!receiver.up() && !(beginning_ && to < surroundings_.founders)) return;
    launch({self, to, message});
}

template <Protocol P>
void RunOf<P>::launch(const Envelope<Message>& envelope) {
    const std::uint32_t slot = flight_.take();
    Letter& letter = flight_[slot];
    letter.envelope = envelope;
    letter.life = sites_[envelope.to].incarnation;
    letter.number = ++letters_;
    push(arrival(envelope.from, envelope.to), What::deliver, slot);
}

// On FIFO links no message overtakes an earlier one of its channel. Only channels whose newest message is
// still under way need an entry.
template <Protocol P>
Time RunOf<P>::arrival(SiteId from, SiteId to) {
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

template <Protocol P>
void RunOf<P>::set_timers(SiteId self) {
    if constexpr (HasTimers<P>)
        for (const auto& change : stepper_.fx().timers()) {
            const auto timer = static_cast<std::uint32_t>(change.timer);
            Time& due = timers_[std::size_t{self} * timer_count() + timer];
            Time length = std::max<Time>(change.ticks, 1) * plan_.tick.value;
            if constexpr (BacksOff<P>)
                if (P::backs_off(change.timer)) length = 1 + timing_(length);
            due = change.armed ? now_ + length : never;
            if (change.armed) push(due, What::timeout, self, timer);
        }
}

template <Protocol P>
void RunOf<P>::account(SiteId self, Phase before) {
    const Application& app = sites_[self].application;
    if (before == Phase::waiting) {
        if (app.phase == Phase::holding)
            metrics_.granted(self, app.demand.size(), now_);
        else
            metrics_.abandoned(self);
    }
    if (before == Phase::holding) metrics_.lets_go(self, now_);
    if ((before == Phase::holding || before == Phase::leaving) && app.phase == Phase::idle)
        metrics_.let_go(self, now_);
    if (app.phase != Phase::holding) return;
    const bool most = metrics_.occupies(self, app.demand.size(), now_);
    // Of units no more than there are may be in use, so every new maximum is looked at. Of named resources a
    // maximum says nothing, nor where each neighbourhood has bounds of its own.
    constexpr bool units_of_all = !requires(const typename P::Config& config) {
        config.closed;
    };
    if (units_of_all && most && app.demand.resources.empty() && next_verify_ != never) next_verify_ = 0;
}

template <Protocol P>
void RunOf<P>::plan_next(SiteId self) {
    const Site<P>& site = sites_[self];
    Agent& agent = agents_[self];
    if (!site.up()) return;
    const Application& app = site.application;
    // Whoever no longer waits has nothing to withdraw.
    if (agent.next == What::give_up && app.phase != Phase::waiting) agent.due = never;
    if (app.phase == Phase::idle) {
        if (agent.leaves) return leave(self);
        if (agent.due == never && app.requests_left > 0 &&
            may_request(site.protocol, stepper_.context(self, site)))
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

template <Protocol P>
void RunOf<P>::plan_activity(SiteId self, What what, Time delay) {
    agents_[self].next = what;
    agents_[self].due = now_ + delay;
    push(agents_[self].due, what, self);
}

template <Protocol P>
Demand RunOf<P>::draw_demand(SiteId self) {
    if (plan_.demand.fixed) return *plan_.demand.fixed;
    const auto ctx = stepper_.context(self, sites_[self]);
    if constexpr (DrawsDemands<P>) {
        return P::draw_demand(ctx, workload_);
    } else if constexpr (ChoosesDemands<P>) {
        const auto demands = demands_of<P>(ctx);
        return demands[workload_(demands.size())];
    } else {
        return Demand{};
    }
}

// As worlds have them: on FIFO links, the oldest message of a channel first.
template <Protocol P>
std::vector<const typename RunOf<P>::Letter*> RunOf<P>::in_flight() const {
    std::vector<const Letter*> letters;
    for (const Letter& letter : flight_.items()) {
        const Site<P>& receiver = sites_[letter.envelope.to];
        if (letter.number > 0 && receiver.up() && receiver.incarnation == letter.life)
            letters.push_back(&letter);
    }
    const auto order = [](const Letter* letter) {
        return std::tuple(letter->envelope.from, letter->envelope.to, letter->number);
    };
    if (surroundings_.links == Links::fifo)
        std::sort(letters.begin(), letters.end(),
                  [&](const Letter* a, const Letter* b) { return order(a) < order(b); });
    return letters;
}

template <Protocol P>
void RunOf<P>::verify() {
    std::vector<const Site<P>*> sites;
    for (const Site<P>& site : sites_) sites.push_back(&site);
    std::vector<const Envelope<Message>*> flight;
    for (const Letter* letter : in_flight()) flight.push_back(&letter->envelope);
    const View<P> view{config_, sites, flight};
    Report report;
    if (!corrupted_at_ || is_legitimate(view, report)) P::on_state(view, report);
    judge(report);
    next_verify_ = metrics_.events() + (recovering_ ? surroundings_.look : surroundings_.verify);
}

// The first violation ends the run: what comes after it means nothing.
template <Protocol P>
void RunOf<P>::judge(const Report& report) {
    if (report.clean() || stopped_ || recovering_) return;
    violations_.push_back({report.property(), report.detail(), now_, seed_});
    stopped_ = true;
}

template <Protocol P>
Figures RunOf<P>::finish() {
    if (!stopped_) verify();
    if (!stopped_ && recovering_) {
        recovering_ = false;
        Report report;
        report.violated(world::convergence.name, fmt::format("not legitimate {} after the last corruption",
                                                             time_text(now_ - *corrupted_at_)));
        judge(report);
    }
    std::uint64_t waiting = 0;
    for (SiteId site = 0; site < sites(); ++site) {
        if (!sites_[site].up()) continue;
        const Phase phase = sites_[site].application.phase;
        if (phase == Phase::waiting) metrics_.still_waiting(site, now_, plan_.patient_for());
        if (phase == Phase::leaving) metrics_.still_leaving(site, now_, plan_.patient_for());
        if (phase == Phase::waiting || phase == Phase::leaving) ++waiting;
    }
    Figures figures = metrics_.figures(now_, surroundings_.capacity);
    if (!stopped_ && queue_.empty()) figures.stalled = waiting;
    if (!always_asks<P>()) figures.left_behind = 0;
    for (std::size_t kind = 0; kind < figures.messages_by_kind.size(); ++kind)
        figures.messages_by_kind[kind].kind = kind_names<Message>()[kind];
    figures.violations = std::move(violations_);
    figures.stopped = stopped_ && figures.violations.empty();
    figures.cpu_seconds = cpu_seconds() - cpu_began_;
    if (figures.cpu_seconds > 0)
        figures.events_per_second = static_cast<double>(figures.events) / figures.cpu_seconds;
    return figures;
}

template <Protocol P>
std::uint32_t RunOf<P>::timer_count() {
    static const std::uint32_t count = [] {
        std::uint32_t most = 0;
        for (const Timer timer : enum_values<Timer>())
            most = std::max(most, static_cast<std::uint32_t>(timer) + 1);
        return most;
    }();
    return count;
}

template <Protocol P>
double RunOf<P>::cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace allot::sim

#include "sim/run_detectors.hpp"
#include "sim/run_faults.hpp"
#include "sim/run_log.hpp"
