// Two resources with strong and weak queues, as the paper prints it (Datta, Devismes, Kawala, Larmore and
// Potop-Butucaru, Algorithms 1 to 3), with its defects. It is separate because `strong-weak` has other
// messages and steps.
//
// A client asks for a pair at its weak resource, which keeps the request in its weak queue and passes it on
// to the strong one. When the request leads the strong queue there, the weak resource learns of it and moves
// it to the tail of its own strong queue. So a resource depends on another, and dependencies may form a
// cycle: a search follows them, and if it comes back, the request of the smallest resource steps back (the
// unloop). Before a grant a search must have found no cycle. A token circulates among the resources; its
// holder counts as the largest, and keeps it until the requests that were waiting are served.
//
// The listing is a loop that polls. Here a resource takes one message in each pass of the loop, and then
// continues until no internal step is left: one of the schedules that the listing allows. A locked resource
// takes no new requests; one that arrives is put aside until it is unlocked. Names that the listing spells in
// two ways are one here (erratum 15). An undefined case, such as the head of an empty queue, is a failed
// assertion.
//
// Each defect that can be corrected by itself is a repair, switched off unless `--with NAME` switches it on.
// Earlier defects hide later ones, so the effect of a repair often shows only beside others (`allot errata`).
// With all of them this is `strong-weak` without promotion, cancelled requests and departures, with one
// acknowledgement more. Names in comments are the paper's.
#pragma once

#include <boost/container/flat_set.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "core/own_id.hpp"
#include "protocols/broker/group.hpp"

