#include "protocols/neighborhood/ways.hpp"

#include <utility>

namespace allot::neighborhood {

Position::Position(const Closed& closed, const std::vector<Range>& ranges, const Configuration& in)
    : closed_(closed), ranges_(ranges), in_(in) {
    for (const auto& neighbourhood : closed) counts_.push_back(count_in(neighbourhood, in));
}

std::optional<SiteId> Position::obstacle(SiteId site) const {
    for (const SiteId around : closed_[site])
        if (counts_[around] == (in_[site] ? ranges_[around].low : ranges_[around].high)) return around;
    return std::nullopt;
}

void Position::turn(SiteId site) {
    in_[site] = !in_[site];
    for (const SiteId around : closed_[site])
        counts_[around] += in_[site] ? 1u : static_cast<std::uint32_t>(-1);
}

Ways::Ways(Position position, std::vector<Will> wills)
    : position_(std::move(position)), wills_(std::move(wills)), busy_(wills_.size(), false) {}

// Short ways first, as long as longer ones may find more.
bool Ways::lead_to(SiteId site, Will most, std::uint64_t& effort) {
    most_ = most;
    effort_ = effort;
    bool reached = false;
    cut_short_ = true;
    for (unsigned depth = 0; !reached && cut_short_ && effort_ > 0; ++depth) {
        cut_short_ = false;
        reached = reach(site, depth);
    }
    effort = effort_;
    return reached;
}

bool Ways::reach(SiteId site, unsigned depth) {
    if (effort_ == 0) return false;
    --effort_;
    const auto full = position_.obstacle(site);
    if (!full) {
        turn(site);
        return true;
    }
    if (depth == 0) {
        cut_short_ = true;
        return false;
    }
    busy_[site] = true;
    bool reached = false;
    for (const Will will : {Will::wants, Will::idle, Will::turned})
        reached = reached || (will <= most_ && reach_over(site, *full, will, depth));
    busy_[site] = false;
    return reached;
}

// Room for an entry comes from a departure, and the other way round.
bool Ways::reach_over(SiteId site, SiteId full, Will will, unsigned depth) {
    const std::size_t so_far = turns_.size();
    for (const SiteId helper : position_.around(full)) {
        if (helper == site || busy_[helper] || wills_[helper] != will ||
            position_.in(helper) == position_.in(site))
            continue;
        if (reach(helper, depth - 1) && reach(site, depth - 1)) return true;
        take_back(so_far);
    }
    return false;
}

void Ways::turn(SiteId site) {
    position_.turn(site);
    turns_.push_back(site);
    wills_before_.push_back(wills_[site]);
    wills_[site] = Will::turned;
}

void Ways::take_back(std::size_t length) {
    for (; turns_.size() > length; turns_.pop_back(), wills_before_.pop_back()) {
        position_.turn(turns_.back());
        wills_[turns_.back()] = wills_before_.back();
    }
}

}  // namespace allot::neighborhood
