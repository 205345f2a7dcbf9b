// What must be true of `counters` in every world: the invariants of section 6.1, by their numbers. Those not
// here are assertions in the handlers (13: no token to oneself, none that is elsewhere) or judged of every
// protocol: 14 is `contract`, 15 `deadlock`, 16 `starvation`.
#include <algorithm>
#include <map>
#include <set>

#include "protocols/multilock/counters.hpp"

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

    // What the world knows of one resource.
    struct Knowledge {
        std::vector<std::pair<SiteId, const Branch*>> branches;  // by site
        std::vector<SiteId> tokens;                              // where they are or will be

        SiteId father(SiteId id) const {
            const auto place =
                std::ranges::lower_bound(branches, id, {}, [](const auto& one) { return one.first; });
            return place == branches.end() || place->first != id ? 0 : place->second->father;
        }
    };

    // Of every resource that any site knows of. Gathered once, in the order of what the sites know: there may
    // be many sites and many resources, of which each site knows few.
    std::map<std::string_view, Knowledge> gather() const {
        std::map<std::string_view, Knowledge> known;
        for (SiteId id = 0; id < sites(); ++id) {
            for (const auto& [resource, branch] : site(id).branches_) {
                Knowledge& about = known[resource];
                about.branches.emplace_back(id, &branch);
                if (branch.token) about.tokens.push_back(id);
            }
        }
        for (auto& [resource, about] : known)
            if (about.branches.front().first != 0) about.tokens.push_back(0);
        for_each_token_under_way(
            [&](SiteId to, const Token& token) { known[token.resource].tokens.push_back(to); });
        return known;
    }

    void check_token(std::string_view resource, const Knowledge& about) const {  // 1
        if (about.tokens.size() != 1)
            report.violated("one-token", "there are " + std::to_string(about.tokens.size()) + " tokens of " +
                                             std::string(resource));
        else
            check_way(resource, about);
    }

    // 3 and 4. That a site with the token has no father is part of its structure. Who knows nothing of a
    // resource has site 0 for a father.
    void check_way(std::string_view resource, const Knowledge& about) const {
        std::set<SiteId> good{about.tokens.front()};
        const auto follow = [&](SiteId start) {
            std::vector<SiteId> way;
            SiteId at = start;
            for (; !good.contains(at) && way.size() <= about.branches.size() + 1; at = about.father(at))
                way.push_back(at);
            if (!good.contains(at))
                return report.violated("way-to-token", "from site " + std::to_string(start) +
                                                           " no way leads to the token of " +
                                                           std::string(resource));
            good.insert(way.begin(), way.end());
        };
        follow(0);
        for (const auto& [id, branch] : about.branches) follow(id);
    }

    void check_use() const {  // 2
        std::set<std::string> used;
        for (SiteId id = 0; id < sites(); ++id) {
            if (!view.site(id).holding()) continue;
            for (const std::string& resource : view.site(id).application.demand.resources) {
                if (!used.insert(resource).second)
                    report.violated("one-holder", resource + " is used by two sites");
                if (!site(id).owns(resource))
                    report.violated("used-with-token", "site " + std::to_string(id) + " uses " + resource +
                                                           " without its token");
            }
        }
    }

    void check_queue(SiteId id, const Token& token) const {  // 6, 7, 8; 12 is part of the structure
        const Counters& here = site(id);
        const auto tell = [&](const char* what) {
            report.violated("queues-in-order", "site " + std::to_string(id) + " has the token of " +
                                                   token.resource + " and " + what);
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
        const auto tell = [&](const char* what, const std::string& resource) {
            report.violated("loans-return", "site " + std::to_string(id) + " " + what + " " + resource);
        };
        for (const auto& [resource, branch] : here.branches_)
            if (branch.token && branch.token->lender && here.state_ != State::holding)
                tell("does not hold and keeps the loan of", resource);
        for (const std::string& resource : here.lent_) {
            if (!here.wants(resource)) tell("has lent and does not want", resource);
            if (here.owns(resource)) tell("has lent and still has", resource);
            if (here.state_ != State::waiting) tell("does not wait and has lent", resource);
        }
    }

    void check_site(SiteId id) const {
        const Counters& here = site(id);
        if (!here.uncounted_.empty() && here.state_ != State::counting)  // 5
            report.violated("values-complete",
                            "site " + std::to_string(id) + " has no value of " + *here.uncounted_.begin());
        for (const auto& [resource, branch] : here.branches_) {
            if (branch.token) check_queue(id, *branch.token);
            if (branch.pending.size() > 3 * std::size_t{sites()})  // 11
                report.violated("memory-bounded", "site " + std::to_string(id) + " stores " +
                                                      std::to_string(branch.pending.size()) +
                                                      " requests for " + resource);
            if (branch.token && !branch.pending.empty())
                report.violated("memory-bounded", "site " + std::to_string(id) + " has the token of " +
                                                      resource + " and stores requests that wait for it");
        }
        check_loans(id);
    }
};

void Counters::on_state(const View<Counters>& view, Report& report) {
    const CountersProperties world{view, report};
    world.check_use();
    for (const auto& [resource, about] : world.gather()) world.check_token(resource, about);
    for (SiteId id = 0; id < world.sites(); ++id) world.check_site(id);
}

}  // namespace allot
