// The Protocol concept: a protocol is a copyable, comparable, described value, and one instance is one
// site. Handlers are pure: same state and same input, same new state and same effects, in every driver.
//
// A protocol P must have
//     P::name, P::summary, P::problem       what the command line says about it
//     P::links                              what it needs of the links: Links::fifo or Links::unordered
//     P::Config                             described; all sites share one; has a member `sites`, or a
//     function
//                                           where their number follows from other members
//     P::Message                            std::variant of described structs, one per kind of message
//     P::properties                         names and meanings of the safety properties it checks
//     start(ctx, fx), request(ctx, demand, fx), release(ctx, fx), phase()
//     receive(ctx, from, message, fx)       one overload per kind of message
//     on_state(view, report)                static: reports each property that the world violates
//     wrong(config)                         static: why a configuration makes no sense, or nothing
// and may have, each recognised by the concepts at the end of this file,
//     P::Timer, timeout(ctx, timer, fx), fair(timer), replaces(timer, message), backs_off(timer)
//     cancel, leave; trusted, dead, suspected, unsuspected, departed, reconnected
//     may_request(ctx), demands(ctx), P::requests_are_fair
//     unfit(config, demand)                 static: why nobody can grant it; request() then refuses it
//     unlisted(config)                      static: why demands(ctx) are not all that there are
//     may_crash(ctx), watches(ctx, peer)    who never crashes, peers that the detector need not mention
//     P::Config::sites_return               false where who is gone never comes back under its old number
//     needs_anchor(config)                  whether one site must never be suspected; default: if it hears
//     them P::probes                             names of rare paths; a handler on one says fx.reached(name)
//     sample(draw)                          static: draws the configuration and faults of a random run
//     P::Monitor                            history that properties need; see core/view.hpp
//     P::Config::Repairs                    described bools: defects of a paper that can be switched back on
//     misfit(ctx), misfit(config, message)  why a state, a message written by hand cannot be of this instance
//     prompt(message), normalise(worlds), domain(ctx, member), demand(), legal(view)
//     wrong_noise(config, messages)         static: why so many per channel are too many in an arbitrary
//     start confine(ctx)                          brings a state drawn at random into the protocol's own
//     bounds
//
// may_request, may_crash and watches may be static, for roles, or look at the state: a site that is still
// joining does not ask, and nobody need be told of a peer it keeps nothing of. Roles (a client, a resource)
// are variants of one site: std::variant<Client, Resource>, of structs that stand outside the class, because
// a nested struct with default values is not complete soon enough.
#pragma once

#include <array>
#include <boost/mp11.hpp>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/effects.hpp"
#include "core/reflect.hpp"
#include "core/types.hpp"

