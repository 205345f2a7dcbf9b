// Model<P>: what a protocol tells the laboratory about itself. It is one plain constant with named members:
//
//     class Permits {
//         ...
//         static const Model<Permits> model;
//     };
//     constinit const Model<Permits> Permits::model{
//         .name = "permits",
//         .problem = "semaphore",
//         ...
//         .on_state = &on_state,
//         .requests = {.demands = &demands},
//     };
//
// A member that a protocol leaves out has the default given here. A member that does not exist, or a required
// one that is missing, does not compile. Functions may be private: the initialiser is in the scope of the
// class. A function whose name ends with _error returns one line for people, or nothing.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain.hpp"
#include "core/protocol.hpp"
#include "core/view.hpp"

namespace allot {

// A member that must be given.
template <class T>
class Required {
public:
    template <std::convertible_to<T> U>
    constexpr Required(const U& value) : value_(value) {}
    constexpr Required(T value) : value_(value) {}
    constexpr operator const T&() const { return value_; }
    constexpr const T& operator*() const { return value_; }
    constexpr const T* operator->() const { return &value_; }

private:
    T value_;
};

// A set of detections.
class Detections {
public:
    constexpr Detections() = default;
    constexpr Detections(std::initializer_list<Detection> list) {
        for (const Detection one : list) bits_ |= bit(one);
    }
    constexpr bool contains(Detection one) const { return (bits_ & bit(one)) != 0; }
    constexpr bool empty() const { return bits_ == 0; }

private:
    static constexpr unsigned bit(Detection one) { return 1u << static_cast<unsigned>(one); }
    unsigned bits_ = 0;
};

using MaybeError = std::optional<std::string>;

// The sites that ask, and their demands.
template <class P>
struct RequestModel {
    using Config = typename P::Config;
    using Context = ContextOf<P>;

    // False for sites that never ask, by their role. Default: every site does.
    bool (*asks)(const Context&) = nullptr;
    // False while the state of a site that asks is such that it may not. Default: it may at any time.
    bool (P::*may_request)(const Context&) const = nullptr;
    // The demands of the site. Default: one unit.
    std::vector<Demand> (*demands)(const Context&) = nullptr;
    // Why `demands` does not list everything that may be asked for.
    MaybeError (*unlisted)(const Config&) = nullptr;
    // Draws a demand for a simulation. Default: one of `demands`, each as likely.
    Demand (*draw)(const Context&, Random&) = nullptr;
    // Why nobody can grant a demand. The protocol refuses such a request itself.
    MaybeError (*demand_error)(const Config&, const Demand&) = nullptr;
    // True if every site asks again and again: runs are fair to requests, and their number is unbounded
    // unless a flag bounds it.
    bool forever = false;
    // How many units can be in use at once. Default: one for each site.
    std::uint64_t (*capacity)(const Config&) = nullptr;
    // True if `capacity` is promised as an upper bound, so that every new maximum of a simulation is checked.
    bool capacity_is_bound = false;
    // How many resources have names (r0, r1, ...). Default: demands name none.
    std::uint32_t (*resources)(const Config&) = nullptr;
};

template <class P>
struct TimerModel {
    using Timer = TimerOf<P>;

    // Whether an armed timer fires at some time, which liveness may count on. Default: none does.
    bool (*fair)(Timer) = nullptr;
    // Whether a timer is set so long that such messages are lost before it fires. Default: none is.
    bool (*replaces)(Timer, const typename P::Message&) = nullptr;
    // Whether a driver draws the time, up to the ticks that were given. Default: it takes just these.
    bool (*backs_off)(Timer) = nullptr;
};

template <class P>
struct FaultModel {
    using Config = typename P::Config;
    using Context = ContextOf<P>;

    // The reports that the site hears from its failure detector. Without `trusted`, every incarnation is
    // trusted.
    Detections hears;
    // False for sites that never crash, by their role. Default: every site may.
    bool (*mortal)(const Context&) = nullptr;
    // False while the state of a mortal site is such that it may not crash. Default: it may at any time.
    bool (P::*may_crash)(const Context&) const = nullptr;
    // Whether the detector need mention this peer. Default: all peers.
    bool (P::*watches)(const Context&, SiteId peer) const = nullptr;
    // False if a site that is gone never comes back under its old number.
    bool sites_return = true;
    // Whether one site must never be suspected. Default: if sites hear `suspected`.
    bool (*needs_anchor)(const Config&) = nullptr;
};

// For protocols whose sites remember something beyond a crash.
template <class P>
struct DurabilityModel {
    // The state from which the next incarnation starts: the durable part of this one, after a crash that
    // leaves the disk kept, torn or lost. Default: nothing outlives a crash.
    P (P::*after_crash)(Disk) const = nullptr;
};

// How the checker makes the worlds fewer, without changing a verdict.
template <class P>
struct ReductionModel {
    // Whether the reception of a message commutes with everything, so that it is received at once.
    bool (*prompt)(const EnvelopeOf<typename P::Message>&) = nullptr;
    // Deletes what can never act again and renames what is only compared. Not used under loss and
    // duplication, where it would be unsound.
    void (*normalise)(MutableView<P>&) = nullptr;
    // Whether `receiver` will never act on a message of `sender`, now or later, however often it comes. Such
    // messages are deleted. `normalise` can do the same, but this is much faster, and right under loss.
    bool (*ignores)(const ContextOf<P>&, const P& receiver, const P& sender,
                    const typename P::Message&) = nullptr;
    // Every stamp that the site will make comes after this one.
    Stamp (P::*clock)() const = nullptr;
};

// For protocols that recover from any state.
template <class P>
struct StabilisationModel {
    using Config = typename P::Config;
    using Context = ContextOf<P>;

