// The Protocol concept. A protocol is a copyable, comparable, described value; one instance is one site. It
// is pure: the same state and the same input give the same new state and the same effects, in every driver.
//
// A protocol P has two parts. This is all that runs, in the laboratory and in a daemon alike:
//     P::Config                 described; all sites share one
//     P::Message                std::variant of described structs, one per kind of message
//     P::Input                  allot::Input<Message, ...> with the optional inputs that it takes
//     P::Effects                allot::Effects<Message, Timer>
//     handle(ctx, input, fx)    one step; usually dispatch(*this, ctx, input, fx) (core/input.hpp)
//     phase()                   what the application is doing, as the protocol sees it
// The other part is a constant, which tells the laboratory the rest (core/model.hpp): links, properties,
// demands, faults, fair timers, the normal form.
//     static const Model<P> model;
//
// Roles (a client, a resource) are variants of one site: std::variant<Client, Resource>. The structs of roles
// stand outside the class, because a nested struct with default values is not complete soon enough.
#pragma once

#include <concepts>
#include <cstdint>
#include <variant>

#include "core/effects.hpp"
#include "core/input.hpp"
#include "core/reflect.hpp"
#include "core/types.hpp"

namespace allot {

// The surroundings of a handler. They are no part of its state.
template <class Config>
struct Context {
    const Config& config;
    SiteId self;
    std::uint32_t incarnation = 0;
};

// The laboratory's part: core/model.hpp, core/view.hpp, core/draw.hpp, core/random.hpp.
struct NoMonitor;
struct FencesGrow;
template <class P, class M = NoMonitor>
struct Model;
template <class P>
struct SiteOf;
template <class Message>
struct EnvelopeOf;
template <class P>
struct View;
template <class P>
struct MutableView;
class Report;
struct Event;
class Draw;
class Random;
struct Domain;

template <class P>
using ContextOf = Context<typename P::Config>;
template <class P>
using TimerOf = typename P::Effects::Timer;

template <class P>
concept Protocol = std::copyable<P> && std::default_initializable<P> && std::equality_comparable<P> &&
    Reflectable<P> && reflect::Struct<typename P::Config> && Reflectable<typename P::Message> &&
    reflect::Variant<typename P::Message> &&
    std::same_as<typename P::Effects::Message, typename P::Message> &&
    takes<P, input::Receive<typename P::Message>> &&
    requires(P site, const P& same, const ContextOf<P>& ctx, const typename P::Input& input,
             typename P::Effects& fx) {
    site.handle(ctx, input, fx);
    { same.phase() } -> std::same_as<Phase>;
    P::model;
};

}  // namespace allot