namespace allot {

namespace strong_weak_published {

// A dependency of one resource on another, made whenever a strong request begins to lead its queue. As
// printed, dependencies have no names: all are equal.
using Edge = OwnId;

// REQUESTQUEUEELEMENT; its Score is never read (erratum 17), so there is none.
struct QueuedRequest {
    SiteId client = 0;            // CLId
    bool weak = false;            // RqNo = 2
    std::optional<SiteId> other;  // NextResId: the other resource of a pair
    // The edge that a leading strong request is; for a weak request that has moved, the edge that led it
    // here.
    std::optional<Edge> edge;
    bool operator==(const QueuedRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueuedRequest, (), (client, weak, other, edge))

// r_min: the request that will step back, as far as the search has come.
struct Victim {
    bool token = false;  // it had the token; as printed: infinity
    Edge edge;           // its owner is the resource
    auto operator<=>(const Victim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Victim, (), (token, edge))

struct NewRequest {
    SiteId client = 0;
    bool weak = false;            // RequestNo = 2
    std::optional<SiteId> other;  // NextResId
    bool operator==(const NewRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(NewRequest, (), (client, weak, other))

struct Client {
    Phase phase = Phase::idle;
    std::vector<SiteId> resources;  // D: the strong one, then the weak one
    bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (phase, resources))

struct Resource {
    std::vector<QueuedRequest> strong;  // Q_strong
    std::vector<QueuedRequest> weak;    // Q_weak
    std::vector<SiteId> token_queue;    // Q_token: clients
    bool lock = false;
    bool new_head = false;
    bool strong_ready = false;
    bool weak_ready = false;
    bool holding_token = false;
    bool sending_token = false;
    Victim lowest;                             // r_min
    std::vector<NewRequest> aside;             // arrived while locked
    boost::container::flat_set<SiteId> ready;  // only name_ready: clients whose strong resource is ready
    Edge newest;                               // only name_edges
    bool operator==(const Resource&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resource, (),
                      (strong, weak, token_queue, lock, new_head, strong_ready, weak_ready, holding_token,
                       sending_token, lowest, aside, ready, newest))

}  // namespace strong_weak_published

class StrongWeakPublished {
public:
    static const Model<StrongWeakPublished> model;

    struct Config : broker::Group {
        struct Repairs {
            bool read_before_pop = false;
            bool guard_token = false;
            bool hand_on = false;
            bool unmark_served = false;
            bool fresh_lowest = false;
            bool check_dependency = false;
            bool name_edges = false;
            bool no_lock = false;
            bool rank_victims = false;
            bool weak_grants = false;
            bool name_ready = false;
            bool name_acks = false;
            bool distinct_resources = false;
            bool keep_head = false;
            static constexpr Meaning meanings[]{
                {"read_before_pop", "erratum 1: Done goes to the address in the finished request"},
                {"guard_token", "erratum 2: only the holder of the token sends it"},
                {"hand_on", "erratum 3: the token does not wait at a resource without waiting requests"},
                {"unmark_served", "erratum 4: the served client leaves Q_token, and no other does"},
                {"fresh_lowest", "erratum 5: each search begins with its own value"},
                {"check_dependency", "erratum 6: a search follows only existing dependencies"},
                {"name_edges", "erratum 7: searches and unloops name their edges"},
                {"no_lock", "erratum 8: nothing is locked"},
                {"rank_victims", "erratum 9: there is a smallest resource even if all had the token"},
                {"weak_grants", "erratum 10: the weak resource grants as soon as the request leads there"},
                {"name_ready", "erratum 11: StrongReady names its client"},
                {"name_acks", "erratum 12: newStrongACK names its client"},
                {"distinct_resources", "erratum 13: no client asks for a resource twice"},
                {"keep_head", "erratum 14: a request that leads does not step back"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (read_before_pop, guard_token, hand_on, unmark_served, fresh_lowest,
                                  check_dependency, name_edges, no_lock, rank_victims, weak_grants,
                                  name_ready, name_acks, distinct_resources, keep_head),
                                 (), ())
        };
        Repairs repairs;
        BOOST_DESCRIBE_CLASS(Config, (broker::Group), (repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);

    using NewRequest = strong_weak_published::NewRequest;
    struct NewStrong {
        SiteId client = 0;
        strong_weak_published::Edge edge;
        bool operator==(const NewStrong&) const = default;
        BOOST_DESCRIBE_CLASS(NewStrong, (), (client, edge), (), ())
    };
    struct NewStrongAck {
        SiteId client = 0;  // read only by name_acks
        strong_weak_published::Edge edge;
        bool operator==(const NewStrongAck&) const = default;
        BOOST_DESCRIBE_CLASS(NewStrongAck, (), (client, edge), (), ())
    };
    struct SeekLoop {
        strong_weak_published::Victim lowest;   // r_min
        strong_weak_published::Edge initiator;  // its owner is r_init
        SiteId client = 0;  // the client whose request it follows; read only by check_dependency
        strong_weak_published::Edge edge;  // of this request
        bool operator==(const SeekLoop&) const = default;
        BOOST_DESCRIBE_CLASS(SeekLoop, (), (lowest, initiator, client, edge), (), ())
    };
    struct NoLoop {
        bool operator==(const NoLoop&) const = default;
        BOOST_DESCRIBE_CLASS(NoLoop, (), (), (), ())
    };
    struct StrongReady {
        SiteId client = 0;  // read only by name_ready
        bool operator==(const StrongReady&) const = default;
        BOOST_DESCRIBE_CLASS(StrongReady, (), (client), (), ())
    };
    struct RemoteKillLoop {
        strong_weak_published::Edge edge;
        bool operator==(const RemoteKillLoop&) const = default;
        BOOST_DESCRIBE_CLASS(RemoteKillLoop, (), (edge), (), ())
    };
    struct KillLoop {
        SiteId client = 0;
        strong_weak_published::Edge edge;
        bool operator==(const KillLoop&) const = default;
        BOOST_DESCRIBE_CLASS(KillLoop, (), (client, edge), (), ())
    };
    struct KillAck1 {
        strong_weak_published::Edge edge;
        bool operator==(const KillAck1&) const = default;
        BOOST_DESCRIBE_CLASS(KillAck1, (), (edge), (), ())
    };
    struct KillAck2 {
        bool operator==(const KillAck2&) const = default;
        BOOST_DESCRIBE_CLASS(KillAck2, (), (), (), ())
    };
    struct ResAllowed {
        bool operator==(const ResAllowed&) const = default;
        BOOST_DESCRIBE_CLASS(ResAllowed, (), (), (), ())
    };
    struct Done {
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (), (), ())
    };
    struct EndAck {
        bool operator==(const EndAck&) const = default;
        BOOST_DESCRIBE_CLASS(EndAck, (), (), (), ())
    };
    struct Token {
        bool operator==(const Token&) const = default;
        BOOST_DESCRIBE_CLASS(Token, (), (), (), ())
    };
    using Message =
        std::variant<NewRequest, NewStrong, NewStrongAck, SeekLoop, NoLoop, StrongReady, RemoteKillLoop,
                     KillLoop, KillAck1, KillAck2, ResAllowed, Done, EndAck, Token>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    static broker::Manner manner(const Config& config);
    static bool mortal(const Context&) { return false; }  // the listing knows no departures (erratum 18)
    static void sample(Draw& draw);

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    Phase phase() const;

    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const NewRequest& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const NewStrong& moved, Effects& fx);
    void receive(const Context& ctx, SiteId from, const NewStrongAck& ack, Effects& fx);
    void receive(const Context& ctx, SiteId from, const SeekLoop& seek, Effects& fx);
    void receive(const Context& ctx, SiteId from, const NoLoop& none, Effects& fx);
    void receive(const Context& ctx, SiteId from, const StrongReady& ready, Effects& fx);
    void receive(const Context& ctx, SiteId from, const ResAllowed& allowed, Effects& fx);

    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);
    void receive(const Context& ctx, SiteId from, const EndAck& ack, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Token& token, Effects& fx);

    void receive(const Context& ctx, SiteId from, const RemoteKillLoop& kill, Effects& fx);
    void receive(const Context& ctx, SiteId from, const KillLoop& kill, Effects& fx);
    void receive(const Context& ctx, SiteId from, const KillAck1& ack, Effects& fx);
    void receive(const Context& ctx, SiteId from, const KillAck2& ack, Effects& fx);

    // Names the remaining edges 0, 1, 2... and, if edges have names, deletes messages about ended ones.
    static void normalise(MutableView<StrongWeakPublished>& world);

    std::optional<std::string> state_error(const Context& ctx) const {
        return broker::not_its_role(ctx.config, ctx.self, std::holds_alternative<Client>(role_));
    }

    static std::optional<std::string> message_error(const Context& receiver, const Message& message);

    static void on_state(const View<StrongWeakPublished>& view, Report& report);

    bool operator==(const StrongWeakPublished&) const = default;

private:
    using Client = strong_weak_published::Client;
    using Edge = strong_weak_published::Edge;
    using QueuedRequest = strong_weak_published::QueuedRequest;
    using Resource = strong_weak_published::Resource;
    using Victim = strong_weak_published::Victim;

    // One pass of a resource's loop.
    struct Pass;
    struct Properties;

    static bool can_act(const MutableView<StrongWeakPublished>& world, const EnvelopeOf<Message>& envelope);

    std::variant<Client, Resource> role_;

    BOOST_DESCRIBE_CLASS(StrongWeakPublished, (), (), (), (role_))
};

}  // namespace allot
