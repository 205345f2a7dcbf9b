// A pool of l units among any number of programs on a fixed group of hosts (specs: kinds, section 1). Views
// over it (agreement/views_pool.hpp) let hosts come, go and die.
//
// One site of `tree-pool` stands for a whole host. The programs of a host wait in a line, and the site asks
// for the first of them only. A program that has its units uses them beside the site, which asks for the next
// one; so a host may use more units than one request may have, and a program that never ends keeps nobody
// from units that are free. With one program per host this is `tree-pool`.
//
// A view may lower l below what is in use. The units in excess go when they come round to the root, so after
// at most one lap of a unit that nobody keeps.
//
// A host that is alone has no ring. It serves its line while the units in use and those of the first request
// are no more than l.
//
// There is no `drain`: after a fault units may be made again while programs use what was erased.
//
// The application has seat 0, other programs act by themselves (agreement/seats.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/protocol.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/agreement/seats.hpp"
#include "protocols/pool/tree_pool.hpp"

namespace allot {

namespace host_pool {

// Those of TreePool, and the next act of the program in each further seat.
enum class Timer : std::uint8_t { controller, pace, sweep, second, third, fourth };
BOOST_DESCRIBE_ENUM(Timer, controller, pace, sweep, second, third, fourth)

struct Seat {
    Phase phase = Phase::idle;
    std::uint32_t units = 0;
    bool revoked = false;             // its units were erased while it uses them
    std::uint32_t requests_left = 0;  // of a program that acts by itself
    bool acted = false;               // as above: it asks, or lets go, and the site has not been told
    bool operator==(const Seat&) const = default;
};
BOOST_DESCRIBE_STRUCT(Seat, (), (phase, units, revoked, requests_left, acted))

}  // namespace host_pool

class HostPool {
public:
    static const Model<HostPool> model;
    // Rare paths in an epoch.
    static constexpr std::array<std::string_view, 13> probes{
        "traversal",    "created",         "undecided",   "stale-controller", "held-back",
        "used-beside",  "alone",           "used-before", "waited-before",    "let-go-frozen",
        "asked-frozen", "refused-at-thaw", "dropped-unit"};

    struct Config : TreePool::Config {
        // Each is a row of section 1.7.
        struct Rules {
            bool park_anew = true;
            bool count_own_users = true;
            bool fresh_number = true;
            bool make_unused = true;
            bool count_alone = true;
            bool ask_beside_users = true;
            static constexpr Meaning meanings[]{
                {"park_anew",
                 "P1: with --census, units that are used rest where the first controller finds them"},
                {"count_own_users",
                 "P5: the first controller of an epoch has counted what the root's programs use"},
                {"fresh_number",
                 "P6: the first controller of an epoch has a number that is new to the sites"},
                {"make_unused", "P7: an epoch begins with tokens of the units that nobody uses"},
                {"count_alone", "P8: a host that is alone grants no more units than there are"},
                {"ask_beside_users", "P10: a host asks for the next program while others use units"},
            };
            BOOST_DESCRIBE_CLASS(Rules, (),
                                 (park_anew, count_own_users, fresh_number, make_unused, count_alone,
                                  ask_beside_users),
                                 (), ())
        };
        std::uint32_t seats = 1;
        seats::Requests seat_requests;
        std::uint32_t seat_units = 1;
        seats::Counts resize{{0}};
        bool resend = true;
        bool census = false;
        Rules hosts;
        static constexpr Meaning meanings[]{
            {"seats", "number of programs on each host; the first is the application"},
            {"seat_requests",
             "requests of each further program: a number, any, or 2,1,0 (by host, the last for the rest)"},
            {"seat_units", "units of each of these requests"},
            {"resize", "with views: units in view 1, 2 and so on, the last for the rest; 0: as at first"},
            {"resend",
             "the root sends a controller again that seems lost; off: never, for views-pool, in which "
             "only crashes lose messages, and a view follows them"},
            {"census",
             "with views: no host reports or freezes, and the first controller counts what is used"},
        };
        BOOST_DESCRIBE_CLASS(Config, (TreePool::Config),
                             (seats, seat_requests, seat_units, resize, resend, census, hosts), (), ())

        std::uint32_t units_in(std::uint32_t view) const;
        // The largest number of units in any view.
        std::uint32_t most_units() const;
    };
    static std::optional<std::string> config_error(const Config& config);

