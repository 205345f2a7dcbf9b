// One or two resources at once, in the order that the caller chose (specs: broker, after the paper,
// repaired).
//
// Resources decide among themselves. A request for a pair names a strong resource and a weak one. The client
// sends it to the weak one, which keeps it aside (the weak queue) and passes it on to the strong one, where
// it stands in line (the strong queue). When it is first there, the strong resource says NewStrong, and the
// request enters the line at the weak one, too: an edge leads from the strong resource to the weak one. When
// it is first there as well, the weak resource grants; no other resource does.
//
// Edges may form a cycle. Each new edge starts a Probe that follows the edges; if it comes back, there is a
// cycle, and the smallest resource on it is the victim. Its edge is undone: the weak resource is asked
// (KillLoop) to take the request out of line again, the strong one puts it last (KillAck), and the request
// that waited for the victim becomes first there (promotion): so one such step breaks the cycle. The weak
// resource refuses if it has granted the request meanwhile.
//
// Links are unordered, so every message may be outdated when it arrives. Ids of requests and edges are used
// once: a message that names another request or edge than the present one is ignored.
//
// A token circulates on the ring of resources. Its holder is the last to be a victim, and keeps it until all
// requests that stood in its line when it came are served: so no client starves. With `--pace` it rests on an
// idle ring.
//
// A cancellation follows its request; if it overtakes the request, it waits for it. A resource that hears of
// a departed client forgets it, each resource on its own.
#pragma once

#include <boost/container/flat_set.hpp>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "core/own_id.hpp"
#include "protocols/broker/group.hpp"

namespace allot {

// The states of the roles are outside the class: see core/protocol.hpp.
namespace strong_weak {

using RequestId = OwnId;  // of a client
using EdgeId = OwnId;     // of a resource, the strong one

enum class Role : std::uint8_t { single, strong, weak };
BOOST_DESCRIBE_ENUM(Role, single, strong, weak)

struct Client {
    Phase phase = Phase::idle;
    RequestId request;          // the newest
    std::vector<SiteId> asked;  // the strong resource, and the weak one
    bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (phase, request, asked))

// A request that stands in line.
struct QueuedRequest {
    RequestId request;
    Role role = Role::single;
    std::optional<SiteId> other;  // the other resource of a pair
    std::optional<EdgeId> edge;   // of a weak entry: the edge that leads here
    bool operator==(const QueuedRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueuedRequest, (), (request, role, other, edge))

struct Resource {
    std::vector<QueuedRequest> line;    // the strong queue
    std::map<RequestId, SiteId> aside;  // the weak queue: requests, with their strong resource
    EdgeId edge;                        // of the first in line, if that is strong; otherwise the newest
    bool token = false;
    std::set<RequestId> marked;     // requests that the token waits for
    std::set<RequestId> cancelled;  // cancelled before they arrived
    bool operator==(const Resource&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resource, (), (line, aside, edge, token, marked, cancelled))

// The edge that would be undone: holders of the token come last, then resources in order.
struct Victim {
    bool token = false;
    EdgeId edge;
    std::optional<EdgeId> pred;  // the edge that leads there: its request is promoted
    bool comes_before(const Victim& other) const {
        return std::pair(token, edge.owner) < std::pair(other.token, other.edge.owner);
    }
    bool operator==(const Victim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Victim, (), (token, edge, pred))

}  // namespace strong_weak

class StrongWeak {
public:
    static const Model<StrongWeak> model;

    struct Config : broker::Group {
        struct Repairs {
            bool promote = true;
            bool match_requests = true;
            bool search = true;
            bool token = true;
            bool pass_token = true;
            bool consent = true;
            bool rank_holders = true;
            bool match_edges = true;
            bool check_hop = true;
            static constexpr Meaning meanings[]{
                {"promote", "erratum 16: the request that waited for the victim comes first"},
                {"match_requests", "erratum X1: messages name a request, not a client"},
                {"search", "resources search for cycles"},
                {"token", "there is a token"},
                {"pass_token", "erratum 3: the token moves on at once if it waits for no request"},
                {"consent", "erratum 14: a granted request stays in line"},
                {"rank_holders", "erratum 9: the holder of the token may be a victim if no other can"},
                {"match_edges", "erratum 7: messages name an edge, not a resource"},
                {"check_hop", "erratum 6: a probe goes on only if the edge that it came by exists"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (promote, match_requests, search, token, pass_token, consent, rank_holders,
                                  match_edges, check_hop),
                                 (), ())
        };
        std::uint32_t pace = 0;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            {"pace", "ticks for which the token rests at a resource without a line"},
        };
        BOOST_DESCRIBE_CLASS(Config, (broker::Group), (pace, repairs), (), ())
    };
    static constexpr broker::Manner manner(const Config&) { return {.most = 2, .ordered = true}; }
    static std::optional<std::string> config_error(const Config& config) {
        if (auto why = broker::pace_error(config.pace)) return why;
        return broker::config_error(config, manner(config));
    }
    static void sample(Draw& draw);

