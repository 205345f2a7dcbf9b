// Several locks at once, without a global lock: a site asks for a set of resources by name, waits until it
// has all of them, and releases them together (specs: multilock, after Lejeune, Arantes, Sopena and Sens).
//
// Each resource has one token, and the site that uses the resource holds it. The token moves along a tree: a
// site without it knows a father, which is nearer to it, and requests climb from father to father.
//
// Sites that wait for several tokens must not wait in a cycle, so all requests have one order. The token of a
// resource has a counter. A request first collects one value from the counter of each of its resources; their
// average is its mark, and all queues are ordered by marks (and by sites if marks are equal). Then it asks
// for the tokens. A site that waits and holds a token yields it to an earlier request.
//
// If a request lacks only tokens that an earlier one holds and cannot use yet, the earlier site lends them:
// the borrower enters at once and gives them back when it leaves. Tokens lent together travel together. If
// the borrower has lost another token in the meantime, it gives them back at once.
//
// A request is stored at every site that it passes and where its way ends: when the token comes by, it finds
// the request there. The site where the way ends, or one before it, will have the token some day: either the
// token is on its way there, or each step of the way led to a later place of the token (section 6.2). That is
// why links need no order.
//
// A cancelled request leaves its asks behind. They may bring a token to a site that has no use for it; that
// site passes it on to the next request, or keeps it if none waits.
//
// Six improvements can be left out (`--improve none` is the paper's algorithm, repaired); see
// improvements.hpp. No state or message grows with the number of sites or resources: a resource that no site
// has asked for exists nowhere, and its token counts as being at its origin: site 0, or with `--homes` the
// home of the resource.
#pragma once

#include <map>
#include <vector>

#include "core/protocol.hpp"
#include "core/random.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/multilock/improvements.hpp"
#include "protocols/multilock/meanings.hpp"
#include "protocols/multilock/token.hpp"

namespace allot {

namespace counters {

// The claims of a new epoch by resource. It refers to the claims, which must outlive it.
struct Estate {
    explicit Estate(std::span<const agreement::Claim> all);
    std::span<const agreement::Claim> waiting() const { return claims.subspan(users); }

    struct Heirs {
        SiteId owner;                      // uses it, or is the first that waits
        std::vector<std::size_t> waiting;  // places of the others among those who wait
    };
    std::span<const agreement::Claim> claims;  // users first
    std::size_t users = 0;
    std::map<ResourceId, Heirs> resources;
    std::map<SiteId, std::size_t> places;  // of the claim of a site
};

}  // namespace counters

class Counters {
public:
    static const Model<Counters, FencesGrow> model;

    struct Config {
        struct Repairs {
            bool clear_lender = true;
            bool store_at_end = true;
            static constexpr Meaning meanings[]{
                {"clear_lender", "erratum 4: a failed loan is no loan any more"},
                {"store_at_end", "erratum 19: a request is stored where its way ends"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (clear_lender, store_at_end), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t resources = 2;
        std::uint32_t max_request = 0;
        std::uint32_t loans = 1;
        std::uint32_t homes = 0;
        counters::Improvements improve = counters::Improvements::all();
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            multilock::resources_meaning,
            multilock::max_request_meaning,
            {"loans",
             "maximum of missing tokens for which a site asks for a loan (the paper's T); 0: no loans"},
            {"homes",
             "sites before this one are homes, and tokens begin there; 0: all sites are homes, and tokens "
             "begin at site 0"},
            {"improve",
             "improvements over the repaired paper: all, none, or some of stop, single, lamport, home, "
             "early-loan and reask, with commas"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, resources, max_request, loans, homes, improve, repairs), (),
                             ())

        SiteId home(ResourceId resource) const;    // learns of every move of the token
        SiteId origin(ResourceId resource) const;  // has the token first
    };
    static std::optional<std::string> config_error(const Config& config);
    static std::optional<Domain> domain(const allot::Context<Config>& ctx, std::string_view member);

