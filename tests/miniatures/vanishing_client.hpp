// Clients that may vanish, and resources that know no client before it asks.
//
// A client asks one resource; the resource has a queue, grants in order, and hears when a client is done.
// Links are unordered, so every message bears the id of the request that it is about: ids of a client only
// grow, and what is older than the newest id heard of that client is over.
//
// A resource that hears of a departed client forgets it entirely, since nobody could remember strangers for
// ever. A request of that client may still arrive and be granted to nobody. Then the departure is heard
// again. A client that comes back must do so as a new site: its ids begin anew.
//
// A client gives back at once, but waits for an answer when it cancels. Otherwise it could ask and cancel any
// number of times before the first message arrives, and no bound on the messages under way would exist.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "core/protocol.hpp"

namespace allot::miniatures {

// The state of a site by its role. It stands outside the class because a variant inside a class cannot be
// made of structs whose members have initial values while that class is not complete.
namespace vanishing {

using RequestId = Stamp;

struct Client {
    Phase phase = Phase::idle;
    RequestId id;         // of the newest request
    SiteId resource = 0;  // that it asked
    bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (phase, id, resource))

struct Claim {
    SiteId client = 0;
    RequestId id;
    bool operator==(const Claim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Claim, (), (client, id))

struct Resource {
    std::optional<Claim> holder;
    std::vector<Claim> queue;
    boost::container::flat_map<SiteId, RequestId> newest;  // id heard of each client
    boost::container::flat_set<SiteId> departed;           // only without listen_again
    bool operator==(const Resource&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resource, (), (holder, queue, newest, departed))

}  // namespace vanishing

class VanishingClient {
public:
    static const Model<VanishingClient> model;

    struct Config {
        struct Repairs {
            bool match_ids = true;
            bool listen_again = true;
            bool first_come = true;
            static constexpr Meaning meanings[]{
                {"match_ids", "a client takes only the grant of its open request"},
                {"listen_again", "a resource heeds a departure each time it hears of it"},
                {"first_come", "a resource serves who came first, not who came last"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (match_ids, listen_again, first_come), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t clients = 2;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"clients", "number of clients: the first sites; the others are resources"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, clients, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    using RequestId = vanishing::RequestId;
    struct Ask {
        RequestId id;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (id), (), ())
    };
    struct Grant {
        RequestId id;
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (id), (), ())
    };
    struct Done {
        RequestId id;
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (id), (), ())
    };
    struct Cancel {
        RequestId id;
        bool operator==(const Cancel&) const = default;
        BOOST_DESCRIBE_CLASS(Cancel, (), (id), (), ())
    };
    struct Cancelled {
        RequestId id;
        bool operator==(const Cancelled&) const = default;
        BOOST_DESCRIBE_CLASS(Cancelled, (), (id), (), ())
    };
    using Message = std::variant<Ask, Grant, Done, Cancel, Cancelled>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Cancel, input::Leave, input::Detected>;

    static bool asks(const Context& ctx) { return is_client(ctx.config, ctx.self); }
    static std::vector<Demand> demands(const Context& ctx);

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Grant& grant, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancel& cancel, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancelled& cancelled, Effects& fx);
    void departed(const Context& ctx, Peer peer, Effects& fx);
    // Whoever leaves says nothing: it is as if it had crashed while it held nothing.
    void leave(const Context&, Effects&) {}
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const;

    // The client has moved on already, and others only ever queue up behind: it makes no difference whether
    // they come before or after.
    static bool prompt(const EnvelopeOf<Message>& envelope);

    // Deletes messages about requests that are over, and names the ids of each client 1, 2, 3...
    static void normalise(MutableView<VanishingClient>& world);

    static void on_state(const View<VanishingClient>& view, Report& report);

    bool operator==(const VanishingClient&) const = default;

private:
    using Client = vanishing::Client;
    using Claim = vanishing::Claim;
    using Resource = vanishing::Resource;

    static bool is_client(const Config& config, SiteId site) { return site < config.clients; }
    static void finish(const Context& ctx, Resource& resource, SiteId client, RequestId id, Effects& fx);
    static void forget_claim(Resource& resource, SiteId client);
    static void serve(const Context& ctx, Resource& resource, Effects& fx);
    static bool can_act(const MutableView<VanishingClient>& world, const EnvelopeOf<Message>& envelope);
    static void rename_ids(MutableView<VanishingClient>& world, SiteId client);
    template <class F>
    static void for_each_id(MutableView<VanishingClient>& world, SiteId client, F&& f);

    Client& client() { return std::get<Client>(role_); }
    Resource& resource() { return std::get<Resource>(role_); }

    std::variant<Client, Resource> role_;

    BOOST_DESCRIBE_CLASS(VanishingClient, (), (), (), (role_))
};

}  // namespace allot::miniatures
