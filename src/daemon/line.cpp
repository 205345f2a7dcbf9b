#include "daemon/line.hpp"

#include <utility>

namespace allot::daemon {

std::deque<Line::Waiting> Line::all() const {
    std::deque<Waiting> all;
    for (const auto& [order, one] : waiting_) all.push_back(one);
    return all;
}

void Line::clear() {
    while (!waiting_.empty()) remove(waiting_.begin()->first);
}

bool Line::withdraw(Claim claim) {
    const auto place = place_of_.find(claim);
    if (place == place_of_.end()) return false;
    const Order order = place->second;
    const Demand demand = waiting_.at(order).demand;
    remove(order);
    look_again(demand);  // it may have been the one who was looked at
    return true;
}

const Line::Waiting* Line::next() {
    while (!candidates_.empty()) {
        const Order order = *candidates_.begin();
        const Waiting& one = waiting_.at(order);
        Name* obstacle = obstacle_of(one);
        if (obstacle == nullptr) return &one;
        park(order, *obstacle);
        look_again(one.demand);
    }
    return nullptr;
}

void Line::seat(Claim claim, const Demand& demand) {
    for (const ResourceId name : demand.resources) ++names_[name].seats;
    seated_[claim] = demand;
    const auto place = place_of_.find(claim);
    if (place == place_of_.end()) return;
    const Order order = place->second;
    count_overtaken_by(order);
    remove(order);
}

void Line::leave_seat(Claim claim) {
    const auto node = seated_.extract(claim);
    if (node.empty()) return;
    const Demand& demand = node.mapped();
    for (const ResourceId name : demand.resources) --names_.at(name).seats;
    look_again(demand);
    forget_unused(demand);
}

void Line::add(Order order, Waiting one) {
    for (const ResourceId name : one.demand.resources) names_[name].waiters.insert(order);
    place_of_[one.claim] = order;
    candidates_.insert(order);
    waiting_.emplace(order, std::move(one));
}

void Line::remove(Order order) {
    unpark(order);
    candidates_.erase(order);
    const auto node = waiting_.extract(order);
    const Waiting& one = node.mapped();
    place_of_.erase(one.claim);
    for (const ResourceId name : one.demand.resources) names_.at(name).waiters.erase(order);
    forget_unused(one.demand);
}

void Line::park(Order order, Name& where) {
    candidates_.erase(order);
    where.parked.insert(order);
}

void Line::unpark(Order order) {
    for (const ResourceId name : waiting_.at(order).demand.resources)
        if (names_.at(name).parked.erase(order) > 0) candidates_.insert(order);
}

void Line::count_overtaken_by(Order order) {
    std::set<Order> overtaken;
    for (const ResourceId name : waiting_.at(order).demand.resources) {
        const auto& waiters = names_.at(name).waiters;
        overtaken.insert(waiters.begin(), waiters.lower_bound(order));
    }
    for (const Order one : overtaken)
        if (++waiting_.at(one).overtaken >= most_overtakes) unpark(one);
}

void Line::look_again(const Demand& demand) {
    for (const ResourceId name : demand.resources) {
        const auto place = names_.find(name);
        if (place == names_.end() || place->second.seats > 0 || place->second.parked.empty()) continue;
        unpark(*place->second.parked.begin());
    }
}

Line::Name* Line::obstacle_of(const Waiting& one) {
    if (one.overtaken >= most_overtakes) return nullptr;
    for (const ResourceId name : one.demand.resources)
        if (Name& known = names_.at(name); known.seats > 0) return &known;
    return nullptr;
}

void Line::forget_unused(const Demand& demand) {
    for (const ResourceId name : demand.resources)
        if (const auto place = names_.find(name); place != names_.end() && place->second.forgotten())
            names_.erase(place);
}

}  // namespace allot::daemon
