#include "play/test_protocols.hpp"

#include <array>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/model.hpp"
#include "world/entry_of.hpp"

namespace allot::play_test {
namespace {

// Site 0 serves the clients, and always the one with the smallest number first.
struct Favourite {
    static const Model<Favourite> model;

    struct Config {
        std::uint32_t sites = 3;
        bool stamped = false;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"stamped", "requests bear stamps"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, stamped), (), ())
    };

    struct Ask {
        Stamp stamp;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (stamp), (), ())
    };
    struct Grant {
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (), (), ())
    };
    struct Done {
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (), (), ())
    };
    using Message = std::variant<Ask, Grant, Done>;
    using Effects = allot::Effects<Message>;
    using Fx = Effects;
    using Input = allot::Input<Message>;
    using Ctx = Context<Config>;

    Phase now = Phase::idle;
    Stamp asked;
    std::optional<SiteId> holder;
    boost::container::flat_set<SiteId> asking;

    static bool is_client(const Ctx& ctx) { return ctx.self != 0; }
    void handle(const Ctx& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Ctx&, Fx&) {}
    void request(const Ctx& ctx, const Demand&, Fx& fx) {
        now = Phase::waiting;
        if (ctx.config.stamped) asked = asked.next();
        fx.send(0, Ask{asked});
    }
    void receive(const Ctx&, SiteId from, const Ask&, Fx& fx) {
        asking.insert(from);
        serve(fx);
    }
    void receive(const Ctx&, SiteId, const Grant&, Fx& fx) {
        now = Phase::holding;
        fx.granted();
    }
    void receive(const Ctx&, SiteId, const Done&, Fx& fx) {
        holder.reset();
        serve(fx);
    }
    void release(const Ctx&, Fx& fx) {
        now = Phase::idle;
        fx.send(0, Done{});
        fx.released();
    }
    Phase phase() const { return now; }
    static void on_state(const View<Favourite>&, Report&) {}
    bool operator==(const Favourite&) const = default;
    BOOST_DESCRIBE_CLASS(Favourite, (), (now, asked, holder, asking), (), ())

private:
    void serve(Fx& fx) {
        if (holder || asking.empty()) return;
        holder = *asking.begin();
        asking.erase(asking.begin());
        fx.send(*holder, Grant{});
    }
};

constexpr std::array favourite_properties{PropertyName{"one-holder", "at most one client holds"}};

constinit const Model<Favourite> Favourite::model{
    .name = "favourite",
    .problem = "test",
    .summary = "a server that serves whom it likes",
    .links = Links::unordered,
    .properties = favourite_properties,
    .on_state = &Favourite::on_state,
    .requests = {.asks = &Favourite::is_client},
    .faults = {.mortal = &Favourite::is_client},
};

// Notes whatever it hears. Demands of three units wait for ever, all others are met at once.
struct Listener {
    static const Model<Listener> model;

    struct Config {
        std::uint32_t sites = 3;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites), (), ())
    };

    struct Hello {
        std::uint32_t number = 0;
        std::string word;
        bool operator==(const Hello&) const = default;
        BOOST_DESCRIBE_CLASS(Hello, (), (number, word), (), ())
    };
    struct Farewell {
        bool operator==(const Farewell&) const = default;
        BOOST_DESCRIBE_CLASS(Farewell, (), (), (), ())
    };
    using Message = std::variant<Hello, Farewell>;
    enum class Timer : std::uint8_t { tick, tock };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, tick, tock)
    using Effects = allot::Effects<Message, Timer>;
    using Fx = Effects;
    using Input = allot::Input<Message, input::Cancel, input::Leave, input::Timeout<Timer>, input::Detected>;
    using Ctx = Context<Config>;

    Phase now = Phase::idle;
    std::vector<std::string> heard;
    std::uint32_t wounds = 0;

    static std::vector<Demand> demands(const Ctx&) { return {{1, {}}, {3, {}}, {1, {"a", "b"}}}; }
    static bool fair(Timer timer) { return timer == Timer::tock; }

    void handle(const Ctx& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Ctx& ctx, Fx& fx) {
        send_all(ctx, Hello{ctx.incarnation, "start"}, fx);
        fx.arm(Timer::tick, 1);
    }
    void request(const Ctx& ctx, const Demand& demand, Fx& fx) {
        now = Phase::waiting;
        send_all(ctx, Hello{1, "first"}, fx);
        send_all(ctx, Hello{2, "second"}, fx);
        for (const ResourceId resource : demand.resources) heard.push_back(resource.name());
        if (demand.units == 3) return;
        now = Phase::holding;
        fx.granted();
    }
    void release(const Ctx&, Fx& fx) { rest(fx); }
    void cancel(const Ctx&, Fx& fx) { rest(fx); }
    void leave(const Ctx& ctx, Fx& fx) { send_all(ctx, Farewell{}, fx); }
    void receive(const Ctx&, SiteId, const Hello& hello, Fx&) { heard.push_back(hello.word); }
    void receive(const Ctx&, SiteId, const Farewell&, Fx&) { heard.emplace_back("farewell"); }
    // A wound heals at a tock and is made by a tick; the second one stays.
    void timeout(const Ctx&, Timer timer, Fx& fx) {
        if (timer == Timer::tick) {
            ++wounds;
            fx.arm(Timer::tock, 1);
        } else if (wounds == 1) {
            wounds = 0;
        }
    }
    void detected(const Ctx&, Detection detection, Peer, Fx&) { heard.emplace_back(enum_name(detection)); }
    Phase phase() const { return now; }

    static void on_state(const View<Listener>& view, Report& report) {
        for (const auto* site : view.sites)
            if (site->protocol.heard.size() > 8) report.violated("few-words", "somebody heard too much");
    }
    static bool legal(const View<Listener>& view) {
        for (const auto* site : view.sites)
            if (site->protocol.wounds > 0) return false;
        return true;
    }
    bool operator==(const Listener&) const = default;
    BOOST_DESCRIBE_CLASS(Listener, (), (now, heard, wounds), (), ())

private:
    static void send_all(const Ctx& ctx, const Message& message, Fx& fx) {
        for (SiteId to = 0; to < ctx.config.sites; ++to)
            if (to != ctx.self) fx.send(to, message);
    }
    void rest(Fx& fx) {
        now = Phase::idle;
        fx.released();
    }
};

constexpr std::array listener_properties{PropertyName{"few-words", "nobody hears more than eight things"}};

constinit const Model<Listener> Listener::model{
    .name = "listener",
    .problem = "test",
    .summary = "hears everything",
    .links = Links::fifo,
    .properties = listener_properties,
    .on_state = &Listener::on_state,
    .requests = {.demands = &Listener::demands},
    .timers = {.fair = &Listener::fair},
    .faults = {.hears = {Detection::trusted, Detection::dead, Detection::suspected, Detection::departed}},
    .stabilisation = {.legal = &Listener::legal},
};

}  // namespace

std::span<const world::Entry> entries() {
    static const std::array all{world::entry_of<Favourite>(), world::entry_of<Listener>()};
    return all;
}

}  // namespace allot::play_test
