// The present world of a scenario, with the history that the expectations need.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "walk/walker.hpp"

namespace allot::play {

// A step that was taken.
struct Taken {
    walk::World before;
    std::vector<walk::EnvelopeId> sent;  // messages that left the site
    std::string refused;                 // why a request was refused
    Report report;                       // on the step and on the next world
};

// The steps that repeat forever: worlds[i] is where moves[i] is taken; the last world follows the last move.
struct Loop {
    std::vector<walk::World> worlds;
    std::vector<walk::Move> moves;
};

class Stage {
public:
    explicit Stage(std::unique_ptr<walk::Machine> machine);

    walk::Machine& machine() const { return *machine_; }
    walk::Walker& walker() { return walker_; }
    // Always replaces stamps by ranks: loops increase stamps and still repeat.
    walk::Walker& ranking_walker() {
        if (!ranking_walker_) ranking_walker_.emplace(*machine_, true);
        return *ranking_walker_;
    }
    const walk::World& world() const { return world_; }
    const walk::LocalInfo& site(SiteId id) const { return machine_->local(world_.sites[id]); }
    const walk::Budget& budget() const { return machine_->ledger(world_.ledger).budget; }
    const walk::Conditions& conditions() const { return machine_->ledger(world_.ledger).conditions; }
    bool fifo() const { return machine_->setup().fifo(); }

    Taken take(const walk::Move& move);
    // Replaces the world by an arbitrary one.
    void rewrite(walk::World world);
    // The violations of the present world. After an arbitrary start, a protocol that declares legitimate
    // worlds answers for its properties only in those.
    Report judge() const;
    // Violations at the starts of the founders.
    const Report& birth() const { return birth_; }

    // By channel in (from, to) order, oldest first.
    std::vector<walk::EnvelopeId> in_flight() const;
    std::vector<walk::EnvelopeId> in_flight(SiteId from, SiteId to) const;
    // How many messages of each kind were sent since the start.
    const std::map<std::string, std::uint64_t>& sent() const { return sent_; }
    const std::optional<walk::World>& before_last_step() const { return before_last_step_; }

    void begin_loop() { loop_ = Loop{{world_}, {}}; }
    const std::optional<Loop>& loop() const { return loop_; }

private:
    bool binding(const walk::World& world) const { return !arbitrary_ || machine_->legal(world); }
    void forget_states();
    void count(const std::vector<walk::EnvelopeId>& sent);
    void note_order(const std::optional<walk::EnvelopeId>& consumed,
                    const std::vector<walk::EnvelopeId>& sent);

    std::unique_ptr<walk::Machine> machine_;
    walk::Walker walker_;
    std::optional<walk::Walker> ranking_walker_;  // once it is needed
    Report birth_;
    walk::World world_;
    std::vector<walk::EnvelopeId> order_;  // messages in flight, in the order of sending
    std::map<std::string, std::uint64_t> sent_;
    std::optional<walk::World> before_last_step_;
    std::optional<Loop> loop_;
    std::uint64_t steps_ = 0;
    bool arbitrary_ = false;  // made by hand, in a protocol that declares legitimate worlds
};

}  // namespace allot::play
