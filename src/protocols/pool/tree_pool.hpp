// A pool of l units on a tree, of which each request takes up to k at once; it recovers from any state
// (specs: pool, after Datta, Devismes, Horn and Larmore).
//
// Four kinds of tokens walk the tree in depth-first order: a token that comes in on one channel leaves on the
// next, so the tree is a ring of 2(n - 1) channels.
//
// Resource: one unit each. A waiting site keeps those that pass, up to its need, and has the units when it
// has enough; a release sends them on. This alone deadlocks: two sites may each keep half of what both need.
//
// Pusher: a site without enough units passes those that it kept on when the pusher passes. Now a site may
// starve.
//
// Priority: a waiting site keeps it until it is served, and meanwhile the pusher does not affect it.
//
// Controller: counts the others; only the root acts on the counts. It counts the tokens that rest at the
// sites it passes; the root counts those that overtake it, as they arrive on the last channel. When the
// controller is back, every token was counted once: the root makes the missing ones, and if there are too
// many, the next traversal is marked and erases every token it meets. The root sends a lost controller again;
// its number tells it from stale ones, if there are more numbers than stale messages.
//
// Options. `taint`: a traversal in which the timer fired decides nothing, because a count may be wrong by
// then; so lost messages never lead to too many units. `drain`: a marked controller waits at a site until its
// release, so a unit is never made again while its holder still works. `pacing`: while no site waits, the
// root keeps back what it would send to its first child, and sends it once a period.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/corrupt.hpp"
#include "core/protocol.hpp"
#include "core/random.hpp"
#include "core/tree.hpp"
#include "protocols/pool/needs.hpp"

namespace allot {

namespace pool {

// The parts of the protocol that run; without the controller the tokens exist from the start.
enum class Variant : std::uint8_t { naive, pusher, priority, full };
BOOST_DESCRIBE_ENUM(Variant, naive, pusher, priority, full)

// Number of tokens of each kind; the root's counts stop at one too many.
struct Tally {
    std::uint32_t resources = 0;
    std::uint32_t pushers = 0;
    std::uint32_t priorities = 0;

    Tally& operator+=(const Tally& more);
    bool exceeds(const Tally& all) const;
    std::string text() const;
    bool operator==(const Tally&) const = default;
};
BOOST_DESCRIBE_STRUCT(Tally, (), (resources, pushers, priorities))

// How a site of a legitimate world begins in which programs use units already (specs: kinds, section 1.3).
struct Beginning {
    std::vector<std::uint32_t> parked;  // the channels of units that programs of this site use
    // At the root only.
    bool counts_first = false;  // it makes no token before the first controller is back
    std::uint32_t used = 0;     // units that all programs use: so many tokens less are made
    std::uint32_t counted = 0;  // with these the first controller begins
    std::uint32_t number = 0;   // of that controller
};

}  // namespace pool

class TreePool {
public:
    static const Model<TreePool> model;

    using Channel = Tree::Channel;
    static constexpr std::uint32_t most_units = 1u << 15;  // sums of two counts fit into 16 bits

