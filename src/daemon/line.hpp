// Those who wait on one host for a seat, in order, and who of them may have one next: the first that wants
// nothing which a seat of this host wants, for a seat that waits for another keeps what others could use in
// the meantime. Who was overtaken often enough steps aside no more.
//
// The line may be long, and most of it may want the same. So who has to wait is parked at one name that a
// seat wants, and looked at again only when that name is free and nobody before it there takes it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "core/types.hpp"
#include "daemon/space.hpp"

namespace allot::daemon {

class Line {
public:
    struct Waiting {
        Claim claim = 0;
        Demand demand;
        std::uint32_t overtaken = 0;  // by how many who want some of the same
        BOOST_DESCRIBE_CLASS(Waiting, (), (claim, demand, overtaken), (), ())
    };

    bool empty() const { return waiting_.empty(); }
    void append(Waiting one) { add(++last_, std::move(one)); }
    void prepend(Waiting one) { add(first_--, std::move(one)); }
    // Whoever waits, in order.
    std::deque<Waiting> all() const;
    void clear();

    // Takes a request back; false if it does not wait.
    bool withdraw(Claim claim);

    // Who may have a seat next. It stays in the line until it is seated.
    const Waiting* next();
    // A claim has a seat from now on, whether it was in the line before or not.
    void seat(Claim claim, const Demand& demand);
    void leave_seat(Claim claim);

private:
    // More give hardly more grants per second, and fewer give less (bench/README.md, sets).
    static constexpr std::uint32_t most_overtakes = 8;

    using Order = std::int64_t;
    struct Name {
        std::uint32_t seats = 0;  // that want it
        std::set<Order> waiters;  // all who want it
        std::set<Order> parked;   // of these, who are not looked at before it is free
        bool forgotten() const { return seats == 0 && waiters.empty(); }
    };

    void add(Order order, Waiting one);
    void remove(Order order);
    void park(Order order, Name& where);
    void unpark(Order order);
    void count_overtaken_by(Order order);
    // Of each of these names that is free the first who is parked there is looked at again.
    void look_again(const Demand& demand);
    Name* obstacle_of(const Waiting& one);
    void forget_unused(const Demand& demand);

    std::map<Order, Waiting> waiting_;
    std::map<Claim, Order> place_of_;
    std::set<Order> candidates_;  // to be looked at; all others are parked
    std::map<Claim, Demand> seated_;
    std::unordered_map<ResourceId, Name> names_;
    Order first_ = 0;
    Order last_ = 0;
};

}  // namespace allot::daemon
