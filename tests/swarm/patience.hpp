// A protocol for the tests of campaigns. Its clock ticks for ever; with `--grants off` it serves nobody, but
// goes on ticking; with `--silent` it stops the clock as well.
#pragma once

#include <array>

#include "core/model.hpp"

namespace allot::swarm_test {

struct Patience {
    static const Model<Patience> model;

    struct Config {
        std::uint32_t sites = 2;
        bool grants = true;
        bool silent = false;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"grants", "requests are granted"},
            {"silent", "no site says anything"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, grants, silent), (), ())
    };
    static std::optional<std::string> config_error(const Config& config) {
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
    using Effects = allot::Effects<Message, Timer>;
    using Fx = Effects;
    using Input = allot::Input<Message, input::Timeout<Timer>>;
    using Ctx = Context<Config>;

    Phase now = Phase::idle;
    bool tick = false;

    void handle(const Ctx& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Ctx& ctx, Fx& fx) {
        if (!ctx.config.silent) fx.arm(Timer::clock, 1);
    }
    void request(const Ctx&, const Demand&, Fx&) { now = Phase::waiting; }
    void timeout(const Ctx& ctx, Timer, Fx& fx) {
        tick = !tick;
        fx.arm(Timer::clock, 1);
        if (!ctx.config.grants || now != Phase::waiting) return;
        now = Phase::holding;
        fx.reached("granted-by-the-clock");
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

inline constexpr std::array patience_properties{PropertyName{"sound", "always holds"}};
inline constexpr std::array<std::string_view, 2> patience_probes{"granted-by-the-clock", "twice-at-once"};

inline constinit const Model<Patience> Patience::model{
    .name = "patience",
    .problem = "test",
    .summary = "a clock that ticks, and sites that wait for it",
    .links = Links::fifo,
    .properties = patience_properties,
    .on_state = &Patience::on_state,
    .probes = patience_probes,
    .config_error = &Patience::config_error,
    .timers = {.fair = &Patience::fair},
};

}  // namespace allot::swarm_test
