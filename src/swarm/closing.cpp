#include "swarm/closing.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/stop.hpp"

namespace allot::swarm {

namespace {

using walk::ActionKey;
using walk::Move;

// After all sites are served, messages in flight may still do harm; but a ring never becomes silent, so the
// number of steps is bounded.
constexpr std::size_t steps_afterwards = 100;

class Closer {
public:
    Closer(PartialRun& partial, Random* random) : run_(partial), random_(random) {
        for (SiteId site = 0; site < partial.sites(); ++site)
            if (partial.site(site).up()) owed_.push_back(site);
        strike_off();
    }

    Closing run() {
        std::size_t afterwards = 0;
        const std::size_t most = most_steps();
        for (std::size_t step = 0; step < most; ++step) {
            stop::poll();
            if (owed_.empty() && ++afterwards > steps_afterwards) return {};
            if (!take_fair_step()) return quiet();
            if (run_.broken()) return {Ending::broken};
            strike_off();
        }
        if (owed_.empty()) return {};
        return {Ending::unserved, owed_.front(), most};
    }

private:
    // Generous: each site asks all others, the sites are served one after the other, and clocks tick in
    // between.
    std::size_t most_steps() const {
        const std::size_t sites = run_.sites();
        return sites * (1000 + 50 * sites) + 20 * run_.here().flight.size();
    }

    // An idle site has been served, even if it asks again where requests are fair; and so has a camper that
    // holds.
    void strike_off() {
        std::erase_if(owed_, [this](SiteId site) {
            const Phase phase = run_.site(site).phase;
            const bool camps = run_.machine().setup().camps(site) && phase == Phase::holding;
            return !run_.site(site).up() || phase == Phase::idle || camps;
        });
    }

    Closing quiet() const {
        for (SiteId site = 0; site < run_.sites(); ++site)
            if (run_.site(site).pending()) return {Ending::stuck, site};
        return {};
    }

    // Time passes when nothing else happens: faults have stopped, so answers come in time. False if no fair
    // step changes anything.
    bool take_fair_step() {
        std::vector<Move> fair = run_.walker().inputs(run_.here());
        std::erase_if(fair, [](const Move& move) { return !move.fair; });
        note_ages(fair);
        const auto ticks = std::stable_partition(
            fair.begin(), fair.end(), [](const Move& move) { return move.kind != walk::MoveKind::tick; });
        return take_one_of({fair.begin(), ticks}) || take_one_of({ticks, fair.end()});
    }

    bool take_one_of(std::vector<Move> fair) {
        while (!fair.empty()) {
            const std::size_t chosen = choose(fair);
            const Move move = fair[chosen];
            since_[run_.walker().action(move)] = now_;
            const bool lets_go =
                move.input.kind == world::InputKind::release || run_.site(move.site).phase == Phase::leaving;
            const bool changed = run_.take(move);
            // A holder that may never release has been served, too.
            if (lets_go && run_.site(move.site).phase == Phase::holding) std::erase(owed_, move.site);
            if (changed) return true;
            fair.erase(fair.begin() + static_cast<std::ptrdiff_t>(chosen));
        }
        return false;
    }

    // Notes since when each action has been possible without being taken.
    void note_ages(const std::vector<Move>& fair) {
        ++now_;
        Ages since;
        for (const Move& move : fair) {
            const ActionKey key = run_.walker().action(move);
            const auto known = since_.find(key);
            since.emplace(key, known == since_.end() ? now_ : known->second);
        }
        since_ = std::move(since);
    }

    std::size_t choose(const std::vector<Move>& fair) {
        if (random_ != nullptr && random_->coin()) return (*random_)(fair.size());
        const auto age = [this](const Move& move) { return since_.at(run_.walker().action(move)); };
        const auto oldest = std::min_element(fair.begin(), fair.end(),
                                             [&](const Move& a, const Move& b) { return age(a) < age(b); });
        return static_cast<std::size_t>(oldest - fair.begin());
    }

    using Ages = boost::unordered_flat_map<ActionKey, std::size_t>;

    PartialRun& run_;
    Random* random_;
    std::vector<SiteId> owed_;
    Ages since_;
    std::size_t now_ = 0;
};

}  // namespace

Closing close(PartialRun& partial, Random* random) {
    return Closer(partial, random).run();
}

}  // namespace allot::swarm