namespace allot {

// What a handler knows beside its own state. Neither part of it is state.
template <class Config>
struct Context {
    const Config& config;
    SiteId self;
    std::uint32_t incarnation = 0;
};

// See core/view.hpp and core/draw.hpp.
template <class P>
struct View;
class Report;
class Draw;

struct PropertyName {
    std::string_view name;
    std::string_view meaning;
};

namespace detail {

template <class P>
struct TimerOf {
    using type = NoTimer;
};
template <class P>
requires requires {
    typename P::Timer;
}
struct TimerOf<P> {
    using type = typename P::Timer;
};

}  // namespace detail

template <class P>
using TimerOf = typename detail::TimerOf<P>::type;
template <class P>
using EffectsOf = Effects<typename P::Message, TimerOf<P>>;
template <class P>
using ContextOf = Context<typename P::Config>;

// A handler with no argument beside the context and the effects.
#define ALLOT_HAS(handler, ...)                                                                  \
    requires(P site, const ContextOf<P>& ctx, EffectsOf<P>& fx, const Demand& demand, Peer peer, \
             SiteId from) {                                                                      \
        site.handler(ctx __VA_OPT__(, ) __VA_ARGS__, fx);                                        \
    }

// Whether the number of sites is a parameter of its own.
template <class Config>
concept CountsSites = requires(const Config& config) {
    { config.sites } -> std::convertible_to<std::uint32_t>;
};
template <class Config>
concept DerivesSites = requires(const Config& config) {
    { config.sites() } -> std::convertible_to<std::uint32_t>;
};

template <class Config>
requires CountsSites<Config> || DerivesSites<Config> std::uint32_t sites_of(const Config& config) {
    if constexpr (DerivesSites<Config>)
        return config.sites();
    else
        return config.sites;
}

template <class P>
concept DescribedConfig = reflect::Struct<typename P::Config> && requires(const typename P::Config& config) {
    { sites_of(config) } -> std::same_as<std::uint32_t>;
    { P::wrong(config) } -> std::same_as<std::optional<std::string>>;
};

template <class P, class Kind>
concept Receives = reflect::Struct<Kind> &&
    requires(P site, const ContextOf<P>& ctx, EffectsOf<P>& fx, SiteId from, const Kind& message) {
    site.receive(ctx, from, message, fx);
};

namespace detail {
template <class P, class Message>
struct ReceivesAll : std::false_type {};
template <class P, class... Kinds>
struct ReceivesAll<P, std::variant<Kinds...>> : std::bool_constant<(Receives<P, Kinds> && ...)> {};
}  // namespace detail

template <class P>
concept Named = requires {
    { P::name } -> std::convertible_to<std::string_view>;
    { P::summary } -> std::convertible_to<std::string_view>;
    { P::problem } -> std::convertible_to<std::string_view>;
    { P::links } -> std::convertible_to<Links>;
    {std::span<const PropertyName>(P::properties)};
};

template <class P>
concept ChecksState = requires(const View<P>& view, Report& report) {
    P::on_state(view, report);
};

template <class P>
concept Protocol = std::copyable<P> && std::default_initializable<P> && std::equality_comparable<P> &&
    Reflectable<P> && Named<P> && DescribedConfig<P> && Reflectable<typename P::Message> &&
    detail::ReceivesAll<P, typename P::Message>::value && ALLOT_HAS(start) && ALLOT_HAS(request, demand) &&
    ALLOT_HAS(release) && ChecksState<P> && requires(const P& site) {
    { site.phase() } -> std::same_as<Phase>;
};

// What a protocol may offer beyond that.
template <class P>
concept Cancels = ALLOT_HAS(cancel);
template <class P>
concept Leaves = ALLOT_HAS(leave);
template <class P>
concept HearsTrusted = ALLOT_HAS(trusted, peer);
template <class P>
concept HearsDead = ALLOT_HAS(dead, peer);
template <class P>
concept HearsSuspected = ALLOT_HAS(suspected, peer);
template <class P>
concept HearsUnsuspected = ALLOT_HAS(unsuspected, peer);
template <class P>
concept HearsDeparted = ALLOT_HAS(departed, peer);
template <class P>
concept HearsReconnected = ALLOT_HAS(reconnected, peer);
template <class P>
concept HasTimers = requires(P site, const ContextOf<P>& ctx, EffectsOf<P>& fx, TimerOf<P> timer) {
    site.timeout(ctx, timer, fx);
};
template <class P>
concept NamesFairTimers = requires(TimerOf<P> timer) {
    { P::fair(timer) } -> std::same_as<bool>;
};
// A timer that backs off is set to a time that the driver draws, up to the ticks.
template <class P>
concept BacksOff = requires(TimerOf<P> timer) {
    { P::backs_off(timer) } -> std::same_as<bool>;
};
// A timer that replaces messages is patient: it is set so long that they are lost before it fires.
template <class P>
concept ReplacesMessages = requires(TimerOf<P> timer, const typename P::Message& message) {
    { P::replaces(timer, message) } -> std::same_as<bool>;
};
template <class P>
concept ChoosesRequesters = requires(const P& site, const ContextOf<P>& ctx) {
    { site.may_request(ctx) } -> std::same_as<bool>;
};
template <class P>
concept ChoosesDemands = requires(const ContextOf<P>& ctx) {
    { P::demands(ctx) } -> std::same_as<std::vector<Demand>>;
};
template <class P>
concept ChoosesMortals = requires(const P& site, const ContextOf<P>& ctx) {
    { site.may_crash(ctx) } -> std::same_as<bool>;
};
template <class P>
concept ChoosesPeers = requires(const P& site, const ContextOf<P>& ctx, SiteId peer) {
    { site.watches(ctx, peer) } -> std::same_as<bool>;
};
template <class P>
concept Samples = requires(Draw& draw) {
    P::sample(draw);
};
template <class P>
concept HasPrompt = requires(const typename P::Message& message) {
    { P::prompt(message) } -> std::same_as<bool>;
};

#undef ALLOT_HAS

// What a protocol leaves open: everybody may ask, for one unit, may crash, and hears of everybody.
template <Protocol P>
bool may_request(const P& site, const ContextOf<P>& ctx) {
    if constexpr (ChoosesRequesters<P>) return site.may_request(ctx);
    return true;
}

template <Protocol P>
bool may_crash(const P& site, const ContextOf<P>& ctx) {
    if constexpr (ChoosesMortals<P>) return site.may_crash(ctx);
    return true;
}

// Everybody asks again, sooner or later, so that is what is looked at unless somebody says otherwise.
template <Protocol P>
constexpr bool always_asks() {
    if constexpr (requires { P::requests_are_fair; }) return P::requests_are_fair;
    return false;
}

// What is not known of a run before it begins, in one line.
template <Protocol P>
std::optional<std::string> caveat(const typename P::Config& config) {
    if constexpr (requires { P::caveat(config); }) return P::caveat(config);
    return std::nullopt;
}

// Some site that may crash; none where the protocol says of every site, whatever its state, that it may not.
template <Protocol P>
std::optional<SiteId> some_mortal(const typename P::Config& config) {
    if constexpr (requires(const ContextOf<P>& ctx) { P::may_crash(ctx); }) {
        for (SiteId site = 0; site < sites_of(config); ++site)
            if (P::may_crash(ContextOf<P>{config, site})) return site;
        return std::nullopt;
    }
    return 0;
}

template <Protocol P>
constexpr bool sites_return() {
    if constexpr (requires { P::Config::sites_return; }) return P::Config::sites_return;
    return true;
}

template <Protocol P>
bool watches(const P& site, const ContextOf<P>& ctx, SiteId peer) {
    if constexpr (ChoosesPeers<P>) return site.watches(ctx, peer);
    return true;
}

template <Protocol P>
std::optional<std::string> wrong_config(const typename P::Config& config) {
    if constexpr (CountsSites<typename P::Config>)
        if (config.sites == 0) return "--sites 0: write a whole number from 1 on";
    return P::wrong(config);
}

// The site that no detector suspects where nobody says otherwise: the weakest detector of suspicions is still
// right about one.
template <Protocol P>
std::optional<SiteId> default_anchor(const typename P::Config& config) {
    bool needed = HearsSuspected<P>;
    if constexpr (requires { P::needs_anchor(config); }) needed = P::needs_anchor(config);
    return needed ? std::optional<SiteId>(0) : std::nullopt;
}

template <Protocol P>
std::vector<std::string_view> probes_of() {
    if constexpr (requires { P::probes; })
        return {P::probes.begin(), P::probes.end()};
    else
        return {};
}

template <Protocol P>
std::vector<Demand> demands_of(const ContextOf<P>& ctx) {
    if constexpr (ChoosesDemands<P>) return P::demands(ctx);
    return {Demand{}};
}

}  // namespace allot
