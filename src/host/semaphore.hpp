// A semaphore on one host, by `host-permits`: the host is the participant, and each request of a program has
// a seat in it. There are as many seats as requests.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host/kind.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/semaphore/host_permits.hpp"

namespace allot::host {

class Semaphore {
public:
    struct Config {
        std::uint32_t permits = 1;
    };
    using Message = HostPermits::Message;
    using Effects = KindEffects<Message>;
    struct Context {
        const Config& config;
        Epoch epoch;
    };

    void ask(RequestId request, std::uint32_t units) { unasked_.emplace_back(request, units); }
    void end(RequestId request);
    void settle(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Message& message, Effects& fx);

    agreement::Holdings holdings(const Context& ctx) const;
    void forget_epoch();
    void rebuild(const Context& ctx, const std::vector<agreement::Claim>& claims, Effects& fx);

    // A program that an earlier incarnation left behind uses so many units.
    void adopt(RequestId request, std::uint32_t units);

    bool operator==(const Semaphore&) const = default;

private:
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
    void seat(const Context& ctx, RequestId request, std::uint32_t units, Effects& fx);
    std::uint32_t free_seat();

    HostPermits site_;
    std::vector<Seat> seats_;
    std::set<std::uint32_t> ended_;  // seats whose request is over, which the site does not know yet
    std::vector<std::pair<RequestId, std::uint32_t>> unasked_;  // requests without a seat, in order

    BOOST_DESCRIBE_CLASS(Semaphore, (), (), (), (site_, seats_, ended_, unasked_))
};

}  // namespace allot::host
