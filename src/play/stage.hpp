// The world a scenario plays in: as it is now, with what the expectations need to know of how it came about.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "world/walker.hpp"

namespace allot::play {

// A step that was taken.
struct Taken {
    world::World before;
    std::vector<world::EnvelopeId> sent;  // what left its site
    std::string refused;                  // why, if a request was
    Report report;                        // of the step, and of the world it led to
};

// What repeats for ever: worlds[i] is where moves[i] is taken; the last world is the one after the last move.
struct Loop {
    std::vector<world::World> worlds;
    std::vector<world::Move> moves;
};

class Stage {
public:
    explicit Stage(std::unique_ptr<world::Machine> machine);

    world::Machine& machine() const { return *machine_; }
    world::Walker& walker() { return walker_; }
    // Replaces stamps by ranks whatever the setup says: loops grow stamps and still repeat.
    world::Walker& ranking_walker() { return ranking_walker_; }
    const world::World& world() const { return world_; }
    const world::LocalInfo& site(SiteId id) const { return machine_->local(world_.sites[id]); }
    const world::Budget& budget() const { return machine_->ledger(world_.ledger).budget; }
    bool fifo() const { return machine_->setup().fifo(); }

    Taken take(const world::Move& move);
    // Puts an arbitrary world on stage.
    void rewrite(world::World world);
    // What the world as it is violates. After an arbitrary start, a protocol that says which worlds are
    // legitimate answers for its properties only there.
    Report judge() const;
    // What the starts of the founders violated.
    const Report& birth() const { return birth_; }

    // By channel in (from, to) order, oldest first.
    std::vector<world::EnvelopeId> in_flight() const;
    std::vector<world::EnvelopeId> in_flight(SiteId from, SiteId to) const;
    // How many messages of each kind were sent since the start.
    const std::map<std::string, std::uint64_t>& sent() const { return sent_; }
    const std::optional<world::World>& before_last_step() const { return before_last_step_; }

    void begin_loop() { loop_ = Loop{{world_}, {}}; }
    const std::optional<Loop>& loop() const { return loop_; }

private:
    bool binding(const world::World& world) const { return !arbitrary_ || machine_->legal(world); }
    void count(const std::vector<world::EnvelopeId>& sent);
    void note_order(const std::optional<world::EnvelopeId>& consumed,
                    const std::vector<world::EnvelopeId>& sent);

    std::unique_ptr<world::Machine> machine_;
    world::Walker walker_;
    world::Walker ranking_walker_;
    Report birth_;
    world::World world_;
    std::vector<world::EnvelopeId> order_;  // what is in flight, in the order of sending
    std::map<std::string, std::uint64_t> sent_;
    std::optional<world::World> before_last_step_;
    std::optional<Loop> loop_;
    bool arbitrary_ = false;  // made by hand, and not every world is legitimate
};

}  // namespace allot::play