    struct Config {
        struct Repairs {
            bool push_without_priority = true;
            bool zero_counts = true;
            bool create_at_end = true;
            bool adopt_number = true;
            bool erase_priority = true;
            bool count_passing = true;
            bool count_arrivals = true;
            bool forward_duplicates = true;
            bool settle_at_once = true;
            bool pass_when_served = true;
            static constexpr Meaning meanings[]{
                {"push_without_priority", "erratum 1: the pusher spares the priority holder"},
                {"zero_counts", "erratum 2: each traversal begins to count at 0"},
                {"create_at_end", "erratum 3: tokens are made only at the end of a traversal"},
                {"adopt_number", "erratum 6: a site takes over the controller's number"},
                {"erase_priority", "erratum 7: a controller that comes back erases it, too"},
                {"count_passing", "erratum 8: a priority token that passes the root counts"},
                {"count_arrivals", "erratum 9: tokens count when they arrive, not when they leave"},
                {"forward_duplicates", "erratum 11: a duplicate controller goes on"},
                {"settle_at_once", "erratum 16: the consequences of a message are part of its step"},
                {"pass_when_served",
                 "P11: a site that is served passes the priority token on; without, a host keeps it for its "
                 "next program"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (push_without_priority, zero_counts, create_at_end, adopt_number,
                                  erase_priority, count_passing, count_arrivals, forward_duplicates,
                                  settle_at_once, pass_when_served),
                                 (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t units = 2;
        std::uint32_t max_request = 1;
        std::uint32_t min_request = 1;
        pool::Needs needs;
        Tree tree;
        std::uint32_t cmax = 1;
        std::uint32_t modulus = 0;
        pool::Variant stage = pool::Variant::full;
        bool taint = true;
        std::uint32_t patience = 16;
        bool drain = false;
        bool pacing = false;
        std::uint32_t timeout = 0;
        std::uint32_t backoff = 6;
        std::uint32_t period = 1000;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"units", "number of units in the pool (the paper's l)"},
            {"max_request", "maximum of units of one request (the paper's k)"},
            {"min_request", "minimum of units of one request; 0: requests for nothing are allowed, too"},
            {"needs",
             "units that sites ask for, in place of these bounds: 1/3 for all, or 1/3;2;0 per site (0: "
             "never)"},
            {"tree",
             "the tree of the sites: chain, star, binary, or the parent of each site as in parents:-1,0,0"},
            {"cmax", "maximum of stale messages that a channel may hold after a fault"},
            {"modulus", "number of numbers of the controller; 0: enough for --cmax"},
            {"stage", "tokens that exist: naive (units), pusher, priority (both), full (and a controller)"},
            {"taint",
             "a traversal in which the timer fired decides nothing, so lost messages never lead to too many "
             "units"},
            {"patience", "undecided traversals in a row before the root decides; 0: any number"},
            {"drain",
             "a marked controller waits at a site until its release, so no unit is made again while it is in "
             "use"},
            {"pacing", "while no site waits, the root sends the tokens round only once a period"},
            {"timeout", "ticks before the controller is sent again; 0: four traversals"},
            {"backoff", "how often the timeout may double"},
            {"period", "ticks between two rounds of an idle pool with --pacing"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, units, max_request, min_request, needs, tree, cmax, modulus, stage,
                              taint, patience, drain, pacing, timeout, backoff, period, repairs),
                             (), ())

        bool full() const { return stage == pool::Variant::full; }
        std::uint32_t degree(SiteId site) const { return tree.degree(site, sites); }
        // Maximum that the root keeps back from its first child: all tokens that should exist.
        std::uint32_t outbox_size() const { return pacing ? units + 3 : 0; }
        // More numbers than can be stale: those on all channels, those that sites remember or defer, and
        // those that the root keeps.
        std::uint64_t numbers_for_cmax() const {
            const std::uint64_t edges = std::uint64_t{sites} - 1;
            return 2 * edges * (std::uint64_t{cmax} + 1) + (drain ? 1 : 0) + outbox_size() + 1;
        }
        std::uint32_t numbers() const {
            return modulus > 0 ? modulus : static_cast<std::uint32_t>(numbers_for_cmax());
        }
        pool::Tally all() const;
        // In ticks, before it is doubled.
        std::uint64_t first_timeout() const { return timeout > 0 ? timeout : 8 * (std::uint64_t{sites} - 1); }
        std::uint64_t longest_timeout() const { return (first_timeout() << backoff) + (pacing ? period : 0); }
    };
    static std::optional<std::string> config_error(const Config& config);
    static std::optional<std::string> needs_error(const Config& config);
    static std::optional<std::string> timeout_error(const Config& config);
    static std::optional<std::string> noise_error(const Config& config, std::uint64_t noise);

    struct Resource {
        bool operator==(const Resource&) const = default;
        BOOST_DESCRIBE_CLASS(Resource, (), (), (), ())
    };
    struct Pusher {
        bool operator==(const Pusher&) const = default;
        BOOST_DESCRIBE_CLASS(Pusher, (), (), (), ())
    };
    struct Priority {
        bool operator==(const Priority&) const = default;
        BOOST_DESCRIBE_CLASS(Priority, (), (), (), ())
    };
    struct Controller {
        std::uint32_t number = 0;      // C
        bool marked = false;           // R: erases the tokens it meets
        std::uint32_t resources = 0;   // PT: units it has found resting, up to l + 1
        std::uint32_t priorities = 0;  // PPr: priority tokens likewise, up to 2
        bool wanted = false;           // with pacing: it has met a waiting site
        bool operator==(const Controller&) const = default;
        BOOST_DESCRIBE_CLASS(Controller, (), (number, marked, resources, priorities, wanted), (), ())
    };
    // With pacing: a site waits. Only a hint; it may get lost or be forged.
    struct Wanted {
        bool operator==(const Wanted&) const = default;
        BOOST_DESCRIBE_CLASS(Wanted, (), (), (), ())
    };
    using Message = std::variant<Resource, Pusher, Priority, Controller, Wanted>;

    // controller: it seems lost. pace: an idle pool makes another round. sweep: only without settle_at_once.
    enum class Timer : std::uint8_t { controller, pace, sweep };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, controller, pace, sweep)

    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Resource& token, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Pusher& token, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Priority& token, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Controller& controller, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Wanted& hint, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    static bool fair(Timer) { return true; }
    static bool replaces(Timer timer, const Message& message) {
        return timer == Timer::controller && std::holds_alternative<Controller>(message);
    }
    Phase phase() const { return phase_; }
    Demand demand() const { return {need_, {}}; }

    // For a host that asks for one of its programs after the other (host_pool.hpp). set_aside: what the
    // request has got is used beside this site, which may ask again. give_back: so many of the units that are
    // used beside it go on.
    void set_aside();
    void give_back(const Context& ctx, std::uint32_t units, Effects& fx);
    const std::vector<Channel>& parked() const { return parked_; }
    const std::vector<Message>& outbox() const { return outbox_; }
    bool erases() const { return reset_; }
    void settle(const Context& ctx, Effects& fx);
    // For properties: the tokens that rest here, or are in a message.
    pool::Tally tokens() const;
    static pool::Tally tokens(const Message& message);
    // A site of a legitimate world in which programs use units already, on this channel.
    static Channel first_channel(const Context& ctx);
    static TreePool resumed(const Context& ctx, const pool::Beginning& beginning, Effects& fx);

