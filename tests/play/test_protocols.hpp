// Two small protocols for the tests of scenarios: one that can starve a client, and one with a handler for
// everything a scenario can say.
#pragma once

#include <boost/container/flat_set.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/view.hpp"

namespace allot::play_test {

// Site 0 serves the clients, and always the one with the smallest number first.
struct Favourite {
    static constexpr std::string_view name = "favourite";
    static constexpr std::string_view problem = "test";
    static constexpr std::string_view summary = "a server that serves whom it likes";
    static constexpr Links links = Links::unordered;
    static constexpr std::array properties{PropertyName{"one-holder", "at most one client holds"}};

    struct Config {
        std::uint32_t sites = 3;
        bool stamped = false;
        BOOST_DESCRIBE_CLASS(Config, (), (sites, stamped), (), ())
    };
    static std::optional<std::string> wrong(const Config&) { return std::nullopt; }

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
    using Fx = Effects<Message>;
    using Ctx = Context<Config>;

    Phase now = Phase::idle;
    Stamp asked;
    std::optional<SiteId> holder;
    boost::container::flat_set<SiteId> asking;

    static bool may_request(const Ctx& ctx) { return ctx.self != 0; }
    static bool may_crash(const Ctx& ctx) { return ctx.self != 0; }
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

// Notes whatever it hears. Demands of three units wait for ever, all others are met at once.
struct Listener {
    static constexpr std::string_view name = "listener";
    static constexpr std::string_view problem = "test";
    static constexpr std::string_view summary = "hears everything";
    static constexpr Links links = Links::fifo;
    static constexpr std::array properties{PropertyName{"few-words", "nobody hears more than eight things"}};

    struct Config {
        std::uint32_t sites = 3;
        BOOST_DESCRIBE_CLASS(Config, (), (sites), (), ())
    };
    static std::optional<std::string> wrong(const Config&) { return std::nullopt; }

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
    using Fx = Effects<Message, Timer>;
    using Ctx = Context<Config>;

    Phase now = Phase::idle;
    std::vector<std::string> heard;
    std::uint32_t wounds = 0;

    static std::vector<Demand> demands(const Ctx&) { return {{1, {}}, {3, {}}, {1, {"a", "b"}}}; }
    static bool fair(Timer timer) { return timer == Timer::tock; }

    void start(const Ctx& ctx, Fx& fx) {
        send_all(ctx, Hello{ctx.incarnation, "start"}, fx);
        fx.arm(Timer::tick, 1);
    }
    void request(const Ctx& ctx, const Demand& demand, Fx& fx) {
        now = Phase::waiting;
        send_all(ctx, Hello{1, "first"}, fx);
        send_all(ctx, Hello{2, "second"}, fx);
        for (const std::string& resource : demand.resources) heard.push_back(resource);
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
    void trusted(const Ctx&, Peer, Fx&) { heard.emplace_back("trusted"); }
    void dead(const Ctx&, Peer, Fx&) { heard.emplace_back("dead"); }
    void suspected(const Ctx&, Peer, Fx&) { heard.emplace_back("suspected"); }
    void unsuspected(const Ctx&, Peer, Fx&) { heard.emplace_back("unsuspected"); }
    void departed(const Ctx&, Peer, Fx&) { heard.emplace_back("departed"); }
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

}  // namespace allot::play_test
