// Any number of resources at once, in an order that tickets fix beforehand (specs: broker, 8.1; the paper
// proposes it for more than two resources).
//
// A client sends its request to one of its resources, its home, where it waits for the token that circulates
// among the resources. The token knows the next ticket of every resource. When it visits, every waiting
// request draws one ticket of each of its resources and enters their lines. A resource serves its tickets in
// order; a client that all its resources serve may begin, and tells them all when it is done. A request draws
// its tickets in one visit of the token, so all lines have the same order: there is no cycle of waiting, and
// no client is overtaken. That takes 3k + 1 messages for k resources, besides the token. Messages may
// overtake each other: a resource waits for a ticket that has not come yet.
//
// The paper says only that the token moves a client's requests into all lines at once. Read literally
// (`--literal`), a visit moves one client, and the token waits until all its resources have confirmed. Then
// one request enters at a time, with 4k + 1 messages.
//
// A resource that hears of a departed client removes it, and again if a late message of that client arrives.
// Its tickets remain, to be skipped.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "core/own_id.hpp"
#include "protocols/broker/group.hpp"

namespace allot {

// The states of the roles are outside the class: see core/protocol.hpp.
namespace ring {

using Ticket = OwnId;  // its owner is the resource
using Resources = std::vector<SiteId>;

// The content of the token: the next ticket of each resource of which a ticket was drawn, in their order.
using Tickets = std::vector<Ticket>;

struct Client {
    Phase phase = Phase::idle;
    Resources wanted;
    boost::container::flat_set<SiteId> missing;  // resources that do not serve it yet
    bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (phase, wanted, missing))

struct Wish {
    SiteId client = 0;
    Resources wanted;
    bool operator==(const Wish&) const = default;
};
BOOST_DESCRIBE_STRUCT(Wish, (), (client, wanted))

struct Resource {
    std::vector<Wish> wishes;  // requests that wait for the token; oldest first
    Ticket now;                // the ticket that is served, or will be
    boost::container::flat_map<Ticket, std::optional<SiteId>> line;  // nobody: the client has gone
    std::optional<Tickets> token;                                    // if it is here
    std::uint32_t unanswered = 0;                                    // only literal: missing Entered messages
    bool operator==(const Resource&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resource, (), (wishes, now, line, token, unanswered))

}  // namespace ring

class RingTicket {
public:
    static const Model<RingTicket> model;

    struct Config : broker::Group {
        struct Repairs {
            bool in_turn = true;
            bool match_done = true;
            bool skip_gone = true;
            static constexpr Meaning meanings[]{
                {"in_turn", "tickets are served in their order, not in that of their arrival"},
                {"match_done", "Done counts only from the served client (section IV of the paper)"},
                {"skip_gone", "tickets of departed clients are skipped"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (in_turn, match_done, skip_gone), (), ())
        };
        bool literal = false;
        std::uint32_t pace = 0;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            {"literal", "the token waits for the resources of a client, and serves one client in each visit"},
            {"pace", "ticks for which the token rests where no request waits for it"},
        };
        BOOST_DESCRIBE_CLASS(Config, (broker::Group), (literal, pace, repairs), (), ())
    };
    static constexpr broker::Manner manner(const Config&) { return {.most = 0xFFFFFFFF}; }
    static std::optional<std::string> config_error(const Config& config) {
        if (auto why = broker::pace_error(config.pace)) return why;
        return broker::config_error(config, manner(config));
    }
    static void sample(Draw& draw);

    struct Request {
        ring::Resources wanted;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (wanted), (), ())
    };
    struct Token {
        ring::Tickets next;
        bool operator==(const Token&) const = default;
        BOOST_DESCRIBE_CLASS(Token, (), (next), (), ())
    };
    struct Enter {
        SiteId client = 0;
        ring::Ticket ticket;
        bool operator==(const Enter&) const = default;
        BOOST_DESCRIBE_CLASS(Enter, (), (client, ticket), (), ())
    };
    // Only literal.
    struct Entered {
        bool operator==(const Entered&) const = default;
        BOOST_DESCRIBE_CLASS(Entered, (), (), (), ())
    };
    struct Ready {
        bool operator==(const Ready&) const = default;
        BOOST_DESCRIBE_CLASS(Ready, (), (), (), ())
    };
    struct Done {
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (), (), ())
    };
    using Message = std::variant<Request, Token, Enter, Entered, Ready, Done>;
    enum class Timer : std::uint8_t { pace };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, pace)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Timeout<Timer>, input::Detected>;

    // A resource watches the clients about which it keeps state.
    bool watches(const Context& ctx, SiteId peer) const;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Token& token, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    static bool fair(Timer) { return true; }
    void receive(const Context& ctx, SiteId from, const Enter& enter, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Entered& entered, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ready& ready, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);
    void departed(const Context& ctx, Peer peer, Effects& fx);
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const;

    // Names the remaining tickets of each resource 0, 1, 2...; none is missing in between, because a ticket
    // that has not come yet is in flight.
    static void normalise(MutableView<RingTicket>& world);

    std::optional<std::string> state_error(const Context& ctx) const;
    static std::optional<std::string> message_error(const Context& receiver, const Message& message);

    static void on_state(const View<RingTicket>& view, Report& report);

    bool operator==(const RingTicket&) const = default;

private:
    using Client = ring::Client;
    using Resource = ring::Resource;
    using Ticket = ring::Ticket;
    using Tickets = ring::Tickets;
    using Wish = ring::Wish;
    struct Properties;

    void visit(const Context& ctx, Effects& fx);
    void enter_lines(const Wish& wish, Effects& fx);
    void pass_on(const Context& ctx, Effects& fx);
    void call(Effects& fx);
    void finish_turn(Effects& fx);

    Client& client() { return std::get<Client>(role_); }
    Resource& resource() { return std::get<Resource>(role_); }
    const Client& client() const { return std::get<Client>(role_); }
    const Resource& resource() const { return std::get<Resource>(role_); }

    std::variant<Client, Resource> role_;

    BOOST_DESCRIBE_CLASS(RingTicket, (), (), (), (role_))
};

}  // namespace allot
