// The locks of one host. The protocol is `counters`; each request of a program that is served has a seat,
// which is a site of the protocol. In an epoch of n members, seat s of the member in place p is the site
// s * n + p, so the first seat of each member is a home. Seats of one host talk to each other within a step.
//
// Requests that have no seat yet wait in a line, which decides which of them goes next (line.hpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/kind.hpp"
#include "host/line.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/multilock/counters.hpp"

namespace allot::host {

class Locks {
public:
    struct Config {
        std::uint32_t seats = 64;  // at most, of one host that is not full of adopted programs
        std::uint32_t loans = 1;   // maximum of missing tokens for which a request asks for a loan
        Line::Bounds line;
        Counters::Config::Repairs repairs;
        bool keep_ends = true;  // of requests that end while the host is frozen

        // With those of programs that earlier daemons left behind. No message names others, so that none
        // makes a host open more.
        std::uint32_t most_seats() const { return 16 * seats + 4096; }
    };
    // From a seat to a seat.
    struct Message {
        std::uint32_t from_seat = 0;
        std::uint32_t to_seat = 0;
        Counters::Message message;
        bool operator==(const Message&) const = default;
        BOOST_DESCRIBE_CLASS(Message, (), (from_seat, to_seat, message), (), ())
    };
    using Effects = KindEffects<Message>;
    struct Context {
        const Config& config;
        Epoch epoch;
    };

    void ask(RequestId request, const Demand& demand, Line::User user = 0) {
        line_.append(request, demand, user);
    }
    void end(const Config& config, RequestId request);
    void settle(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Message& message, Effects& fx);
    // Why this cannot be a message of that host, of this epoch.
    std::optional<std::string> objection(const Context& ctx, SiteId from, const Message& message) const;

    agreement::Holdings holdings(const Context& ctx);
    void forget_epoch();
    void rebuild(const Context& ctx, std::vector<agreement::Claim> claims, Effects& fx);

    // A program that an earlier incarnation left behind uses these locks.
    void adopt(const Config& config, RequestId request, const Demand& demand, Line::User user = 0);

    // The request that has this seat.
    std::optional<RequestId> request_at(std::uint32_t seat) const {
        return seat < seats_.size() ? seats_[seat].request : std::nullopt;
    }
    // Entries about locks that are kept here: names, and requests that have ended. A new epoch forgets those
    // that nobody uses or waits for.
    std::size_t weight() const;
    // Whether the request has waited in its seat since an earlier epoch. No loans are asked for again then.
    bool is_carried(RequestId request) const;
    const Line& line() const { return line_; }
    // The site of the request in the epoch, if it has a seat.
    std::optional<SiteId> site_of(const Epoch& epoch, RequestId request) const;

    // Whether a set that waits here has lent some of its locks, and therefore keeps this one.
    bool is_kept_by_lender(ResourceId lock) const;
    // For each token here: f(resource).
    template <class F>
    void for_each_token(F f) const {
        for (const Seat& seat : seats_) seat.site.for_each_token(f);
    }
    // For each token here: f(resource, the sites that wait for it, in order).
    template <class F>
    void for_each_queue(F f) const {
        for (const Seat& seat : seats_)
            for (const auto& [resource, waiters] : seat.site.queues()) f(resource, waiters);
    }

    bool operator==(const Locks&) const = default;

private:
    struct Seat {
        Counters site;
        std::optional<RequestId> request;
        Phase phase = Phase::idle;  // of the request; the site may not know yet that it is over
        Demand demand;
        std::optional<agreement::Birth> birth;
        bool carried = false;  // it has waited since an earlier epoch
        bool adopted = false;  // it came with what it uses
        bool operator==(const Seat&) const = default;
        BOOST_DESCRIBE_CLASS(Seat, (), (site, request, phase, demand, birth, carried, adopted), (), ())
    };
    // A message between two seats of this host.
    struct Local {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        Counters::Message message;
    };
    // One step of the host: the configuration of the protocol, and the messages that stay here.
    struct Step {
        const Context& ctx;
        Effects& fx;
        Counters::Config config;
        std::vector<Local> inbox{};

        SiteId site(std::uint32_t seat) const { return seat * ctx.epoch.members + ctx.epoch.place; }
        allot::Context<Counters::Config> at(std::uint32_t seat) const {
            return {config, site(seat), ctx.epoch.number};
        }
    };

    std::optional<std::string> objection_to_tokens(const Context& ctx,
                                                   const Counters::Message& message) const;
    Step begin(const Context& ctx, Effects& fx) const;
    template <class Action>
    void act(Step& step, std::uint32_t seat, Action&& action);
    void deliver(Step& step, std::uint32_t seat, SiteId from, const Counters::Message& message);
    void note_token(std::uint32_t seat, ResourceId resource);
    void run(Step& step);
    void deliver_local(Step& step);
    void let_go(Step& step);
    bool seat_next(Step& step);
    std::optional<std::uint32_t> free_seat(const Step& step, const Demand& demand) const;
    Seat& open(std::uint32_t seat);
    void make_idle(std::uint32_t seat);
    std::vector<std::vector<ResourceId>> known_here(const Step& step, const counters::Estate& estate) const;
    void entered(Step& step, std::uint32_t seat, const std::vector<Fence>& fences);

    std::vector<Seat> seats_;
    std::size_t adopted_ = 0;        // seats that do not count for the limit
    std::set<std::uint32_t> ended_;  // seats whose request is over, which their sites do not know yet
    Line line_;
    // To find a seat without looking at all of them.
    std::set<std::uint32_t> idle_;
    std::map<RequestId, std::uint32_t> seat_of_;
    std::map<ResourceId, std::uint32_t> token_at_;  // the seats that have tokens

    BOOST_DESCRIBE_CLASS(Locks, (), (), (), (seats_, adopted_, ended_, line_, idle_, seat_of_, token_at_))
};

}  // namespace allot::host
