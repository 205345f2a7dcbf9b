// Raymond's algorithm (1989): at most k of N sites hold a permit, as long as no site crashes.
//
// A site that wants a permit stamps its request with a Lamport time and asks all others. A site answers at
// once unless it holds a permit, or wants one and asked earlier; then it answers at its release. With N - k
// answers a site may enter: at most k - 1 others have not permitted it, so at most k hold a permit.
//
// An answer may arrive long after its request, when k > 1. So every site counts, per peer, how many of its
// requests are not answered yet; only when none is left does the peer's permission cover the newest request.
// A deferred answer covers all requests of that peer at once: it carries their number.
//
// With k = 1 this is Ricart and Agrawala's mutual exclusion. A crashed site never answers, so each crash
// costs a permit forever, and k crashes stop every site: `permits` tolerates them.
#pragma once

#include <optional>
#include <vector>

#include "core/protocol.hpp"

namespace allot {

class Raymond {
public:
    static const Model<Raymond> model;

    struct Config {
        std::uint32_t sites = 3;
        std::uint32_t permits = 1;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"permits", "number of permits: the number of sites that may hold at once"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, permits), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Request {
        Stamp stamp;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (stamp), (), ())
    };
    struct Reply {
        std::uint32_t answers = 1;  // number of requests that this answers
        bool operator==(const Reply&) const = default;
        BOOST_DESCRIBE_CLASS(Reply, (), (answers), (), ())
    };
    using Message = std::variant<Request, Reply>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }
    // Why a state written by hand is impossible in this instance.
    std::optional<std::string> state_error(const Context& ctx) const;

    static void on_state(const View<Raymond>& view, Report& report);

    bool operator==(const Raymond&) const = default;

private:
    void try_enter(const Context& ctx, Effects& fx);
    static void check_answers(const View<Raymond>& view, Report& report);
    bool goes_first(const Context& ctx, SiteId other, Stamp others_stamp) const;

    Phase phase_ = Phase::idle;
    Stamp clock_;                            // H: the highest stamp seen
    std::optional<Stamp> stamp_;             // last: of the open request, until its release
    std::vector<std::uint32_t> unanswered_;  // reply_count: my requests that this peer has not answered
    std::vector<std::uint32_t> deferred_;    // defer_count: requests of this peer that I have not answered

    BOOST_DESCRIBE_CLASS(Raymond, (), (), (), (phase_, clock_, stamp_, unanswered_, deferred_))
};

}  // namespace allot
