// Those who wait for locks on one host, in the order in which they asked, and which of them may have a seat
// next. A seat is a site of the protocol, so two seats that want the same compete with messages, and a set
// that waits in a seat keeps what it has already got from others. Therefore
//     - a lock that a seat uses is waited for in the line;
//     - a set waits in the line while a seat waits for one of its locks;
//     - a single lock for which only sets wait in seats is asked for at once: if it is free, the protocol
//       lends it.
//
// A request that `most_overtakes` others have overtaken, which want some of the same, is owed a seat: it
// waits in the line only behind an earlier one that is owed a seat, and nobody of this host overtakes it
// again.
//
// The line may be long, and most of it may want the same. So a request that has to wait is parked at one
// name, and is looked at again only when that name may be free and nobody parked there comes before it.
//
// One user must not have all seats. A request that lacks nothing but a seat, and whose user has
// `most_of_user` already, stands back until its user gives one back: meanwhile it is in nobody's way, and
// nobody overtakes it.
//
// Complexity, with N requests and n names in the one at hand: to ask, to withdraw, to seat, to enter and to
// leave a seat cost O(n log N) each, amortised. A single step may cost more, since a seat counts as
// overtaking all who wait for the same and came before; but that happens to each of them `most_overtakes`
// times at most. `next` costs O(n log N) for each request that it looks at: each of the operations above
// makes it look at n more at most.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/types.hpp"

namespace allot::host {

class Line {
public:
    // A request, as its owner numbers it.
    using Claim = std::uint64_t;
    // All requests of a user share its seats.
    using User = std::uint64_t;

    // More overtakes give hardly more grants per second, and fewer give less (bench/README.md, sets).
    static constexpr std::uint32_t usual_overtakes = 8;
    // Every call must have the same.
    struct Bounds {
        std::uint32_t most_overtakes = usual_overtakes;
        bool give_way = true;      // a single lock is asked for though sets wait for it in seats
        bool look_again = true;    // behind a request that leaves the line
        bool forget_names = true;  // that nobody wants any more
        bool owed_first = true;    // a request that is owed a seat does not overtake an earlier one that is
        std::uint32_t most_of_user = ~0u;  // seats
    };

    struct Entry {
        enum class Stage : std::uint8_t { waits, seated, holds };
        BOOST_DESCRIBE_NESTED_ENUM(Stage, waits, seated, holds)

        Claim claim = 0;
        Demand demand;
        std::uint32_t overtaken = 0;  // by how many that want some of the same
        Stage stage = Stage::waits;   // in the line, or in a seat
        User user = 0;
        bool operator==(const Entry&) const = default;
        BOOST_DESCRIBE_CLASS(Entry, (), (claim, demand, overtaken, stage, user), (), ())
    };

    void append(Claim claim, Demand demand, User user = 0) {
        add(++last_, {.claim = claim, .demand = std::move(demand), .user = user});
    }
    void prepend(Claim claim, Demand demand, User user = 0) {
        add(first_--, {.claim = claim, .demand = std::move(demand), .user = user});
    }
    // All who wait for a seat, in order.
    std::vector<Entry> waiting() const;
    const Entry* find(Claim claim) const;
    // Names that it keeps: of those who wait, and of those in seats.
    std::size_t names() const { return names_.size(); }
    // Whether a request stands back because its user has as many seats as one may have.
    bool holds_back() const { return !back_.empty(); }
    template <class F>
    void for_each(F f) const {
        for (const auto& [order, entry] : entries_) f(entry);
    }

    // Takes a request out of the line; false if it has a seat already, or is unknown.
    bool withdraw(Claim claim, const Bounds& bounds);

    // The request that may have a seat next, if any. It stays in the line until it is seated.
    const Entry* next(const Bounds& bounds);
    void seat(Claim claim, const Bounds& bounds);
    // The request in the seat has been granted.
    void enter(Claim claim);
    // The seat is free, and its request is over.
    void leave_seat(Claim claim, const Bounds& bounds);

    bool operator==(const Line&) const = default;

private:
    using Order = std::int64_t;
    struct Name {
        std::uint32_t holders = 0;  // seats that use it
        std::set<Order> waiters;    // all who want it and do not use it, in seats and in the line
        std::set<Order> seated;     // of these, those in seats
        // Of these, those in the line that are not looked at before it is free.
        std::set<Order> parked_singles;
        std::set<Order> parked_sets;
        std::set<Order> owed;  // of the waiters, those that must not be overtaken again
        bool unused() const { return holders == 0 && waiters.empty(); }
        bool is_owed_before(Order order) const { return !owed.empty() && *owed.begin() < order; }
        bool operator==(const Name&) const = default;
        BOOST_DESCRIBE_CLASS(Name, (), (holders, waiters, seated, parked_singles, parked_sets, owed), (), ())
    };

    void add(Order order, Entry one);
    // Returns what it wanted.
    Demand remove(Order order);
    void stop_waiting(Order order, Name& name);
    void park(Order order, Name& where);
    void unpark(Order order);
    void count_overtaken_by(Order order, const Bounds& bounds);
    // Looks again at the first request parked at each of these names for which the name is no obstacle.
    void look_again(const Demand& demand, const Bounds& bounds);
    Name* obstacle_of(Order order, const Bounds& bounds);
    bool gives_way(const Name& name, const Bounds& bounds) const;
    void forget_unused(const Demand& demand, const Bounds& bounds);
    bool is_full(User user, const Bounds& bounds) const;
    void stand_back(Order order, const Bounds& bounds);
    void bring_back(User user, const Bounds& bounds);

    std::map<Order, Entry> entries_;
    std::map<Claim, Order> place_of_;
    std::set<Order> candidates_;  // in the line, and to be looked at; the others there are parked
    std::map<ResourceId, Name> names_;
    std::map<User, std::uint32_t> seats_;   // that users have
    std::map<User, std::set<Order>> back_;  // requests that stand back
    Order first_ = 0;
    Order last_ = 0;

    BOOST_DESCRIBE_CLASS(Line, (), (), (),
                         (entries_, place_of_, candidates_, names_, seats_, back_, first_, last_))
};

}  // namespace allot::host
