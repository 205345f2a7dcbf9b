// The pool as the paper prints it (Algorithms 1 and 2), with the brackets where they stand. tree_pool.hpp has
// the idea, and the same algorithm repaired; most defects can be switched on there, one by one.
//
// A process runs its loop forever. Here the reception of a message is a step, and so is a sweep in which
// nothing is received: the end of the loop, in which a process enters, passes the priority token on and, as
// the brackets stand, does everything that is not inside a reception. The listing's variables (C, R, PT, PPr,
// Ok) are state, because it reads them when nothing was received.
#pragma once

#include <optional>
#include <vector>

#include "core/protocol.hpp"
#include "protocols/pool/tree_pool.hpp"

namespace allot {

class TreePoolPublished {
public:
    static const Model<TreePoolPublished> model;

    using Channel = Tree::Channel;
    struct Config {
        struct Repairs {
            bool answer_valid = false;
            bool inside_receive = false;
            static constexpr Meaning meanings[]{
                {"answer_valid", "erratum 4: the root answers only an expected controller"},
                {"inside_receive", "erratum 5: without a controller, none is passed on"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (answer_valid, inside_receive), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t units = 2;
        std::uint32_t max_request = 1;
        Tree tree;
        std::uint32_t cmax = 1;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"units", "number of units in the pool (the paper's l)"},
            {"max_request", "maximum of units of one request (the paper's k)"},
            {"tree",
             "the tree of the sites: chain, star, binary, or the parent of each site as in parents:-1,0,0"},
            {"cmax", "maximum of stale messages that a channel may hold after a fault"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, units, max_request, tree, cmax, repairs), (), ())

        std::uint32_t degree(SiteId site) const { return tree.degree(site, sites); }
        std::uint32_t numbers() const { return 2 * (sites - 1) * (cmax + 1) + 1; }
    };
    static std::optional<std::string> config_error(const Config& config);

    using Resource = TreePool::Resource;
    using Pusher = TreePool::Pusher;
    using Priority = TreePool::Priority;
    struct Controller {
        std::uint32_t number = 0;      // C
        bool marked = false;           // R
        std::uint32_t resources = 0;   // PT
        std::uint32_t priorities = 0;  // PPr
        bool operator==(const Controller&) const = default;
        BOOST_DESCRIBE_CLASS(Controller, (), (number, marked, resources, priorities), (), ())
    };
    using Message = std::variant<Resource, Pusher, Priority, Controller>;

    enum class Timer : std::uint8_t { controller, sweep };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, controller, sweep)

    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Resource& token, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Pusher& token, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Priority& token, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Controller& controller, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    static bool fair(Timer) { return true; }
    static bool replaces(Timer timer, const Message& message) {
        return timer == Timer::controller && std::holds_alternative<Controller>(message);
    }
    Phase phase() const { return phase_; }

    static std::vector<Demand> demands(const Context& ctx);

    static void on_state(const View<TreePoolPublished>& view, Report& report);

    bool operator==(const TreePoolPublished&) const = default;

private:
    static bool is_root(const Context& ctx) { return ctx.self == Tree::root; }
    static Channel next(const Context& ctx, Channel channel) {
        return (channel + 1) % ctx.config.degree(ctx.self);
    }
    static bool is_last(const Context& ctx, Channel channel) {
        return is_root(ctx) && channel + 1 == ctx.config.degree(ctx.self);
    }
    static std::optional<Channel> channel_of(const Context& ctx, SiteId from) {
        return ctx.config.tree.channel(ctx.self, from, ctx.config.sites);
    }
    static void send(const Context& ctx, Channel channel, const Message& message, Effects& fx);

    void let_go(const Context& ctx, Effects& fx);
    void steer(const Context& ctx, Channel channel, Effects& fx);
    void finish_traversal(const Context& ctx);
    void create(const Context& ctx, Effects& fx);
    void come_back(const Context& ctx, Channel channel);
    void relay(const Context& ctx, Channel channel, Effects& fx);
    void add_resting(const Context& ctx, Channel channel);
    void act(const Context& ctx, Effects& fx);

    Phase phase_ = Phase::idle;
    std::uint32_t need_ = 0;
    std::vector<Channel> reserved_;
    std::optional<Channel> priority_;
    std::uint32_t number_ = 0;
    Channel successor_ = 0;
    Controller last_;  // C, R, PT, PPr
    bool ok_ = false;
    bool reset_ = false;
    pool::Tally seen_;

    BOOST_DESCRIBE_CLASS(TreePoolPublished, (), (), (),
                         (phase_, need_, reserved_, priority_, number_, successor_, last_, ok_, reset_,
                          seen_))
};

}  // namespace allot
