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
    const User user = one->user;
    const Demand demand = remove(place_of_.at(claim));
    if (bounds.look_again) look_again(demand, bounds);  // it may have been the one that was looked at
    forget_unused(demand, bounds);
    bring_back(user, bounds);
    return true;
}

const Line::Entry* Line::next(const Bounds& bounds) {
    while (!candidates_.empty()) {
        const Order order = *candidates_.begin();
        const Entry& one = entries_.at(order);
        Name* obstacle = obstacle_of(order, bounds);
        if (obstacle == nullptr && !is_full(one.user, bounds)) return &one;
        if (obstacle == nullptr) {
            stand_back(order, bounds);
            continue;
        }
        park(order, *obstacle);
        look_again(one.demand, bounds);
        bring_back(one.user, bounds);
    }
    return nullptr;
}

void Line::seat(Claim claim, const Bounds& bounds) {
    const Order order = place_of_.at(claim);
    count_overtaken_by(order, bounds);
    Entry& one = entries_.at(order);
    ensure(one.stage == Stage::waits, "a request has two seats");
    if (!candidates_.contains(order)) unpark(order);
    candidates_.erase(order);
    one.stage = Stage::seated;
    ++seats_[one.user];
    for (const ResourceId name : one.demand.resources) names_.at(name).seated.insert(order);
    const bool is_set = one.demand.resources.size() > 1;
    if (is_set) look_again(one.demand, bounds);  // it gives way to single requests that wait behind it
    bring_back(one.user, bounds);
}

void Line::enter(Claim claim) {
    const Order order = place_of_.at(claim);
    Entry& one = entries_.at(order);
    ensure(one.stage == Stage::seated, "a request is granted that has no seat");
    one.stage = Stage::holds;
    for (const ResourceId name : one.demand.resources) {
        Name& known = names_.at(name);
        stop_waiting(order, known);
        ++known.holders;
    }
}

void Line::leave_seat(Claim claim, const Bounds& bounds) {
    const auto place = place_of_.find(claim);
    if (place == place_of_.end()) return;
    const User user = entries_.at(place->second).user;
    const Demand demand = remove(place->second);
    look_again(demand, bounds);
    forget_unused(demand, bounds);
    bring_back(user, bounds);
}

void Line::add(Order order, Entry one) {
    for (const ResourceId name : one.demand.resources) names_[name].waiters.insert(order);
    place_of_[one.claim] = order;
    candidates_.insert(order);
    entries_.emplace(order, std::move(one));
}

Demand Line::remove(Order order) {
    const auto place = entries_.find(order);
    const auto back = back_.find(place->second.user);
    const bool stood_back = back != back_.end() && back->second.erase(order) > 0;
    if (stood_back && back->second.empty()) back_.erase(back);
    if (place->second.stage == Stage::waits && !stood_back) {
        unpark(order);
        candidates_.erase(order);
    }
    Entry one = std::move(place->second);
    entries_.erase(place);
    place_of_.erase(one.claim);
    if (one.stage != Stage::waits && --seats_.at(one.user) == 0) seats_.erase(one.user);
    for (const ResourceId name : one.demand.resources) {
        if (stood_back) break;
        Name& known = names_.at(name);
        if (one.stage == Stage::holds)
            --known.holders;
        else
            stop_waiting(order, known);
    }
    if (entries_.empty()) first_ = last_ = 0;
    return std::move(one.demand);
}

void Line::stop_waiting(Order order, Name& name) {
    name.waiters.erase(order);
    name.seated.erase(order);
    // The next one that is owed a seat waited for this one.
    if (name.owed.erase(order) > 0 && !name.owed.empty()) unpark(*name.owed.begin());
}

void Line::park(Order order, Name& where) {
    candidates_.erase(order);
    const bool single = entries_.at(order).demand.resources.size() == 1;
    (single ? where.parked_singles : where.parked_sets).insert(order);
}

void Line::unpark(Order order) {
    for (const ResourceId name : entries_.at(order).demand.resources) {
        Name& known = names_.at(name);
        if (known.parked_singles.erase(order) + known.parked_sets.erase(order) == 0) continue;
        candidates_.insert(order);
        return;  // nobody is parked twice
    }
}

void Line::count_overtaken_by(Order order, const Bounds& bounds) {
    std::vector<Order> overtaken;
    for (const ResourceId name : entries_.at(order).demand.resources) {
        const auto& waiters = names_.at(name).waiters;
        overtaken.insert(overtaken.end(), waiters.begin(), waiters.lower_bound(order));
    }
    std::ranges::sort(overtaken);
    overtaken.erase(std::unique(overtaken.begin(), overtaken.end()), overtaken.end());
    for (const Order one : overtaken) {
        if (++entries_.at(one).overtaken < bounds.most_overtakes) continue;
        for (const ResourceId name : entries_.at(one).demand.resources) names_.at(name).owed.insert(one);
        unpark(one);
    }
}

void Line::look_again(const Demand& demand, const Bounds& bounds) {
    for (const ResourceId name : demand.resources) {
        const auto place = names_.find(name);
        if (place == names_.end() || place->second.holders > 0) continue;
        const Name& known = place->second;
        const bool open = known.seated.empty();
        if (!open && !gives_way(known, bounds)) continue;
        const auto& singles = known.parked_singles;
        const auto& sets = known.parked_sets;
        const bool set_first = open && !sets.empty() && (singles.empty() || *sets.begin() < *singles.begin());
        if (!set_first && singles.empty()) continue;
        const Order first = set_first ? *sets.begin() : *singles.begin();
        if (!known.is_owed_before(first)) unpark(first);
    }
}

Line::Name* Line::obstacle_of(Order order, const Bounds& bounds) {
    const Entry& one = entries_.at(order);
    const bool owed = one.overtaken >= bounds.most_overtakes;
    const bool single = one.demand.resources.size() == 1;
    for (const ResourceId name : one.demand.resources) {
        Name& known = names_.at(name);
        if (known.is_owed_before(order) && (bounds.owed_first || !owed)) return &known;
        if (owed) continue;
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

bool Line::is_full(User user, const Bounds& bounds) const {
    const auto seats = seats_.find(user);
    return seats != seats_.end() && seats->second >= bounds.most_of_user;
}

void Line::stand_back(Order order, const Bounds& bounds) {
    const Entry& one = entries_.at(order);
    candidates_.erase(order);
    for (const ResourceId name : one.demand.resources) stop_waiting(order, names_.at(name));
    back_[one.user].insert(order);
    look_again(one.demand, bounds);
    forget_unused(one.demand, bounds);
}

// The first one: if it has to wait for something else, the next one follows.
void Line::bring_back(User user, const Bounds& bounds) {
    const auto back = back_.find(user);
    if (back == back_.end() || is_full(user, bounds)) return;
    const Order order = back->second.extract(back->second.begin()).value();
    if (back->second.empty()) back_.erase(back);
    const Entry& one = entries_.at(order);
    for (const ResourceId name : one.demand.resources) {
        Name& known = names_[name];
        known.waiters.insert(order);
        if (one.overtaken >= bounds.most_overtakes) known.owed.insert(order);
    }
    candidates_.insert(order);
}

void Line::forget_unused(const Demand& demand, const Bounds& bounds) {
    if (!bounds.forget_names) return;
    for (const ResourceId name : demand.resources)
        if (const auto place = names_.find(name); place != names_.end() && place->second.unused())
            names_.erase(place);
}

}  // namespace allot::host
