#include "check/explorer.hpp"

#include <algorithm>
#include <barrier>
#include <span>
#include <thread>

#include "base/ensure.hpp"
#include "base/stop.hpp"
#include "check/watchdog.hpp"

namespace allot::check {

namespace {

using walk::Move;
using walk::Walker;
using walk::World;

// Worlds that a thread expands per round: few, so that their successors stay in the cache until they are
// stored. Several threads meet at barriers between rounds, which more worlds amortise.
constexpr std::size_t round_alone = 512;
constexpr std::size_t round_together = 4096;
// Violations of a level that a thread keeps; only the shortest is shown.
constexpr std::size_t most_findings = 1000;
// How far ahead of an insertion its slot and its record are fetched.
constexpr std::size_t slot_lookahead = 16;
constexpr std::size_t record_lookahead = 8;

// Successors on their way to their owners.
struct Outbox {
    struct Item {
        std::uint64_t hash;
        Node parent;
        std::uint32_t begin;
    };
    explicit Outbox(unsigned owners) : parcels(owners) {}

    std::vector<Unit> units;  // tuples behind their lengths; the first `used` units count
    std::size_t used = 0;
    std::vector<std::vector<Item>> parcels;  // by owner

    Tuple tuple(std::size_t begin) const { return {&units[begin + 1], units[begin]}; }
    // Where the next tuple may be written; keep() makes it count.
    Unit* room(std::size_t most) {
        if (used + 1 + most + spare > units.size()) units.resize(2 * (used + 1 + most + spare));
        return &units[used + 1];
    }
    void keep(std::size_t length) {
        units[used] = static_cast<Unit>(length);
        used += 1 + length;
    }
    void clear() {
        used = 0;
        for (auto& parcel : parcels) parcel.clear();
    }
};

// The worlds to expand, if the store forgets them.
struct Frontier {
    struct Item {
        Position position;
        std::uint32_t length;
        std::size_t begin;
    };
    std::vector<Unit> units;  // the first `used` count
    std::size_t used = 0;
    std::vector<Item> items;

    void add(Position position, Tuple tuple) {
        if (used + tuple.size() + spare > units.size()) units.resize(2 * (used + tuple.size() + spare));
        items.push_back({position, static_cast<std::uint32_t>(tuple.size()), used});
        copy_units(tuple, units.data() + used);
        used += tuple.size();
    }
};

struct Worker {
    Worker(Graph& graph, unsigned index) : walker(graph.machine()), outbox(graph.owners()), me(index) {}

    Walker walker;
    Outbox outbox;
    unsigned me;
    Position cursor = 1;
    Position level_end = 1;
    Frontier current;
    Frontier next;
    std::size_t taken = 0;  // of `current`
    std::uint64_t transitions = 0;
    bool layered = true;
    // Before the check was resumed; see Walker.
    std::uint64_t earlier_guesses = 0;
    bool leapt_earlier = false;
    std::vector<Finding> findings;
    World world;

    std::uint64_t guesses() const { return earlier_guesses + walker.guesses(); }
    bool leapt() const { return leapt_earlier || walker.leapt(); }

    void write(CheckpointWriter& out) const;
    void read(CheckpointReader& in);
};

void Worker::write(CheckpointWriter& out) const {
    for (const std::uint64_t number : {std::uint64_t{cursor}, std::uint64_t{level_end}, transitions,
                                       std::uint64_t{layered}, guesses(), std::uint64_t{leapt()}})
        out.number(number);
}

void Worker::read(CheckpointReader& in) {
    cursor = static_cast<Position>(in.number());
    level_end = static_cast<Position>(in.number());
    transitions = in.number();
    layered = in.number() != 0;
    earlier_guesses = in.number();
    leapt_earlier = in.number() != 0;
}

class Explorer {
public:
    Explorer(Graph& graph, const Options& options, const Watchdog& watchdog)
        : graph_(graph), machine_(graph.machine()), options_(options), watchdog_(watchdog) {
        for (unsigned i = 0; i < graph.owners(); ++i) workers_.push_back(std::make_unique<Worker>(graph, i));
        const Walker& walker = workers_[0]->walker;
        round_size_ = workers_.size() == 1 ? round_alone : round_together;
        hurried_ = !walker.canonicalises() && !walker.takes_prompt_messages() && !walker.keeps_messages() &&
                   !options.from_anywhere;
    }

    Exploration run() {
        if (options_.resume != nullptr)
            resume();
        else
            begin();
        if (workers_.size() == 1)
            while (!done_) {
                expand(*workers_[0]);
                take_in(*workers_[0]);
                decide();
            }
        else
            run_threads();
        stop::reporting();  // a large checkpoint takes longer than the grace after a stop
        save(true);
        return finish();
    }

private:
    class Visitor;