    // All asks of one step for one destination, and the sites that they have passed.
    struct Request {
        boost::container::flat_set<SiteId> visited;
        std::vector<counters::Ask> asks;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (visited, asks), (), ())
    };
    struct Value {
        ResourceId resource;
        std::uint64_t value = 0;
        counters::Number number = 0;  // of the request it is for
        Stamp hop;                    // of the token; only with homes
        bool operator==(const Value&) const = default;
        BOOST_DESCRIBE_CLASS(Value, (), (resource, value, number, hop), (), ())
    };
    struct Counter {
        std::vector<Value> values;
        bool operator==(const Counter&) const = default;
        BOOST_DESCRIBE_CLASS(Counter, (), (values), (), ())
    };
    struct Tokens {
        std::vector<counters::Token> tokens;
        bool operator==(const Tokens&) const = default;
        BOOST_DESCRIBE_CLASS(Tokens, (), (tokens), (), ())
    };
    struct Whereabouts {
        ResourceId resource;
        SiteId holder = 0;
        Stamp hop;
        bool operator==(const Whereabouts&) const = default;
        BOOST_DESCRIBE_CLASS(Whereabouts, (), (resource, holder, hop), (), ())
    };
    // For the homes of resources: where their tokens went.
    struct Hint {
        std::vector<Whereabouts> moves;
        bool operator==(const Hint&) const = default;
        BOOST_DESCRIBE_CLASS(Hint, (), (moves), (), ())
    };
    using Message = std::variant<Request, Counter, Tokens, Hint>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Cancel>;

    static std::vector<Demand> demands(const Context& ctx);
    static void sample(Draw& draw);

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Counter& counter, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Tokens& arrival, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Hint& hint, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_of(state_); }

    // Why a message from outside cannot have come to this site, beyond message_error (core/model.hpp), which
    // knows neither the receiver nor its state.
    std::optional<std::string> objection(const Context& ctx, SiteId from, const Message& message) const;

    bool has_token(ResourceId resource) const { return owns(resource); }
    bool knows(ResourceId resource) const { return branches_.contains(resource); }
    // Whether this site waits and has lent tokens: then it lends no others.
    bool lends() const { return !lent_.empty(); }
    // The waiting sites, in order, for each resource whose token is here and that anybody wants.
    std::map<ResourceId, std::vector<SiteId>> queues() const;

    // For each resource that this site knows: f(resource, site, hop), where site is the place to which the
    // token went with that hop, as far as is known here; no site: it is here.
    template <class F>
    void for_each_place(F f) const {
        for (const auto& [resource, branch] : branches_) {
            if (branch.token)
                f(resource, std::optional<SiteId>(), branch.token->hop);
            else
                f(resource, std::optional(branch.father), branch.father_hop);
        }
    }

    // For each token at this site, or in a message: f(resource).
    template <class F>
    void for_each_token(F f) const {
        for (const auto& [resource, branch] : branches_)
            if (branch.token) f(resource);
    }
    template <class F>
    static void for_each_token(const Message& message, F f) {
        if (const auto* arrival = std::get_if<Tokens>(&message))
            for (const counters::Token& token : arrival->tokens) f(token.resource);
    }
    // For each resource whose token a message may bring to its receiver, or make there: f(resource).
    template <class F>
    static void for_each_resource(const Message& message, F f) {
        if (const auto* request = std::get_if<Request>(&message))
            for (const counters::Ask& ask : request->asks) f(ask.resource);
        if (const auto* hint = std::get_if<Hint>(&message))
            for (const Whereabouts& move : hint->moves) f(move.resource);
        for_each_token(message, f);
    }

    static void on_state(const View<Counters>& view, Report& report);

    // Recovery (agreement/recovery.hpp).
    agreement::Holdings holdings(const Context& ctx) const;
    static Counters rebuild(const Context& ctx, const agreement::Before<Counters>& before,
                            std::span<const agreement::Claim> claims, Effects& fx);
    // The same for a site that knows only these resources: those that it claims, and those whose home it is.
    // A site that knows nothing of a resource asks its origin, which knows where the token is.
    static Counters rebuild(const Context& ctx, const counters::Estate& estate,
                            std::span<const ResourceId> known, Effects& fx);
    static Config among(const Config& config, std::uint32_t sites, std::uint32_t view);
    void forget_epoch(const Config&) { *this = {}; }
    static constexpr bool has_seats = false;
    static constexpr bool keeps_queues = true;

