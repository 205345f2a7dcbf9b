// The present world of a scenario, with the history that the expectations need.
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
    std::vector<world::EnvelopeId> sent;  // messages that left the site
    std::string refused;                  // why a request was refused
    Report report;                        // on the step and on the next world
};

// The steps that repeat forever: worlds[i] is where moves[i] is taken; the last world follows the last move.
struct Loop {
    std::vector<world::World> worlds;
    std::vector<world::Move> moves;
};

class Stage {
public:
    explicit Stage(std::unique_ptr<world::Machine> machine);

    world::Machine& machine() const { return *machine_; }
    world::Walker& walker() { return walker_; }
    // Always replaces stamps by ranks: loops increase stamps and still repeat.
    world::Walker& ranking_walker() { return ranking_walker_; }
    const world::World& world() const { return world_; }
    const world::LocalInfo& site(SiteId id) const { return machine_->local(world_.sites[id]); }
    const world::Budget& budget() const { return machine_->ledger(world_.ledger).budget; }
    bool fifo() const { return machine_->setup().fifo(); }

    Taken take(const world::Move& move);
    // Replaces the world by an arbitrary one.
    void rewrite(world::World world);
    // The violations of the present world. After an arbitrary start, a protocol that declares legitimate
    // worlds answers for its properties only in those.
    Report judge() const;
    // Violations at the starts of the founders.
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
    std::vector<world::EnvelopeId> order_;  // messages in flight, in the order of sending
    std::map<std::string, std::uint64_t> sent_;
    std::optional<world::World> before_last_step_;
    std::optional<Loop> loop_;
    bool arbitrary_ = false;  // made by hand, in a protocol that declares legitimate worlds
};

}  // namespace allot::play
