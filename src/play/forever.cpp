#include "play/forever.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "play/steps.hpp"
#include "walk/notation.hpp"

namespace allot::play {

namespace {

using walk::ActionKey;
using walk::Move;
using walk::Walker;
using walk::World;

std::string site_text(SiteId site) {
    return "site " + std::to_string(site);
}

std::optional<Move> fair_change(Stage& stage) {
    for (const Move& move : stage.walker().inputs(stage.world())) {
        if (!move.fair) continue;
        Report report;
        if (!stage.ranking_walker().recurs(stage.world(), stage.walker().apply(stage.world(), move, report)))
            return move;
    }
    return std::nullopt;
}

std::optional<std::string> why_something_happens(Stage& stage) {
    const auto move = fair_change(stage);
    if (!move) return std::nullopt;
    return "`" + walk::line_of(stage.machine(), stage.world(), *move) + "` can still happen";
}

std::optional<std::string> why_not_pending(const Stage& stage, const World& world, SiteId site) {
    const walk::LocalInfo& info = stage.machine().local(world.sites[site]);
    if (info.pending()) return std::nullopt;
    return site_text(site) + " is " + std::string(condition(info)) + ", not waiting";
}

// The first visible difference between the two ends of a loop.
std::string difference(Stage& stage, World a, World b) {
    stage.ranking_walker().canonical(a);
    stage.ranking_walker().canonical(b);
    for (SiteId site = 0; site < a.sites.size(); ++site)
        if (a.sites[site] != b.sites[site])
            return site_text(site) + " differs from its state at the start of the loop";
    if (a.flight != b.flight) return "the messages in flight differ from those at the start of the loop";
    if (a.ledger != b.ledger) return "the loop uses up counted faults, or changes a monitor";
    return "every round brings clocks closer together that were far apart";
}

std::map<ActionKey, Move> fair_actions(Stage& stage, Walker& walker, const World& world) {
    std::map<ActionKey, Move> actions;
    for (const Move& move : stage.walker().inputs(world))
        if (move.fair) actions.try_emplace(walker.action(move), move);
    return actions;
}

// Weakly fair: every action that is possible at every point of the loop happens on it.
std::optional<std::string> why_unfair(Stage& stage, const Loop& loop) {
    const bool exact = loop.worlds.front() == loop.worlds.back() && !stage.machine().setup().ranked();
    Walker& walker = exact ? stage.walker() : stage.ranking_walker();
    auto always = fair_actions(stage, walker, loop.worlds.front());
    for (std::size_t i = 0; i < loop.moves.size(); ++i) {
        const auto here = fair_actions(stage, walker, loop.worlds[i]);
        std::erase_if(always, [&](const auto& action) { return !here.contains(action.first); });
        if (loop.moves[i].kind == walk::MoveKind::input) always.erase(walker.action(loop.moves[i]));
    }
    if (always.empty()) return std::nullopt;
    const std::string line = walk::line_of(stage.machine(), loop.worlds.front(), always.begin()->second);
    return "the loop is not fair: `" + line + "` could happen at every point of it and never does";
}

std::optional<std::string> why_no_fair_loop(Stage& stage) {
    if (!stage.loop()) return "there is no loop: write loop before the steps that repeat forever";
    const Loop& loop = *stage.loop();
    if (!stage.ranking_walker().recurs(loop.worlds.front(), loop.worlds.back()))
        return "the loop does not close: " + difference(stage, loop.worlds.front(), loop.worlds.back());
    return why_unfair(stage, loop);
}

}  // namespace

std::optional<std::string> why_not_stuck(Stage& stage, SiteId site) {
    if (auto reason = why_not_pending(stage, stage.world(), site)) return reason;
    return why_something_happens(stage);
}

std::optional<std::string> why_not_starving(Stage& stage, SiteId site) {
    if (!stage.loop()) return why_no_fair_loop(stage);
    const auto& worlds = stage.loop()->worlds;
    const auto phase = [&](const World& world) { return stage.machine().local(world.sites[site]).phase; };
    for (const World& world : worlds) {
        if (const auto reason = why_not_pending(stage, world, site)) return "on the loop " + *reason;
        if (phase(world) != phase(worlds.front()))
            return "on the loop " + site_text(site) + " makes progress";
    }
    return why_no_fair_loop(stage);
}

std::optional<std::string> why_not_diverging(Stage& stage) {
    if (!stage.machine().facts().says_legal)
        return std::string(stage.machine().facts().name) + " does not declare which worlds are legitimate";
    if (!stage.loop()) {
        if (stage.machine().legal(stage.world())) return "this world is legitimate";
        return why_something_happens(stage);
    }
    for (const World& world : stage.loop()->worlds)
        if (stage.machine().legal(world)) return "a world on the loop is legitimate";
    return why_no_fair_loop(stage);
}

std::optional<std::string> why_not_leaving_legitimate(Stage& stage) {
    if (!stage.machine().facts().says_legal)
        return std::string(stage.machine().facts().name) + " does not declare which worlds are legitimate";
    if (!stage.before_last_step()) return "no step came before this line";
    if (!stage.machine().legal(*stage.before_last_step()))
        return "the world before the last step was not legitimate";
    if (stage.machine().legal(stage.world())) return "the world after the last step is legitimate too";
    return std::nullopt;
}

}  // namespace allot::play
