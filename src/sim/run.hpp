// One run of a protocol under a plan. Every step of a site is a step of world::Stepper, as in the checker and
// the player; this class only decides when it happens.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <vector>

#include "base/function_ref.hpp"
#include "core/random.hpp"
#include "sim/flight.hpp"
#include "sim/metrics.hpp"
#include "sim/queue.hpp"
#include "sim/simulation.hpp"
#include "world/axioms.hpp"
#include "world/step.hpp"

namespace allot::sim {

// Numbered items; the number of a removed item is reused.
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

class Run {
public:
    Run(const world::Instance& instance, const Plan& plan, const Surroundings& surroundings,
        std::uint64_t seed, const Observer& observer);

    Figures go();

private:
    using InputKind = world::InputKind;
    using History = world::History;
    static constexpr Time never = std::numeric_limits<Time>::max();
    static constexpr SiteId anybody = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint64_t events_per_report = 1 << 10;

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
        corrupt,
        tick,
        synced,
        cut,
        heal,
        pause,
        resume,
        agree,
        see,
        quiet
    };

    // A report of a detector, which is sent if it is still true then.
    struct Word {
        SiteId to = 0;
        std::uint32_t incarnation = 0;  // incarnation of the observer
        InputKind kind{};
        SiteId about = 0;
    };
    // The program of a site: its next action, and when. Only an event with that time counts, so an outdated
    // event need not be deleted.
    struct Agent {
        What next{};
        Time due = never;
        bool camps = false;
        bool leaves = false;
        bool dies = false;  // it crashes inside its next step
        Time sync_due = never;
        Time resume_due = never;
    };

    void begin();
    void begin_detectors();
    void plan_faults();
    bool may_go_on();  // false after a violation, and when a stop is due
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
    void end_life(SiteId self);
    void leave(SiteId self);
    void corrupt();
    void corrupt(SiteId self);

    // Clocks, disks, cuts and pauses.
    void begin_clocks();
    Time ticks(SiteId self, std::uint64_t count) const;
    void tick(SiteId self);
    void plan_sync(SiteId self);
    void sync(SiteId self);
    SiteId draw_site(FunctionRef<bool(SiteId)> suits);
    void cut(SiteId self);
    void heal(SiteId self);
    void change_channels(SiteId self, std::string_view verb);
    bool is_cut(SiteId from, SiteId to) const {
        return some_cut_off_ && (cut_off_[from] || cut_off_[to]) && from != to;
    }
    void pause(SiteId self);
    void resume(SiteId self);
    void catch_up(SiteId self);
    void deliver_held();

    // Agreed views.
    void begin_views();
    void see_founders(SiteId self);
    void after_detection(What what, SiteId self);
    world::Attendance attendance(SiteId self) const;
    void agree(SiteId about);
    void see(SiteId self);
    void quiet(SiteId self);

    void take(SiteId self, Phase before, FunctionRef<void()> step);
    void die_inside(SiteId self, Phase before, FunctionRef<void()> step);
    std::vector<bool> draw_survivors(const std::vector<SiteId>& destinations);
    void settle(SiteId self, Phase before);
    void send_all(SiteId self);
    void send(SiteId self, SiteId to, std::size_t kind, const void* message);
    void launch(SiteId from, SiteId to, const void* message);
    void set_timers(SiteId self);
    void account(SiteId self, Phase before);
    void plan_next(SiteId self);
    void plan_activity(SiteId self, What what, Time delay);
    Demand draw_demand(SiteId self);
    Time arrival(SiteId from, SiteId to);

    void hear(std::uint32_t slot);
    void say_later(SiteId to, InputKind kind, SiteId about);
    std::optional<std::uint32_t> incarnation_meant(const Word& word) const;
    void announce_start(SiteId self);
    void announce_end(SiteId self);
    void inform(SiteId self);
    bool listens(SiteId self, SiteId peer) const {
        return peer != self && instance_.watches(self, at(self), peer);
    }
    std::vector<SiteId> forgotten_ghosts(const Envelope& envelope) const;

    std::vector<const Envelope*> in_flight() const;
    void verify();
    bool is_legitimate(const world::AnyView& view, Report& report);
    void judge(Report report);
    void log_step(SiteId self, std::string line);
    std::string envelope_line(std::string_view verb, const Envelope& envelope) const;
    void log_put(const Envelope& envelope);
    void log_outcome(SiteId self, Phase before);
    void log_corruption(SiteId self);
    bool waits(SiteId self) const;
    std::uint64_t count_waiting() const;
    bool seems_stalled() const;
    bool stands_still() const;
    std::uint64_t stalled_sites();
    Figures finish();

    void push(Time at, What what, std::uint32_t index, std::uint32_t timer = 0) {
        longest_delay_ = std::max(longest_delay_, at - now_);
        queue_.push({at, static_cast<std::uint32_t>(what) | timer << 8, index});
    }
    SiteId sites() const { return static_cast<SiteId>(sites_.size()); }
    Site& at(SiteId self) { return *sites_[self]; }
    const Site& at(SiteId self) const { return *sites_[self]; }
    const world::Facts& facts() const { return instance_.facts(); }
    Time& due(SiteId self, std::uint32_t timer) { return timers_[std::size_t{self} * timer_count_ + timer]; }
    void note_probes_and_notices();
    void observe();

    const world::Instance& instance_;
    const Plan& plan_;
    const Surroundings& surroundings_;
    const std::uint64_t seed_;
    const Observer& observer_;
    const double cpu_began_;

    // A random generator for each purpose, so that more draws for one do not change another.
    Random workload_, latency_, faults_, detector_, timing_, hardware_;

    world::Stepper stepper_;
    std::vector<Box<Site>> sites_;
    std::vector<Agent> agents_;
    const std::uint32_t timer_count_;
    std::vector<std::int64_t> clock_errors_;  // of each site, in millionths; empty: none
    std::vector<bool> cut_off_;               // the sites that no channel connects
    bool some_cut_off_ = false;
    std::vector<std::uint32_t> held_;        // messages that wait at a cut or for a paused site
    std::vector<std::uint32_t> held_words_;  // of detectors to paused sites
    std::vector<AgreedView> views_;          // in the order of their numbers; none if the protocol has none
    std::vector<Time> timers_;               // due time of each timer of each site
    Box<History> history_;
    EventQueue queue_;
    Flight flight_;
    Slab<Word> words_;
    boost::unordered_flat_map<std::uint64_t, Time> channels_;  // arrival of the newest message
    std::size_t channels_limit_ = 1024;
    Metrics metrics_;
    Time now_ = 0;
    Time longest_delay_ = 0;  // from planning an event to the event
    Time changed_at_ = 0;     // when a site last asked, was served or let go
    std::uint64_t events_at_change_ = 0;
    std::uint64_t letters_ = 0;
    std::uint64_t next_verify_ = never;
    std::vector<Violation> violations_;
    std::ostream* log_ = nullptr;  // null until the world is as `allot play` finds it
    std::string cut_short_;        // the line of a step inside which the site crashes
    bool beginning_ = true;
    bool stopped_ = false;
    bool closing_ = false;        // the run is over: no site asks any more, and nothing is judged
    bool some_are_gone_ = false;  // or were, and came back
    std::optional<Time> corrupted_at_;
    bool recovering_ = false;  // after a corruption, until the world is legitimate
};

}  // namespace allot::sim
