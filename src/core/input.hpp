// Everything that can happen to a site. A driver makes one Input for each step and hands it to the protocol's
// `handle`; the input refers to demands and messages and does not outlive the step.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "core/types.hpp"

namespace allot {

// The reports of a failure detector about one incarnation of a peer.
//     trusted      it is alive; the detector watches it from now on
//     dead         it has crashed or left; only said of an incarnation that was trusted, and never wrongly
//     suspected    it may have crashed; wrong suspicions are possible, but never of the anchor
//     reconnected  the link to it has lost messages and works again
//     departed     it has left or crashed; may be said again
//     stopped      no program of it runs any more, nor ever will: it is over, or its lease has ended for good
enum class Detection : std::uint8_t { trusted, dead, suspected, reconnected, departed, stopped };
BOOST_DESCRIBE_ENUM(Detection, trusted, dead, suspected, reconnected, departed, stopped)

namespace input {

struct Start {};  // the first input of every incarnation
struct Request {
    const Demand& demand;
};
struct Release {};
struct Cancel {};   // withdraws the open request
struct Leave {};    // the last input of a site that goes away in order
struct Synced {};   // everything that fx.persist() wrote is on the disk
struct Tick {};     // a unit of time has passed on the site's clock
struct Lapse {};    // the site's lease has ended: its programs are stopped, and none may start
struct Renewed {};  // the lease is valid again
struct Quiet {};    // the programs of all who were removed before this site's first view have stopped
struct Seen {       // a newer view, of which this incarnation is a member; views between may be skipped
    const AgreedView& view;
};
struct Adopt {  // a program that an earlier incarnation left behind comes back to the site
    const Demand& demand;
    std::uint32_t keeper;                  // the incarnation under whose lease it ran, as it says itself
    std::optional<std::uint32_t> receipt;  // the same as its receipt says; nothing: it has no receipt
};
template <class Message>
struct Receive {
    SiteId from;
    const Message& message;
};
template <class Timer>
struct Timeout {
    Timer timer;
};
struct Detected {
    Detection detection;
    Peer peer;
};

}  // namespace input

// The inputs of a protocol: those that every protocol takes, and those of Cancel, Leave, Synced, Tick, Lapse,
// Renewed, Quiet, Seen, Adopt, Timeout<Timer> and Detected that it names.
template <class Message, class... Also>
using Input = std::variant<input::Start, input::Request, input::Release, input::Receive<Message>, Also...>;

namespace input_detail {

template <class One, class Input>
inline constexpr bool is_among = false;
template <class One, class... Ones>
inline constexpr bool is_among<One, std::variant<Ones...>> = (std::is_same_v<One, Ones> || ...);

template <class P, class Context, class One>
void dispatch_one(P& site, const Context& ctx, const One& one, typename P::Effects& fx) {
    if constexpr (std::is_same_v<One, input::Start>)
        site.start(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Request>)
        site.request(ctx, one.demand, fx);
    else if constexpr (std::is_same_v<One, input::Release>)
        site.release(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Cancel>)
        site.cancel(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Leave>)
        site.leave(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Synced>)
        site.synced(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Tick>)
        site.tick(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Lapse>)
        site.lapse(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Renewed>)
        site.renewed(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Quiet>)
        site.quiet(ctx, fx);
    else if constexpr (std::is_same_v<One, input::Seen>)
        site.seen(ctx, one.view, fx);
    else if constexpr (std::is_same_v<One, input::Adopt>)
        site.adopt(ctx, one, fx);
    else if constexpr (std::is_same_v<One, input::Detected>)
        site.detected(ctx, one.detection, one.peer, fx);
    else if constexpr (requires { one.timer; })
        site.timeout(ctx, one.timer, fx);
    else
        std::visit([&](const auto& kind) { site.receive(ctx, one.from, kind, fx); }, one.message);
}

}  // namespace input_detail

// Whether protocol P takes this input.
template <class P, class One>
inline constexpr bool takes = input_detail::is_among<One, typename P::Input>;

// Calls the handler of the input, which is a member function of the protocol:
//     start(ctx, fx), request(ctx, demand, fx), release(ctx, fx), receive(ctx, from, kind, fx) for each kind
//     of message, and, for the inputs that P::Input names, cancel(ctx, fx), leave(ctx, fx), synced(ctx, fx),
//     tick(ctx, fx), lapse(ctx, fx), renewed(ctx, fx), quiet(ctx, fx), seen(ctx, view, fx),
//     adopt(ctx, program, fx), timeout(ctx, timer, fx), detected(ctx, detection, peer, fx).
// A missing or misspelt handler does not compile. Most protocols define `handle` by this function.
template <class P, class Context>
void dispatch(P& site, const Context& ctx, const typename P::Input& input, typename P::Effects& fx) {
    std::visit([&](const auto& one) { input_detail::dispatch_one(site, ctx, one, fx); }, input);
}

}  // namespace allot
