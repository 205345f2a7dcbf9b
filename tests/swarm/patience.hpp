// A protocol for the tests of campaigns. Its clock ticks for ever; with `--grants off` it serves nobody, but
// goes on ticking; with `--silent` it stops the clock as well.
#pragma once

#include <array>

#include "core/view.hpp"

namespace allot::swarm_test {

struct Patience {
    static constexpr std::string_view name = "patience";
    static constexpr std::string_view problem = "test";
    static constexpr std::string_view summary = "a clock that ticks, and sites that wait for it";
    static constexpr Links links = Links::fifo;
    static constexpr std::array properties{PropertyName{"sound", "always holds"}};
    static constexpr std::array<std::string_view, 2> probes{"granted-by-the-clock", "twice-at-once"};

    struct Config {
        std::uint32_t sites = 2;
        bool grants = true;
        bool silent = false;
        BOOST_DESCRIBE_CLASS(Config, (), (sites, grants, silent), (), ())
    };
    static std::optional<std::string> wrong(const Config& config) {
        if (config.sites > 3) return "--sites " + std::to_string(config.sites) + ": write at most 3";
        return std::nullopt;
    }

    struct Nothing {
        bool operator==(const Nothing&) const = default;
        BOOST_DESCRIBE_CLASS(Nothing, (), (), (), ())
    };
    using Message = std::variant<Nothing>;
    enum class Timer : std::uint8_t { clock };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, clock)
    using Fx = Effects<Message, Timer>;
    using Ctx = Context<Config>;

    Phase now = Phase::idle;
    bool tick = false;

    void start(const Ctx& ctx, Fx& fx) {
        if (!ctx.config.silent) fx.arm(Timer::clock, 1);
    }
    void request(const Ctx&, const Demand&, Fx&) { now = Phase::waiting; }
    void timeout(const Ctx& ctx, Timer, Fx& fx) {
        tick = !tick;
        fx.arm(Timer::clock, 1);
        if (!ctx.config.grants || now != Phase::waiting) return;
        now = Phase::holding;
        fx.reached(probes[0]);
        fx.granted();
    }
    static bool fair(Timer) { return true; }
    void release(const Ctx&, Fx& fx) {
        now = Phase::idle;
        fx.released();
    }
    void receive(const Ctx&, SiteId, const Nothing&, Fx&) {}
    Phase phase() const { return now; }
    static void on_state(const View<Patience>&, Report&) {}
    bool operator==(const Patience&) const = default;
    BOOST_DESCRIBE_CLASS(Patience, (), (now, tick), (), ())
};

}  // namespace allot::swarm_test