    // Brings a state that was drawn within the bounds that domains cannot express.
    void (P::*confine)(const Context&) = nullptr;
    // To whom the site has a channel on which a fault may leave messages.
    std::vector<SiteId> (*channels)(const Context&) = nullptr;
    // Whether the world is legitimate.
    bool (*legal)(const View<P>&) = nullptr;
    // The demand that the state of a site implies, for applications that were drawn at random.
    Demand (P::*demand)() const = nullptr;
    // Why so many stale messages per channel are too many.
    MaybeError (*noise_error)(const Config&, std::uint64_t noise) = nullptr;
};

// Why a state or message from outside is impossible in an instance, beyond what descriptions and domains say.
template <class P>
struct HandwrittenModel {
    MaybeError (P::*state_error)(const ContextOf<P>&) const = nullptr;
    MaybeError (*message_error)(const ContextOf<P>& receiver, const typename P::Message&) = nullptr;
};

// `M` is the monitor: history that properties need (core/view.hpp).
template <class P, class M>
struct Model {
    using Config = typename P::Config;
    using Monitor = M;

    Required<std::string_view> name;
    Required<std::string_view> problem;
    Required<std::string_view> summary;
    // Where it comes from: a paper, or an older idea. Default: it is new.
    std::string_view source = {};
    Required<Links> links;  // what the protocol needs; a driver may give more
    Required<std::span<const PropertyName>> properties;
    // Reports each safety property that the world violates.
    Required<void (*)(const View<P>&, Report&)> on_state;
    // Names of rare paths, which handlers mark with fx.reached(name).
    std::span<const std::string_view> probes = {};

    // Fills in what follows from the parameters and is no parameter itself.
    void (*derive)(Config&) = nullptr;
    // Why a configuration makes no sense.
    MaybeError (*config_error)(const Config&) = nullptr;
    // How many sites there are. Default: the member `sites` of the configuration.
    std::uint32_t (*sites)(const Config&) = [](const Config& config) { return config.sites; };
    // How many sites are there from the start, for protocols that must know it; 0 for all.
    std::uint32_t (*founders)(const Config&) = nullptr;
    // The range of a number in a state or message, by the name of its member; for ids of sites it is known.
    std::optional<Domain> (*domain)(const ContextOf<P>&, std::string_view member) = nullptr;
    // A warning about an instance, in one line: facts that are unknown before it runs.
    MaybeError (*caveat)(const Config&) = nullptr;
    // Draws the parameters and faults of a random run. Default: two to five sites, and no faults.
    void (*sample)(Draw&) = nullptr;

    RequestModel<P> requests = {};
    TimerModel<P> timers = {};
    FaultModel<P> faults = {};
    DurabilityModel<P> durability = {};
    ReductionModel<P> reduction = {};
    StabilisationModel<P> stabilisation = {};
    HandwrittenModel<P> handwritten = {};
};

// Why a message from outside (a scenario, another host) cannot be one of this instance: each of its ids,
// indexes and counts must be within the configuration of the receiver. The protocol's own
// message_error follows.
template <class P>
MaybeError message_error(const ContextOf<P>& receiver, const typename P::Message& message) {
    const auto domain = [&](std::string_view member) {
        return P::model.domain != nullptr ? P::model.domain(receiver, member) : std::nullopt;
    };
    if (auto error = value_error(message, P::model.sites(receiver.config), domain)) return error;
    if (P::model.handwritten.message_error == nullptr) return std::nullopt;
    return P::model.handwritten.message_error(receiver, message);
}
template <class P>
bool valid(const ContextOf<P>& receiver, const typename P::Message& message) {
    return !message_error<P>(receiver, message);
}

template <class P>
using MonitorOf = typename std::remove_cvref_t<decltype(P::model)>::Monitor;

}  // namespace allot