    // How many entries this site keeps: resources, and requests for them that have ended or wait.
    std::size_t weight() const;

    bool operator==(const Counters&) const = default;

private:
    using Ask = counters::Ask;
    using Branch = counters::Branch;
    using Kind = counters::Kind;
    using Mark = counters::Mark;
    using ResourceSet = counters::ResourceSet;
    using Number = counters::Number;
    using State = counters::State;
    using Token = counters::Token;
    using Waiter = counters::Waiter;

    // The messages of one step, one of each kind per destination.
    struct Step {
        const Context& ctx;
        Effects& fx;
        boost::container::flat_map<SiteId, std::vector<Token>> tokens{};
        boost::container::flat_map<SiteId, std::vector<Value>> values{};
        boost::container::flat_map<SiteId, std::vector<Ask>> asks{};
        boost::container::flat_map<SiteId, std::vector<Whereabouts>> moves{};

        const Config& config() const { return ctx.config; }
        bool improves(counters::Improvement how) const { return ctx.config.improve.contains(how); }
        void send(boost::container::flat_set<SiteId> visited = {});
    };
    friend struct CountersProperties;

    void resume(const Context& ctx, const agreement::Claim& mine, std::uint64_t value, Effects& fx);

    // Asking.
    void ask_for(Step& step, Kind kind, ResourceId resource, ResourceSet missing = {});
    void send_ask(Step& step, SiteId to, Ask ask);
    void start_waiting(Step& step);
    void ask_loan(Step& step);
    void enter(Step& step);

    // Answering.
    void answer(Step& step, const Ask& ask);
    void pass_on(Step& step, const boost::container::flat_set<SiteId>& visited, const Ask& ask);
    bool stops(const Step& step, const Ask& ask) const;
    void give_value(Step& step, const Ask& ask);
    Waiter price(Step& step, const Ask& ask);
    void consider(Step& step, ResourceId resource, const Waiter& waiter);
    bool can_lend(const Step& step, const Waiter& waiter) const;
    void lend(Step& step, const Waiter& borrower);
    void yield(Step& step, ResourceId resource, SiteId to);
    void send_token(Step& step, ResourceId resource, SiteId to);

    // Receiving and sending tokens.
    void absorb(Step& step, const Token& token);
    void merge_pending(Step& step, Branch& here);
    void return_failed_loans(Step& step, const ResourceSet& affected);
    void serve_queues(Step& step, const ResourceSet& affected);
    void let_go(Step& step);
    void leave_token(Step& step, ResourceId resource);

    Branch& branch(const Context& ctx, ResourceId resource);
    bool owns(ResourceId resource) const;
    bool wants(ResourceId resource) const;
    ResourceSet missing() const;
    std::uint64_t take(Step& step, Token& token, std::uint64_t clock);
    void see(const Step& step, std::uint64_t value);
    Waiter myself(const Context& ctx) const;

    State state_ = State::idle;
    Number number_ = 0;               // of the latest request (curId)
    std::vector<ResourceId> wanted_;  // in the caller's order (TRequired)
    ResourceSet uncounted_;           // no value yet (CntNeeded)
    std::uint64_t sum_ = 0;           // of the values (MyVector; only its average is used)
    ResourceSet lent_;                // will come back (TLent)
    ResourceSet asked_;               // tokens that were missing at the last request for a loan (loanAsked)
    std::uint64_t clock_ = 0;         // only with Lamport times
    std::map<ResourceId, Branch> branches_;  // not flat: branches are large, and there may be thousands

    BOOST_DESCRIBE_CLASS(Counters, (), (), (),
                         (state_, number_, wanted_, uncounted_, sum_, lent_, asked_, clock_, branches_))
};

}  // namespace allot