    void begin();
    void resume();
    void save(bool last);
    void write(std::ostream& out) const;
    void run_threads();
    Exploration finish();

    bool exact() const { return graph_.kind() == StoreKind::exact; }
    bool level_done(const Worker& worker) const;
    void begin_level(Worker& worker);
    void expand(Worker& worker);
    void expand_world(Worker& worker, Node node, Tuple tuple);
    void take_in(Worker& worker);
    void take_parcel(Worker& worker, const Outbox& outbox);
    bool judge(Worker& worker, Node node);
    void decide();

    void found(Worker& worker, Finding finding) {
        if (machine_.setup().judges(finding.property) && worker.findings.size() < most_findings)
            worker.findings.push_back(std::move(finding));
    }

    Graph& graph_;
    walk::Machine& machine_;
    const Options& options_;
    const Watchdog& watchdog_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::size_t round_size_;
    bool hurried_ = false;  // ordinary steps: no other work between a step and its tuple
    bool done_ = false;
    std::string stopped_by_;
    std::uint64_t depth_ = 0;
    std::uint64_t rounds_ = 0;
};

void Explorer::begin() {
    std::vector<World> starts = options_.starts;
    Report birth;
    if (starts.empty()) starts.push_back(machine_.initial(birth));
    for (World& start : starts) {
        stop::poll();
        Worker& first = *workers_[0];
        first.walker.canonical(start);
        const Packed packed(start);
        const std::uint64_t hash = hash_of(packed);
        const unsigned owner = graph_.owner_of(hash);
        const auto [position, fresh] = graph_.store(owner).insert(packed, hash, 0);
        if (!birth.clean())
            found(first, {birth.property(), birth.detail(), graph_.node(owner, position), std::nullopt,
                          std::nullopt});
        if (exact())
            --graph_.note(graph_.node(owner, position));  // no step leads here yet
        else if (fresh)
            workers_[owner]->next.add(position, packed);
    }
    for (auto& worker : workers_) begin_level(*worker);
    graph_.close_level();
    done_ = !workers_[0]->findings.empty();
}

// The machine must know the starts first: they have the first ids.
void Explorer::resume() {
    if (options_.starts.empty()) machine_.initial();
    CheckpointReader in(*options_.resume);
    ensure(machine_.learn(in.text()), "a checkpoint that was whole cannot be read");
    depth_ = in.number();
    for (auto& worker : workers_) worker->read(in);
    graph_.read(in);
    done_ = std::ranges::all_of(workers_, [this](const auto& worker) { return level_done(*worker); });
}

void Explorer::write(std::ostream& out) const {
    CheckpointWriter writer(out, options_.subject);
    writer.number(workers_.size());
    writer.text(machine_.known());
    writer.number(depth_);
    for (const auto& worker : workers_) worker->write(writer);
    graph_.write(writer);
    writer.finish();
}

// A violation ends the check soon. A store that is full has dropped worlds.
void Explorer::save(bool last) {
    if (!options_.on_checkpoint) return;
    for (const auto& worker : workers_)
        if (!worker->findings.empty() || graph_.store(worker->me).full()) return;
    options_.on_checkpoint(last, [this](std::ostream& out) { write(out); });
}

void Explorer::run_threads() {
    std::barrier expanded(static_cast<std::ptrdiff_t>(workers_.size()));
    std::barrier taken(static_cast<std::ptrdiff_t>(workers_.size()), [this]() noexcept { decide(); });
    std::vector<std::jthread> threads;
    for (auto& worker : workers_)
        threads.emplace_back([this, &expanded, &taken, &worker = *worker] {
            while (!done_) {
                expand(worker);
                expanded.arrive_and_wait();
                take_in(worker);
                taken.arrive_and_wait();
            }
        });
}

void Explorer::expand(Worker& worker) {
    worker.outbox.clear();
    const Store& store = graph_.store(worker.me);
    for (std::size_t i = 0; i < round_size_ && !level_done(worker); ++i) {
        if (stop::due()) return;
        if (exact()) {
            expand_world(worker, graph_.node(worker.me, worker.cursor), store.tuple(worker.cursor));
            worker.cursor = store.next(worker.cursor);
        } else {
            const Frontier::Item& item = worker.current.items[worker.taken++];
            expand_world(worker, graph_.node(worker.me, item.position),
                         {worker.current.units.data() + item.begin, item.length});
        }
    }
}

bool Explorer::level_done(const Worker& worker) const {
    return exact() ? worker.cursor == worker.level_end : worker.taken == worker.current.items.size();
}

void Explorer::begin_level(Worker& worker) {
    worker.level_end = graph_.store(worker.me).end();
    if (exact()) return;
    worker.current = std::exchange(worker.next, {});
    worker.taken = 0;
}

// Writes the tuple after an ordinary step from a narrow one: a site reacts, perhaps to the message at
// `received`, and sends. Returns the end, or null if an id is too large to write in place.
Unit* pack_step(const walk::Machine& machine, Tuple before, SiteId site, const walk::Reaction& reaction,
                std::size_t received, Unit* out) {
    if (reaction.after >= large_id) return nullptr;
    Unit* const flight = out + 1 + machine.setup().sites;
    Unit* end = out + before.size();
    copy_units(before, out);
    if (received != Walker::nothing_received) {
        const auto index = static_cast<std::size_t>(flight - out) + received;
        copy_units(before.subspan(index + 1), out + index);
        --end;
    }
    out[1 + site] = static_cast<Unit>(reaction.after);
    for (const walk::EnvelopeId id : reaction.sent) {
        if (id >= large_id) return nullptr;
        const walk::EnvelopeInfo& envelope = machine.envelope(id);
        if (!machine.receives(out[1 + envelope.to])) continue;
        Unit* place = end++;
        for (; place != flight && machine.envelope(place[-1]).order > envelope.order; --place)
            *place = place[-1];
        *place = static_cast<Unit>(id);
    }
    return end;
}

// Handles the steps of one world.
class Explorer::Visitor {
public:
    Visitor(Explorer& explorer, Worker& worker, Node node, Tuple self)
        : explorer_(explorer),
          worker_(worker),
          node_(node),
          self_(self),
          legitimate_(explorer.options_.from_anywhere && explorer.graph_.binding(worker.world)),
          in_place_(explorer.hurried_ && is_narrow(self, worker.world)),
          outbox_(worker.outbox),
          first_(worker.outbox.used) {}