    using EdgeId = strong_weak::EdgeId;
    using RequestId = strong_weak::RequestId;
    using Role = strong_weak::Role;
    using Victim = strong_weak::Victim;
    struct NewRequest {
        RequestId request;
        Role role = Role::single;
        std::optional<SiteId> other;
        bool operator==(const NewRequest&) const = default;
        BOOST_DESCRIBE_CLASS(NewRequest, (), (request, role, other), (), ())
    };
    struct NewStrong {
        RequestId request;
        EdgeId edge;
        bool token = false;  // whether the sender holds it
        bool operator==(const NewStrong&) const = default;
        BOOST_DESCRIBE_CLASS(NewStrong, (), (request, edge, token), (), ())
    };
    struct Probe {
        EdgeId init;  // where it began
        EdgeId hop;   // the last edge it followed
        Victim victim;
        boost::container::flat_set<SiteId> passed;
        bool operator==(const Probe&) const = default;
        BOOST_DESCRIBE_CLASS(Probe, (), (init, hop, victim, passed), (), ())
    };
    // To the victim: undo its edge.
    struct RemoteKill {
        EdgeId edge;
        std::optional<EdgeId> pred;
        bool operator==(const RemoteKill&) const = default;
        BOOST_DESCRIBE_CLASS(RemoteKill, (), (edge, pred), (), ())
    };
    struct KillLoop {
        EdgeId edge;
        std::optional<EdgeId> pred;
        bool operator==(const KillLoop&) const = default;
        BOOST_DESCRIBE_CLASS(KillLoop, (), (edge, pred), (), ())
    };
    struct KillAck {
        EdgeId edge;
        std::optional<EdgeId> pred;
        bool operator==(const KillAck&) const = default;
        BOOST_DESCRIBE_CLASS(KillAck, (), (edge, pred), (), ())
    };
    struct Grant {  // resAllowed
        RequestId request;
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (request), (), ())
    };
    struct Done {
        RequestId request;
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (request), (), ())
    };
    struct Cancel {
        RequestId request;
        bool operator==(const Cancel&) const = default;
        BOOST_DESCRIBE_CLASS(Cancel, (), (request), (), ())
    };
    struct EndAck {
        RequestId request;
        bool operator==(const EndAck&) const = default;
        BOOST_DESCRIBE_CLASS(EndAck, (), (request), (), ())
    };
    struct Token {
        bool operator==(const Token&) const = default;
        BOOST_DESCRIBE_CLASS(Token, (), (), (), ())
    };
    using Message = std::variant<NewRequest, NewStrong, Probe, RemoteKill, KillLoop, KillAck, Grant, Done,
                                 Cancel, EndAck, Token>;

    enum class Timer : std::uint8_t { pace };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, pace)

    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Timeout<Timer>, input::Detected>;

    // A resource watches the clients about which it keeps state.
    bool watches(const Context& ctx, SiteId peer) const;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    // At the client.
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Grant& grant, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const EndAck& ack, Effects& fx);
    // At the resource.
    void receive(const Context& ctx, SiteId from, const NewRequest& news, Effects& fx);
    void receive(const Context& ctx, SiteId from, const NewStrong& news, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Probe& probe, Effects& fx);
    void receive(const Context& ctx, SiteId from, const RemoteKill& kill, Effects& fx);
    void receive(const Context& ctx, SiteId from, const KillLoop& kill, Effects& fx);
    void receive(const Context& ctx, SiteId from, const KillAck& ack, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancel& cancel, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Token& token, Effects& fx);
    void departed(const Context& ctx, Peer peer, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    static bool fair(Timer) { return true; }
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const;

    // Deletes messages that have no effect, and renames the requests of each client and the edges of each
    // resource.
    static void normalise(MutableView<StrongWeak>& world);

    std::optional<std::string> state_error(const Context& ctx) const;
    static std::optional<std::string> message_error(const Context& receiver, const Message& message);

    static void on_state(const View<StrongWeak>& view, Report& report);

    bool operator==(const StrongWeak&) const = default;

private:
    using Client = strong_weak::Client;
    using QueuedRequest = strong_weak::QueuedRequest;
    using Resource = strong_weak::Resource;
    using Line = std::vector<QueuedRequest>;
    friend struct StrongWeakProperties;
    friend struct StrongWeakRelevance;

    // Comparison of ids: a named one with the present one.
    static bool same_request(const Config& config, RequestId a, RequestId b) {
        return config.repairs.match_requests ? a == b : a.owner == b.owner;
    }
    static bool same_edge(const Config& config, EdgeId a, EdgeId b) {
        return config.repairs.match_edges ? a == b : a.owner == b.owner;
    }
    bool is_current(const Config& config, EdgeId edge) const;
    Line::const_iterator led_here(const Config& config, EdgeId edge) const;
    bool waits_here(const Config& config, EdgeId edge) const;
    Line::const_iterator in_line(const Config& config, RequestId request) const;
    std::map<RequestId, SiteId>::const_iterator set_aside(const Config& config, RequestId request) const;
    const QueuedRequest& head() const;

    void head_changed(const Context& ctx, Effects& fx);
    void follow(const Context& ctx, EdgeId init, Victim victim, boost::container::flat_set<SiteId> passed,
                EdgeId arrived_on, Effects& fx) const;
    void undo_edge(std::optional<EdgeId> pred, Effects& fx) const;
    void promote(const Config& config, std::optional<EdgeId> pred, Effects& fx);
    QueuedRequest remove(const Context& ctx, Line::const_iterator place, Effects& fx);
    void unmark(const Context& ctx, RequestId request, Effects& fx);
    void pass_token(const Context& ctx, Effects& fx);

    Client& client() { return std::get<Client>(role_); }
    Resource& resource() { return std::get<Resource>(role_); }
    const Client& client() const { return std::get<Client>(role_); }
    const Resource& resource() const { return std::get<Resource>(role_); }

    std::variant<Client, Resource> role_;

    BOOST_DESCRIBE_CLASS(StrongWeak, (), (), (), (role_))
};

}  // namespace allot
