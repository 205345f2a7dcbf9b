// Any number of resources at once, one after the other in the order of their numbers (specs: broker, 8.2).
//
// A client sends its request to the smallest of its resources. A resource has one queue, and the first
// request in it has the resource: then the request goes on to the next larger one, and the last resource
// tells the client. A client that is done tells all resources at once. All clients take resources in the same
// order, so there is no cycle of waiting; queues are first come first served, so no client starves: no ring,
// no token, no search, and 2k + 1 messages for k resources. The weak point is that a client holds resources
// while it waits for larger ones.
//
// Every message names its request. A cancellation follows the request along its chain; if it overtakes the
// request, because links are unordered, it waits for it. A resource that hears of a departed client forgets
// it, and again if a late message of that client arrives.
#pragma once

#include <variant>
#include <vector>

#include "protocols/broker/group.hpp"
#include "protocols/broker/line.hpp"

namespace allot {

// The states of the roles are outside the class: see core/protocol.hpp.
namespace chain {

using Resources = std::vector<SiteId>;

struct Client {
    Phase phase = Phase::idle;
    OwnId request;     // the newest
    Resources wanted;  // ascending
    bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (phase, request, wanted))

struct QueuedRequest {
    OwnId request;
    Resources further;  // the resources after this one, ascending
    bool operator==(const QueuedRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueuedRequest, (), (request, further))

struct Resource : Line<QueuedRequest> {
    bool operator==(const Resource&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resource, (Line<QueuedRequest>), ())

}  // namespace chain

class OrderedChain {
public:
    static const Model<OrderedChain> model;

    struct Config : broker::Group {
        BOOST_DESCRIBE_CLASS(Config, (broker::Group), (), (), ())
    };
    static constexpr broker::Manner manner(const Config&) { return {.most = 0xFFFFFFFF}; }
    static std::optional<std::string> config_error(const Config& config) {
        return broker::config_error(config, manner(config));
    }
    static void sample(Draw& draw) { broker::sample(draw, manner({})); }

    struct Acquire {
        OwnId request;
        chain::Resources further;
        bool operator==(const Acquire&) const = default;
        BOOST_DESCRIBE_CLASS(Acquire, (), (request, further), (), ())
    };
    struct Grant {
        OwnId request;
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (request), (), ())
    };
    struct Done {
        OwnId request;
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (request), (), ())
    };
    struct Cancel {
        OwnId request;
        bool operator==(const Cancel&) const = default;
        BOOST_DESCRIBE_CLASS(Cancel, (), (request), (), ())
    };
    struct Cancelled {
        OwnId request;
        bool operator==(const Cancelled&) const = default;
        BOOST_DESCRIBE_CLASS(Cancelled, (), (request), (), ())
    };
    using Message = std::variant<Acquire, Grant, Done, Cancel, Cancelled>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Cancel, input::Detected>;

    // A resource watches the clients about which it keeps state.
    bool watches(const Context& ctx, SiteId peer) const;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Acquire& acquire, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Grant& grant, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancel& cancel, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancelled& cancelled, Effects& fx);
    void departed(const Context& ctx, Peer peer, Effects& fx);
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const;

    // Deletes messages about requests that have ended, and renames the requests of each client.
    static void normalise(MutableView<OrderedChain>& world);

    std::optional<std::string> state_error(const Context& ctx) const;
    static std::optional<std::string> message_error(const Context& receiver, const Message& message);

    static void on_state(const View<OrderedChain>& view, Report& report);

    bool operator==(const OrderedChain&) const = default;

private:
    using Client = chain::Client;
    using QueuedRequest = chain::QueuedRequest;
    using Resource = chain::Resource;

    static bool can_act(const OrderedChain& receiver, const Message& message);
    static void check_claims(const View<OrderedChain>& view, SiteId resource, Report& report);
    // Serves the first in line.
    static auto serving(Effects& fx);

    Client& client() { return std::get<Client>(role_); }
    Resource& resource() { return std::get<Resource>(role_); }
    const Client& client() const { return std::get<Client>(role_); }
    const Resource& resource() const { return std::get<Resource>(role_); }

    std::variant<Client, Resource> role_;

    BOOST_DESCRIBE_CLASS(OrderedChain, (), (), (), (role_))
};

}  // namespace allot