    static std::vector<Demand> demands(const Context& ctx);
    static Demand draw_demand(const Context& ctx, Random& random);
    static void sample(Draw& draw);

    static void on_state(const View<TreePool>& view, Report& report);

    // Arbitrary starts.
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    void confine(const Context& ctx);
    static std::vector<SiteId> channels(const Context& ctx);
    static bool legal(const View<TreePool>& view);

    bool operator==(const TreePool&) const = default;

private:
    // A marked controller that waits until this site releases.
    struct Deferred {
        Channel channel = 0;
        Controller controller;
        bool operator==(const Deferred&) const = default;
        BOOST_DESCRIBE_CLASS(Deferred, (), (channel, controller), (), ())
    };
    enum class Moment : std::uint8_t { arrival, departure };
    struct Census;

    static bool is_root(const Context& ctx) { return ctx.self == Tree::root; }
    static Channel next(const Context& ctx, Channel channel) {
        return (channel + 1) % ctx.config.degree(ctx.self);
    }
    static std::optional<Channel> channel_of(const Context& ctx, SiteId from) {
        return ctx.config.tree.channel(ctx.self, from, ctx.config.sites);
    }
    bool satisfied(const Context& ctx) const;
    bool in_use() const { return phase_ == Phase::holding || !parked_.empty(); }
    std::uint32_t resting(Channel channel) const;

    // Tokens.
    void sweep(const Context& ctx, Effects& fx);
    void let_go(const Context& ctx, Effects& fx);
    void pass_on(const Context& ctx, Channel channel, const Message& token, Effects& fx);
    void send(const Context& ctx, Channel channel, const Message& message, Effects& fx);
    void count(const Context& ctx, Channel channel, const Message& token, Moment moment);
    void erase(const Context& ctx, bool priority_too, Effects& fx);

    // The controller.
    bool is_valid(const Context& ctx, Channel channel, const Controller& controller) const;
    bool must_wait(const Context& ctx, Channel channel, const Controller& controller) const;
    void take(const Context& ctx, Channel channel, const Controller& controller, Effects& fx);
    void steer(const Context& ctx, Channel channel, Controller controller, Effects& fx);
    void relay(const Context& ctx, Channel channel, const Controller& controller, Effects& fx);
    void hand_on(const Context& ctx, Channel channel, Controller controller, Effects& fx);
    void finish_traversal(const Context& ctx, Controller& controller, Effects& fx);
    bool may_decide(const Context& ctx, Effects& fx);
    void create(const Context& ctx, const Controller& controller, Effects& fx);
    void arm(const Context& ctx, Effects& fx) const;

    // Pacing.
    bool idles(const Context& ctx) const { return ctx.config.pacing && awake_ == 0; }
    void wake(const Context& ctx, Effects& fx);
    void flush(const Context& ctx, Effects& fx);
    bool holds_back_controller() const;

    static Census census(const View<TreePool>& view);
    static std::uint64_t units_in_use(const View<TreePool>& view);
    static void check_site(const View<TreePool>& view, SiteId self, Report& report);
    static std::optional<std::string> size_error(const View<TreePool>& view, SiteId self);
    bool rests_rightly() const {
        return !priority_ || (phase_ == Phase::waiting && reserved_.size() < need_);
    }

    Phase phase_ = Phase::idle;        // State: Out, Req, In
    std::uint32_t need_ = 0;           // Need
    std::vector<Channel> reserved_;    // RSet: the channels on which the units kept here came, ascending
    std::vector<Channel> parked_;      // as above, of the units that programs use beside the request
    std::optional<Channel> priority_;  // Prio: on which the priority token kept here came
    std::uint32_t number_ = 0;         // myC
    Channel successor_ = 0;            // Succ: where the controller was sent last
    std::optional<Deferred> deferred_;
    // At the root only.
    bool reset_ = false;           // Reset: the present traversal is marked
    pool::Tally seen_;             // SToken, SPush, SPrio: arrived on the last channel in this traversal
    bool tainted_ = false;         // the timer fired in this traversal
    std::uint32_t undecided_ = 0;  // number of traversals before it that decided nothing
    std::uint32_t doubled_ = 0;    // how often the timeout was doubled
    std::uint32_t awake_ = 0;      // with pacing: number of further traversals at full speed
    std::vector<Message> outbox_;  // and the tokens kept back from the first child otherwise

    BOOST_DESCRIBE_CLASS(TreePool, (), (), (),
                         (phase_, need_, reserved_, parked_, priority_, number_, successor_, deferred_,
                          reset_, seen_, tainted_, undecided_, doubled_, awake_, outbox_))
};

}  // namespace allot
