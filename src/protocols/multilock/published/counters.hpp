// Several locks at once by counters, as the paper prints it (Lejeune, Arantes, Sopena and Sens, Annex A),
// with its defects. It is separate because `counters` has other queues, messages and steps.
//
// The listing keeps two queues in a token, one of them for loans. A site keeps a full copy of every token
// that left it, and reads the copy where it means a token that is elsewhere: so a token may be sent twice. A
// counter value does not name its request. Requests that are stored on their way are never deleted.
//
// Names that the listing spells in two ways are one here, and line 260 means the resource of the value (E15,
// E3). Messages leave in the order in which the listing sends them, and a site has a link to itself. The
// application is inside Request_CS until its tokens are there: a belief of the protocol in the meantime does
// not wake it.
//
// Each defect that can be corrected by itself is a repair, switched off unless `--with NAME` switches it on.
// Many hide each other, so the effect of one shows only beside others that are off (`allot errata`). With all
// of them the listing is corrected like `counters --improve none`. Names in comments are the paper's.
#pragma once

#include <vector>

#include "core/protocol.hpp"
#include "core/random.hpp"
#include "protocols/multilock/meanings.hpp"
#include "protocols/multilock/token.hpp"

namespace allot {

namespace counters_published {

using counters::Ask;
using counters::Number;
using counters::Past;
using counters::ResourceSet;
using counters::Waiter;

struct Token {
    ResourceId resource;
    std::uint64_t counter = 1;
    Past past;                     // lastReqC, lastCS
    std::vector<Waiter> queue;     // wQueue
    std::vector<Waiter> loans;     // wLoan
    std::optional<SiteId> lender;  // s_lender
    bool operator==(const Token&) const = default;

    // Deletes requests that have ended, and those of the site itself.
    void purge(SiteId self);
    void forget(SiteId site);
};
BOOST_DESCRIBE_STRUCT(Token, (), (resource, counter, past, queue, loans, lender))

struct Branch {
    bool owned = false;            // in TOwned
    std::optional<SiteId> father;  // tokDir
    Token token;                   // lastTok
    std::vector<Ask> pending;      // pendingReq
    bool operator==(const Branch&) const = default;
};
BOOST_DESCRIBE_STRUCT(Branch, (), (owned, father, token, pending))

}  // namespace counters_published

class CountersPublished {
public:
    static const Model<CountersPublished> model;