    // True if a fair step changes the world.
    bool progress() const { return progress_; }

    void operator()(const Move& move, const World& after, const Report& report) {
        ++worker_.transitions;
        if (!explorer_.graph_.goes_on(worker_.world, report)) {
            progress_ = true;
            return found(report.property(), report.detail(), after);
        }
        if (legitimate_ && !explorer_.machine_.legal(after))
            found(std::string(world::closure.name), "a legitimate world was left", after);
        if (!worker_.walker.canonicalises()) {
            reach(move, after);
            return;
        }
        const auto forms = worker_.walker.canonical_forms(after);
        for (const World& form : forms)
            // If the step may also lead to another world, staying is a step of an endless run.
            if (!reach(move, form) && forms.size() > 1) worker_.layered = false;
    }

    bool quickly(const Move& move, const walk::Reaction& reaction, std::size_t received) {
        if (!in_place_ || !reaction.plain) return false;
        Unit* const begin = outbox_.room(self_.size() + reaction.sent.size());
        Unit* const end = pack_step(explorer_.machine_, self_, move.site, reaction, received, begin);
        if (end == nullptr) return false;
        ++worker_.transitions;
        const Tuple next(begin, end);
        // A site may receive a message and send the same one to itself: then nothing changes.
        if (reaction.after != worker_.world.sites[move.site] || !equal(next, self_)) keep(move, next);
        return true;
    }

    // Sends the successors to their owners, a little after they were written: reading in large pieces what
    // was just written in small ones would stall.
    void address_all() {
        for (std::size_t at = first_; at != outbox_.used;) {
            const Tuple tuple = outbox_.tuple(at);
            const std::uint64_t hash = hash_of(tuple);
            outbox_.parcels[explorer_.graph_.owner_of(hash)].push_back(
                {hash, node_, static_cast<std::uint32_t>(at)});
            at += 1 + tuple.size();
        }
    }

private:
    void found(std::string property, std::string detail, const World& after) {
        explorer_.found(worker_, {std::move(property), std::move(detail), node_, after, std::nullopt});
    }
    // True if that is another world.
    bool reach(const Move& move, const World& world) {
        Unit* const begin = outbox_.room(most_units(world));
        const Tuple next(begin, pack(world, begin));
        if (equal(next, self_)) return false;
        keep(move, next);
        return true;
    }
    void keep(const Move& move, Tuple next) {
        progress_ = progress_ || move.fair;
        outbox_.keep(next.size());
    }

