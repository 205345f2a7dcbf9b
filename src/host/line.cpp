#include "host/line.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"

namespace allot::host {

using Stage = Line::Entry::Stage;

std::vector<Line::Entry> Line::waiting() const {
    std::vector<Entry> all;
    for (const auto& [order, one] : entries_)
        if (one.stage == Stage::waits) all.push_back(one);
    return all;
}

const Line::Entry* Line::find(Claim claim) const {
    const auto place = place_of_.find(claim);
    return place == place_of_.end() ? nullptr : &entries_.at(place->second);
}

bool Line::withdraw(Claim claim, const Bounds& bounds) {
    const Entry* one = find(claim);
    if (one == nullptr || one->stage != Stage::waits) return false;
    const Demand demand = one->demand;
    remove(place_of_.at(claim));
    look_again(demand, bounds);  // it may have been the one that was looked at
    forget_unused(demand);
    return true;
}

const Line::Entry* Line::next(const Bounds& bounds) {
    while (!candidates_.empty()) {
        const Order order = *candidates_.begin();
        const Entry& one = entries_.at(order);
        Name* obstacle = obstacle_of(one, bounds);
        if (obstacle == nullptr) return &one;
        park(order, *obstacle);
        look_again(one.demand, bounds);
    }
    return nullptr;
}

void Line::seat(Claim claim, const Bounds& bounds) {
    const Order order = place_of_.at(claim);
    count_overtaken_by(order, bounds);
    Entry& one = entries_.at(order);
    ensure(one.stage == Stage::waits, "a request has two seats");
    unpark(order);
    candidates_.erase(order);
    one.stage = Stage::seated;
    for (const ResourceId name : one.demand.resources) names_.at(name).seated.insert(order);
}

void Line::enter(Claim claim) {
    const Order order = place_of_.at(claim);
    Entry& one = entries_.at(order);
    ensure(one.stage == Stage::seated, "a request is granted that has no seat");
    one.stage = Stage::holds;
    for (const ResourceId name : one.demand.resources) {
        Name& known = names_.at(name);
        known.waiters.erase(order);
        known.seated.erase(order);
        ++known.holders;
    }
}

void Line::leave_seat(Claim claim, const Bounds& bounds) {
    const auto place = place_of_.find(claim);
    if (place == place_of_.end()) return;
    const Demand demand = entries_.at(place->second).demand;
    remove(place->second);
    look_again(demand, bounds);
    forget_unused(demand);
}

void Line::add(Order order, Entry one) {
    for (const ResourceId name : one.demand.resources) names_[name].waiters.insert(order);
    place_of_[one.claim] = order;
    candidates_.insert(order);
    entries_.emplace(order, std::move(one));
}

void Line::remove(Order order) {
    unpark(order);
    candidates_.erase(order);
    const auto node = entries_.extract(order);
    const Entry& one = node.mapped();
    place_of_.erase(one.claim);
    for (const ResourceId name : one.demand.resources) {
        Name& known = names_.at(name);
        known.waiters.erase(order);
        known.seated.erase(order);
        if (one.stage == Stage::holds) --known.holders;
    }
    if (entries_.empty()) first_ = last_ = 0;
}

void Line::park(Order order, Name& where) {
    candidates_.erase(order);
    where.parked.insert(order);
}

void Line::unpark(Order order) {
    for (const ResourceId name : entries_.at(order).demand.resources)
        if (names_.at(name).parked.erase(order) > 0) candidates_.insert(order);
}

void Line::count_overtaken_by(Order order, const Bounds& bounds) {
    std::set<Order> overtaken;
    for (const ResourceId name : entries_.at(order).demand.resources) {
        const auto& waiters = names_.at(name).waiters;
        overtaken.insert(waiters.begin(), waiters.lower_bound(order));
    }
    for (const Order one : overtaken)
        if (++entries_.at(one).overtaken >= bounds.most_overtakes) unpark(one);
}

void Line::look_again(const Demand& demand, const Bounds& bounds) {
    for (const ResourceId name : demand.resources) {
        const auto place = names_.find(name);
        if (place == names_.end() || place->second.holders > 0) continue;
        const Name& known = place->second;
        const bool open = known.seated.empty();
        if (!open && !gives_way(known, bounds)) continue;
        const auto first = std::ranges::find_if(known.parked, [&](Order order) {
            return open || entries_.at(order).demand.resources.size() == 1;
        });
        if (first != known.parked.end()) unpark(*first);
    }
}

Line::Name* Line::obstacle_of(const Entry& one, const Bounds& bounds) {
    if (one.overtaken >= bounds.most_overtakes) return nullptr;
    const bool single = one.demand.resources.size() == 1;
    for (const ResourceId name : one.demand.resources) {
        Name& known = names_.at(name);
        const bool waited_for = !known.seated.empty() && !(single && gives_way(known, bounds));
        if (known.holders > 0 || waited_for) return &known;
    }
    return nullptr;
}

// Whether all who wait for the name in seats are sets, which may keep it unused, and may be overtaken once
// more.
bool Line::gives_way(const Name& name, const Bounds& bounds) const {
    return bounds.give_way && std::ranges::all_of(name.seated, [&](Order order) {
               const Entry& one = entries_.at(order);
               return one.demand.resources.size() > 1 && one.overtaken < bounds.most_overtakes;
           });
}

void Line::forget_unused(const Demand& demand) {
    for (const ResourceId name : demand.resources)
        if (const auto place = names_.find(name); place != names_.end() && place->second.unused())
            names_.erase(place);
}

}  // namespace allot::host