    struct Config {
        struct Repairs {
            bool answer_once = false;
            bool name_values = false;
            bool keep_father = false;
            bool clear_lender = false;
            bool requeue_borrower = false;
            bool loan_is_request = false;
            bool enter_if_waiting = false;
            bool lend_wanted = false;
            bool serve_unwanted = false;
            bool keep_loans = false;
            bool match_by_site = false;
            bool purge_queues = false;
            bool prune_pending = false;
            bool up_to_threshold = false;
            bool no_own_loan = false;
            static constexpr Meaning meanings[]{
                {"answer_once", "erratum 1: a token that answers for its counter is noted as the answer"},
                {"name_values", "erratum 2: a value names its request"},
                {"keep_father", "erratum 3: an unexpected value moves no father"},
                {"clear_lender", "erratum 4: a failed loan is no loan any more"},
                {"requeue_borrower", "erratum 5: a failed loan leaves a request in its place"},
                {"loan_is_request", "erratum 6: a site that waits for a loan waits for the token, too"},
                {"enter_if_waiting", "erratum 7: only a waiting site enters"},
                {"lend_wanted", "erratum 8: only a waiting site lends, and only tokens that it wants"},
                {"serve_unwanted", "erratum 8: a token without use here goes to the next request"},
                {"keep_loans",
                 "erratum 9: a token that is not here is not lent, and its request still waits"},
                {"match_by_site", "erratum 10: a site no longer waits for a token that was lent to it"},
                {"purge_queues", "erratum 11: one place per site, none once it has had the token"},
                {"prune_pending", "erratum 12: stored requests are deleted when the token has come"},
                {"up_to_threshold", "erratum 13: a loan is for at most this many missing tokens"},
                {"no_own_loan", "erratum 14: a site need not borrow what it has lent"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (answer_once, name_values, keep_father, clear_lender, requeue_borrower,
                                  loan_is_request, enter_if_waiting, lend_wanted, serve_unwanted, keep_loans,
                                  match_by_site, purge_queues, prune_pending, up_to_threshold, no_own_loan),
                                 (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t resources = 2;
        std::uint32_t max_request = 0;
        std::uint32_t loans = 1;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            multilock::resources_meaning,
            multilock::max_request_meaning,
            {"loans", "number of missing tokens for which a site asks for a loan; 0: no loans"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, resources, max_request, loans, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);

    struct Request {
        boost::container::flat_set<SiteId> visited;
        std::vector<counters::Ask> asks;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (visited, asks), (), ())
    };
    struct Value {
        ResourceId resource;
        std::uint64_t value = 0;
        counters::Number number = 0;  // of the request it is for; read only by name_values
        bool operator==(const Value&) const = default;
        BOOST_DESCRIBE_CLASS(Value, (), (resource, value, number), (), ())
    };
    struct Counter {
        std::vector<Value> values;
        bool operator==(const Counter&) const = default;
        BOOST_DESCRIBE_CLASS(Counter, (), (values), (), ())
    };
    struct Tokens {
        std::vector<counters_published::Token> tokens;
        bool operator==(const Tokens&) const = default;
        BOOST_DESCRIBE_CLASS(Tokens, (), (tokens), (), ())
    };
    using Message = std::variant<Request, Counter, Tokens>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    static void sample(Draw& draw);

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Counter& counter, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Tokens& arrival, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_of(state_); }

    static void on_state(const View<CountersPublished>& view, Report& report);

    bool operator==(const CountersPublished&) const = default;

private:
    using Ask = counters::Ask;
    using Branch = counters_published::Branch;
    using Kind = counters::Kind;
    using ResourceSet = counters::ResourceSet;
    using Number = counters::Number;
    using State = counters::State;
    using Token = counters_published::Token;
    using Waiter = counters::Waiter;

    // The messages that one step has buffered, by destination.
    struct Step {
        const Context& ctx;
        Effects& fx;
        boost::container::flat_map<SiteId, std::vector<Token>> tokens{};
        boost::container::flat_map<SiteId, std::vector<Value>> values{};
        boost::container::flat_map<SiteId, std::vector<Ask>> asks{};

        const Config::Repairs& repairs() const { return ctx.config.repairs; }
        void send_asks(boost::container::flat_set<SiteId> visited = {});  // SendBufReq
        void send_answers();                                              // SendBuf
    };

    void ask_for(Step& step, Kind kind, ResourceId resource, ResourceSet missing = {});
    void start_waiting(Step& step);
    void enter(Step& step);
    void ask_loan(Step& step);

    void answer(Step& step, const Ask& ask);
    void store(const Step& step, Branch& here, const Ask& ask);
    void give_value(Step& step, Branch& here, const Ask& ask);
    void yield(Step& step, Branch& here, SiteId to);
    void send_token(Step& step, Branch& here, SiteId to);
    void consider_loan(Step& step, Branch& here, const Waiter& waiter);
    bool can_lend(const Context& ctx, const Waiter& waiter) const;
    void lend(Step& step, const Waiter& borrower);

    void absorb(Step& step, const Token& token);
    void merge_pending(Step& step, Branch& here);
    void return_failed_loans(Step& step);
    void serve_queues(Step& step);
    void serve_loans(Step& step);
    void leave_token(Step& step, Branch& here);

    Branch& branch(const Context& ctx, ResourceId resource);
    bool owns(ResourceId resource) const;
    bool wants(ResourceId resource) const { return wanted_.contains(resource); }
    ResourceSet owned() const;
    ResourceSet missing() const;
    Waiter myself(const Context& ctx) const;

    struct Properties;

    State state_ = State::idle;
    bool inside_call_ = false;                                      // the application waits in Request_CS
    Number number_ = 0;                                             // curId
    ResourceSet wanted_;                                            // TRequired
    ResourceSet uncounted_;                                         // CntNeeded
    boost::container::flat_map<ResourceId, std::uint64_t> values_;  // MyVector, where it is not 0
    ResourceSet lent_;                                              // TLent
    bool loan_asked_ = false;                                       // loanAsked
    boost::container::flat_map<ResourceId, Branch> branches_;       // of the resources that this site knows

    BOOST_DESCRIBE_CLASS(CountersPublished, (), (), (),
                         (state_, inside_call_, number_, wanted_, uncounted_, values_, lent_, loan_asked_,
                          branches_))
};

}  // namespace allot