    Explorer& explorer_;
    Worker& worker_;
    Node node_;
    Tuple self_;
    bool legitimate_;
    bool in_place_;  // ordinary steps need no world in between
    bool progress_ = false;
    Outbox& outbox_;
    std::size_t first_;  // where the successors of this world begin
};

// Judges the world that is about to be expanded.
bool Explorer::judge(Worker& worker, Node node) {
    if (!graph_.binding(worker.world)) return true;
    Report report;
    machine_.check_state(worker.world, report);
    if (report.clean()) return true;
    found(worker, {report.property(), report.detail(), node, std::nullopt, std::nullopt});
    return !machine_.setup().judges(report.property());
}

void Explorer::expand_world(Worker& worker, Node node, Tuple tuple) {
    unpack(tuple, machine_.setup().sites, worker.world);
    if (!judge(worker, node)) return;
    Visitor visitor(*this, worker, node, tuple);
    worker.walker.for_each_step(worker.world, visitor);
    visitor.address_all();
    if (visitor.progress()) return;
    for (const auto id : worker.world.sites)
        if (machine_.local(id).pending())
            return found(worker, {std::string(world::deadlock.name),
                                  "site " + std::to_string(machine_.local(id).site) +
                                      " waits, and nothing more will happen",
                                  node, std::nullopt, machine_.local(id).site});
}

void Explorer::take_in(Worker& worker) {
    for (auto& other : workers_) take_parcel(worker, other->outbox);
}

void Explorer::take_parcel(Worker& worker, const Outbox& outbox) {
    Store& store = graph_.store(worker.me);
    const std::span<const Outbox::Item> items = outbox.parcels[worker.me];
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i + slot_lookahead < items.size()) store.prefetch(items[i + slot_lookahead].hash);
        if (i + record_lookahead < items.size()) store.prefetch_record(items[i + record_lookahead].hash);
        if (store.full()) return;  // decide() stops the search
        const Tuple tuple = outbox.tuple(items[i].begin);
        const auto [position, fresh] = store.insert(tuple, items[i].hash, items[i].parent);
        if (fresh && !exact()) worker.next.add(position, tuple);
        if (!fresh && position < worker.level_end) worker.layered = false;
    }
}

// Between two rounds: checks whether the level is complete, whether any world is left, and the limits.
void Explorer::decide() {
    bool all_done = true;
    bool any_found = false;
    std::size_t growth = 0;
    for (const auto& worker : workers_) {
        const Store& store = graph_.store(worker->me);
        all_done = all_done && level_done(*worker);
        any_found = any_found || !worker->findings.empty();
        if (store.full()) stopped_by_ = watchdog_.out_of_memory();
        if (store.grows_within(round_size_ * 64)) growth += store.growth_bytes();
    }
    if (all_done) {
        bool more = false;
        for (auto& worker : workers_) {
            begin_level(*worker);
            more = more || !level_done(*worker);
        }
        graph_.close_level();
        if (more) ++depth_;
        done_ = !more;
    }
    const bool look = ++rounds_ == 1 || rounds_ % 16 == 0 || stop::due();
    if (look && stopped_by_.empty()) stopped_by_ = watchdog_.reason_to_stop(growth);
    // A deadlock in this level is shorter than a violation one step beyond it, so finish the level first.
    if ((any_found && all_done) || !stopped_by_.empty()) done_ = true;
    if (watchdog_.wants_progress()) {
        std::uint64_t transitions = 0;
        for (const auto& worker : workers_) transitions += worker->transitions;
        watchdog_.tell({.states = graph_.size(),
                        .transitions = transitions,
                        .depth = depth_,
                        .bytes = graph_.bytes(),
                        .doing = "exploring"});
    }
    if (look && !done_) {
        const stop::Unhurried unhurried;
        save(false);
    }
}

Exploration Explorer::finish() {
    Exploration result;
    result.stopped_by = stopped_by_;
    result.depth = depth_;
    for (auto& worker : workers_) {
        result.transitions += worker->transitions;
        result.layered = result.layered && worker->layered;
        result.guesses += worker->guesses();
        result.leapt = result.leapt || worker->leapt();
        result.findings.insert(result.findings.end(), worker->findings.begin(), worker->findings.end());
    }
    // All findings of a round have equal depth, except those one step beyond; the shortest comes first.
    std::stable_sort(result.findings.begin(), result.findings.end(),
                     [this](const Finding& a, const Finding& b) {
                         const auto length = [this](const Finding& f) {
                             return graph_.depth(f.node) + (f.beyond ? 1 : 0);
                         };
                         return length(a) < length(b);
                     });
    return result;
}

}  // namespace

Exploration explore(Graph& graph, const Options& options, const Watchdog& watchdog) {
    return Explorer(graph, options, watchdog).run();
}

}  // namespace allot::check
