// The invariants of `counters`: those of section 6.1, by their numbers. The others are assertions in the
// handlers (13: no token to oneself, none that is elsewhere) or judged of every protocol: 14 is `contract`,
// 15 `deadlock`, 16 `starvation`.
#include <algorithm>
#include <map>
#include <set>

#include "protocols/multilock/counters.hpp"
#include "protocols/multilock/model.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

using counters::Branch;
using counters::Token;
using counters::Waiter;

struct CountersProperties {
    using State = Counters::State;

    const View<Counters>& view;
    Report& report;

    const Counters& site(SiteId id) const { return view.site(id).protocol; }
    SiteId sites() const { return static_cast<SiteId>(view.sites.size()); }

    template <class F>
    void for_each_token_under_way(F&& f) const {
        for (const auto* envelope : view.flight)
            if (const auto* arrival = std::get_if<Counters::Tokens>(&envelope->message))
                for (const Token& token : arrival->tokens) f(envelope->to, token);
    }

    // For every resource that any site knows, the facts about its token. Collected in one pass over the
    // sites: there may be many sites and many resources, of which each site knows few.
    std::map<ResourceId, multilock::Trail> trails() const {
        std::map<ResourceId, multilock::Trail> known;
        for (SiteId id = 0; id < sites(); ++id) {
            for (const auto& [resource, branch] : site(id).branches_) {
                multilock::Trail& trail = known[resource];
                trail.fathers.emplace_back(id, branch.father);
                if (branch.token) trail.places.push_back(id);
            }
        }
        // If no site has asked, the token is still at its origin.
        for (auto& [resource, trail] : known) {
            trail.origin = view.config.origin(resource);
            if (!trail.knows(trail.origin)) trail.places.push_back(trail.origin);
        }
        for_each_token_under_way(
            [&](SiteId to, const Token& token) { known[token.resource].places.push_back(to); });
        return known;
    }

    void check_use() const {  // 2
        multilock::check_one_holder(view, report);
        multilock::check_used_with_token(
            view, report, [&](SiteId id, ResourceId resource) { return site(id).owns(resource); });
    }

    void check_queue(SiteId id, const Token& token) const {  // 6, 7, 8; 12 is part of the structure
        const Counters& here = site(id);
        const auto tell = [&](const char* what) {
            report.violated("queues-in-order", "site " + std::to_string(id) + " has the token of " +
                                                   token.resource.name() + " and " + what);
        };
        if (token.queue.empty()) return;
        if (!here.wants(token.resource)) tell("no use for it, while others wait");
        if (here.state_ == State::counting) tell("only counts, while others wait");
        std::set<SiteId> seen{id};
        const Waiter mine = here.myself({view.config, id});
        for (const Waiter& waiter : token.queue) {
            if (!seen.insert(waiter.site).second) tell("somebody, or itself, twice in its queue");
            if (here.state_ == State::waiting && waiter.before(mine))
                tell("waits, while another comes first");
        }
        const auto later = [](const Waiter& a, const Waiter& b) { return b.before(a); };
        if (std::ranges::adjacent_find(token.queue, later) != token.queue.end()) tell("a queue out of order");
    }

    void check_loans(SiteId id) const {  // 9, 10
        const Counters& here = site(id);
        const auto tell = [&](const char* what, ResourceId resource) {
            report.violated("loans-return",
                            "site " + std::to_string(id) + " " + what + " " + resource.name());
        };
        for (const auto& [resource, branch] : here.branches_)
            if (branch.token && branch.token->lender && here.state_ != State::holding)
                tell("does not hold and keeps the loan of", resource);
        for (ResourceId resource : here.lent_) {
            if (!here.wants(resource)) tell("has lent and does not want", resource);
            if (here.owns(resource)) tell("has lent and still has", resource);
            if (here.state_ != State::waiting) tell("does not wait and has lent", resource);
        }
    }

    void check_site(SiteId id) const {
        const Counters& here = site(id);
        if (!here.uncounted_.empty() && here.state_ != State::counting)  // 5
            report.violated("values-complete", "site " + std::to_string(id) + " has no value of " +
                                                   here.uncounted_.begin()->name());
        for (const auto& [resource, branch] : here.branches_) {
            if (branch.token) check_queue(id, *branch.token);
            // 11: at most one request of each kind is stored per site, by the structure; and ...
            if (branch.token && !branch.pending.empty())
                report.violated("memory-bounded", "site " + std::to_string(id) + " has the token of " +
                                                      resource.name() +
                                                      " and stores requests that wait for it");
        }
        check_loans(id);
    }
};

void Counters::on_state(const View<Counters>& view, Report& report) {
    const CountersProperties world{view, report};
    world.check_use();
    for (const auto& [resource, trail] : world.trails())
        multilock::check_trail(resource, trail, report);  // 1, 3, 4
    for (SiteId id = 0; id < world.sites(); ++id) world.check_site(id);
}

namespace {

constexpr std::array properties{
    PropertyName{"one-holder", "no resource is used by two sites"},
    PropertyName{"one-token", "each resource has one token, at a site or in flight"},
    PropertyName{"used-with-token", "a site that uses a resource holds its token"},
    PropertyName{"way-to-token", "fathers lead to the token, or to where it will be"},
    PropertyName{"queues-in-order", "a token stays only while no site in its queue should have it"},
    PropertyName{
        "loans-return",
        "only a holder has borrowed; only a waiting site has lent, and only resources that it wants"},
    PropertyName{"values-complete", "a site that asks for tokens has a value of each counter"},
    PropertyName{"memory-bounded", "requests are stored only where the token is not"},
    PropertyName{"fences-grow", "every grant of a resource has a higher fence than the one before"},
};
constexpr std::array<std::string_view, 13> probes{
    "yielded",          "loan-granted",  "loan-failed",    "loan-asked-again",  "stored-at-the-end",
    "stopped",          "obsolete-ask",  "stale-counter",  "token-without-use", "single-queued",
    "token-on-its-way", "newer-pointer", "lender-withdrew"};

}  // namespace

constinit const Model<Counters, FencesGrow> Counters::model{
    .name = "counters",
    .problem = "multilock",
    .summary = "sets of named locks, in the order of per-resource counters, with loans; no global lock",
    .source =
        "after Lejeune, Arantes, Sopena and Sens: Reducing synchronization cost in distributed "
        "multi-resource allocation problem",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = multilock::named_requests<Counters>(&demands),
};

}  // namespace allot
