// A semaphore on one host, by `host-permits`: the host is the participant, and each request of a program has
// a seat in it, for as long as it is served. Of those that wait, only the first have seats, because all seats
// count in every step; the others wait in a line, in the order in which they asked.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/kind.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/semaphore/host_permits.hpp"

namespace allot::host {

class Semaphore {
public:
    static constexpr std::size_t most_waiting_seats = 64;
    struct Config {
        HostPermits::Config::Repairs repairs{};
        bool keep_ends = true;  // of requests that end while the host is frozen
    };
    using Message = HostPermits::Message;
    using Effects = KindEffects<Message>;
    struct Context {
        const Config& config;
        Epoch epoch;
        std::uint32_t permits = 1;  // in this epoch
    };

    void ask(RequestId request, std::uint32_t units);
    void end(RequestId request);
    // Whether no request uses it, or waits for it.
    bool is_unused() const { return seat_of_.empty() && line_.empty(); }
    // Whether `settle` has something to do.
    bool has_work() const { return !ended_.empty() || has_next(); }
    void settle(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Message& message, Effects& fx);
    // Why this cannot be a message of another host, of this epoch.
    std::optional<std::string> objection(const Context& ctx, const Message& message) const;
    // Requests of other members that are kept here, and of this one. A new epoch forgets those that nobody
    // waits for any more.
    std::size_t weight() const { return site_.debts(); }
    std::size_t weight_of(SiteId place) const { return site_.debts_to(place); }

    agreement::Holdings holdings(const Context& ctx) const;
    void forget_epoch();
    void rebuild(const Context& ctx, const std::vector<agreement::Claim>& claims, Effects& fx);

    // A program that an earlier incarnation left behind uses so many units.
    void adopt(RequestId request, std::uint32_t units);

    bool operator==(const Semaphore&) const = default;

private:
    using Order = std::uint64_t;
    struct Seat {
        std::optional<RequestId> request;
        Phase phase = Phase::idle;  // of the request; the site may not know yet that it is over
        std::uint32_t units = 0;
        bool operator==(const Seat&) const = default;
        BOOST_DESCRIBE_CLASS(Seat, (), (request, phase, units), (), ())
    };

    template <class Action>
    void act(const Context& ctx, Effects& fx, Action&& action);
    void run(const Context& ctx, Effects& fx);
    bool has_next() const { return !line_.empty() && waiting_.size() < most_waiting_seats; }
    void seat_next(const Context& ctx, Effects& fx);
    std::uint32_t free_seat();
    void set(std::uint32_t seat, const Seat& content);
    void withdraw(Order order);
    void refuse_large(const Context& ctx, Effects& fx);

    HostPermits site_;
    std::vector<Seat> seats_;
    // To find a seat without looking at all of them.
    std::set<std::uint32_t> idle_;
    std::set<std::uint32_t> waiting_;
    std::map<RequestId, std::uint32_t> seat_of_;
    std::set<std::uint32_t> ended_;  // seats whose request is over, which the site does not know yet
    std::map<Order, std::pair<RequestId, std::uint32_t>> line_;  // requests without a seat, and their units
    std::map<RequestId, Order> orders_;                          // of those in the line

    BOOST_DESCRIBE_CLASS(Semaphore, (), (), (),
                         (site_, seats_, idle_, waiting_, seat_of_, ended_, line_, orders_))
};

}  // namespace allot::host