    using Message = TreePool::Message;
    using Timer = host_pool::Timer;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx) { release(ctx, fx); }
    template <class Kind>
    void receive(const Context& ctx, SiteId from, const Kind& message, Effects& fx) {
        if (drops(ctx, from, message)) return fx.reached("dropped-unit");
        act(ctx, fx,
            [&](const NodeContext& self, NodeEffects& out) { node_.receive(self, from, message, out); });
        serve(ctx, fx);
    }
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return seats_.empty() ? Phase::idle : seats_.front().phase; }
    Demand demand() const { return {seats_.empty() ? 0 : seats_.front().units, {}}; }

    // Why a message from outside cannot have come to this site from that one, beyond message_error
    // (core/model.hpp).
    static std::optional<std::string> objection(const Context& ctx, SiteId from, const Message& message);

    // The programs beside the application: one acts, and the site hears of it later (settle); all that hold
    // are stopped. A timer of the ring does nothing before the site works again.
    void wake(Timer timer);
    void settle(const Context& ctx, Effects& fx);
    void stop_programs(Effects& fx);

    // Recovery (agreement/recovery.hpp).
    agreement::Holdings holdings(const Context& ctx) const;
    void found(const Context& ctx, Effects& fx);
    static HostPool rebuild(const Context& ctx, const agreement::Before<HostPool>& before,
                            std::span<const agreement::Claim> claims, Effects& fx);
    static Config among(const Config& config, std::uint32_t sites, std::uint32_t view);
    void forget_epoch(const Config&) { node_ = {}; }
    void abandon();
    static bool begins_alone(const Config& config) { return config.census; }
    static constexpr bool has_seats = true;
    static constexpr bool keeps_queues = true;

    const std::vector<host_pool::Seat>& seats() const { return seats_; }
    const TreePool& node() const { return node_; }
    std::uint32_t surplus() const { return surplus_; }
    // For a host that drives its programs itself: as many seats as it needs, each with a request of a
    // program. A seat that enters is `holding` afterwards.
    void open(std::size_t seat) { seats_.resize(std::max(seats_.size(), seat + 1)); }
    void ask(const Context& ctx, std::size_t seat, std::uint32_t units, Effects& fx);
    void let_go(const Context& ctx, std::size_t seat, Effects& fx);

    static std::vector<Demand> demands(const Context& ctx) { return TreePool::demands(at(ctx)); }
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    static void sample(Draw& draw);
    static void on_state(const View<HostPool>& view, Report& report);

    bool operator==(const HostPool&) const = default;

private:
    using Claim = agreement::Claim;
    using Seat = host_pool::Seat;
    using NodeContext = allot::Context<TreePool::Config>;
    using NodeEffects = TreePool::Effects;

    static NodeContext at(const Context& ctx) { return {ctx.config, ctx.self, ctx.incarnation}; }
    static std::size_t seat_of(Timer act) {
        return static_cast<std::size_t>(act) - static_cast<std::size_t>(Timer::second) + 1;
    }
    static Timer act_of(std::size_t seat) {
        return static_cast<Timer>(seat - 1 + static_cast<std::size_t>(Timer::second));
    }
    void await_act(std::size_t seat, Effects& fx) const;

    // A step of the node.
    template <class Action>
    void act(const Context& ctx, Effects& fx, Action&& action) {
        const bool parked = !node_.parked().empty();
        NodeEffects out;
        if (surplus_ == 0) {
            action(at(ctx), out);
        } else {
            const TreePool::Config more = with_surplus(ctx.config);
            action(NodeContext{more, ctx.self, ctx.incarnation}, out);
        }
        give(ctx, out, fx);
        if (parked && node_.parked().empty()) revoke(ctx, fx);
        if (node_.phase() == Phase::holding) enter(ctx, fx);
    }
    TreePool::Config with_surplus(TreePool::Config config) const;
    bool drops(const Context& ctx, SiteId from, const Message& message);
    static void give(const Context& ctx, const NodeEffects& out, Effects& fx);

    // The line.
    void enter(const Context& ctx, Effects& fx);
    void revoke(const Context& ctx, Effects& fx);
    void serve(const Context& ctx, Effects& fx);
    bool may_ask(const Config& config) const;
    bool fits_alone(const Config& config) const;
    std::uint64_t in_use() const;
    void end(const Context& ctx, std::size_t seat, Effects& fx);

    // Recovery.
    void take_seats(const HostPool& before);
    void take_claims(const Context& ctx, const HostPool& before, std::span<const Claim> claims, Effects& fx);
    void await_acts(Effects& fx) const;
    static pool::Beginning beginning(const Context& ctx, const HostPool& before,
                                     std::span<const Claim> claims);

    static void check_host(const View<HostPool>& view, SiteId host, Report& report);

    TreePool node_;                    // asks for the first of the line
    std::vector<std::uint32_t> line_;  // the seats that wait, the oldest request first
    std::vector<Seat> seats_;
    // Units that were in use beyond l as the epoch began; at the root, those that have not come round yet.
    std::uint32_t surplus_ = 0;

    BOOST_DESCRIBE_CLASS(HostPool, (), (), (), (node_, line_, seats_, surplus_))
};

}  // namespace allot
