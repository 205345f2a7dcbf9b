#include "protocols/multilock/published/counters.hpp"

#include <algorithm>
#include <set>

#include "core/draw.hpp"
#include "protocols/multilock/model.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

using counters::ResourceSet;
using counters::Waiter;

namespace {

Waiter waiter_of(const counters::Ask& ask) {
    return {ask.mark, ask.site, ask.number, ask.missing};
}

// A loan request is a request, too (E6): the same without its missing tokens.
Waiter plain(Waiter waiter) {
    waiter.missing.clear();
    return waiter;
}

void remove_site(std::vector<Waiter>& list, SiteId site) {
    std::erase_if(list, [&](const Waiter& one) { return one.site == site; });
}

// Sorted, without duplicates; as printed, a site may have several places, for several requests.
void add(std::vector<Waiter>& list, const Waiter& waiter, bool one_place_per_site) {
    if (std::ranges::find(list, waiter) != list.end()) return;
    if (one_place_per_site) {
        const auto newer = [&](const Waiter& one) {
            return one.site == waiter.site && one.number > waiter.number;
        };
        if (std::ranges::any_of(list, newer)) return;
        remove_site(list, waiter.site);
    }
    const auto place = std::ranges::find_if(list, [&](const Waiter& one) { return waiter.before(one); });
    list.insert(place, waiter);
}

}  // namespace

void counters_published::Token::purge(SiteId self) {
    const auto over = [&](const Waiter& one) { return one.site == self || past.covers(one); };
    std::erase_if(queue, over);
    std::erase_if(loans, over);
}

void counters_published::Token::forget(SiteId site) {
    remove_site(queue, site);
    remove_site(loans, site);
}

// --- Configurations and demands.

std::optional<std::string> CountersPublished::config_error(const Config& config) {
    return multilock::resources_error(config.resources, config.max_request);
}

void CountersPublished::sample(Draw& draw) {
    draw.number("sites", 2, 4);
    draw.number("resources", 1, 3);
    draw.number("loans", 0, 2);
    draw.requests(3);
}

// --- Lines 68 to 101: request and release.

void CountersPublished::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void CountersPublished::request(const Context& ctx, const Demand& demand, Effects& fx) {
    if (const auto why = multilock::demand_error(demand)) return fx.refused(*why);
    Step step{ctx, fx};
    inside_call_ = true;
    ++number_;
    wanted_ = ResourceSet(demand.resources.begin(), demand.resources.end());
    state_ = State::counting;
    for (ResourceId resource : wanted_) {
        Branch& here = branch(ctx, resource);
        if (!here.father) {
            values_[resource] = here.token.counter++;
        } else {
            uncounted_.insert(resource);
            ask_for(step, Kind::counter, resource);
        }
    }
    step.send_asks();
    if (missing().empty()) enter(step);
}

// Only a call that waits can return (lines 82 and 215).
void CountersPublished::enter(Step& step) {
    state_ = State::holding;
    if (std::exchange(inside_call_, false)) step.fx.granted();
}

void CountersPublished::release(const Context& ctx, Effects& fx) {
    Step step{ctx, fx};
    state_ = State::idle;
    loan_asked_ = false;
    for (ResourceId resource : wanted_) leave_token(step, branch(ctx, resource));
    wanted_.clear();
    values_.clear();
    fx.released();
    step.send_answers();
}

void CountersPublished::leave_token(Step& step, Branch& here) {
    Token& token = here.token;
    token.past.served[step.ctx.self] = number_;
    if (step.repairs().purge_queues) token.purge(step.ctx.self);
    if (token.lender) {
        const SiteId lender = *token.lender;
        remove_site(token.queue, lender);
        token.lender.reset();
        return send_token(step, here, lender);
    }
    if (token.queue.empty()) return;
    const SiteId next = token.queue.front().site;
    token.queue.erase(token.queue.begin());
    send_token(step, here, next);
}

// --- Lines 102 to 116: tokens and requests leave.

void CountersPublished::send_token(Step& step, Branch& here, SiteId to) {
    if (step.repairs().purge_queues) here.token.forget(to);
    step.tokens[to].push_back(here.token);
    here.father = to;
    here.owned = false;
}

void CountersPublished::ask_for(Step& step, Kind kind, ResourceId resource, ResourceSet missing) {
    Ask ask{.kind = kind, .resource = resource, .site = step.ctx.self, .number = number_};
    if (kind != Kind::counter) ask.mark = myself(step.ctx).mark;
    ask.missing = std::move(missing);
    step.asks[branches_.at(resource).father.value()].push_back(std::move(ask));
}

void CountersPublished::start_waiting(Step& step) {
    state_ = State::waiting;
    for (ResourceId resource : missing()) ask_for(step, Kind::token, resource);
    step.send_asks();
}

// --- Lines 159 to 189: a request arrives.

void CountersPublished::receive(const Context& ctx, SiteId, const Request& request, Effects& fx) {
    Step step{ctx, fx};
    for (const Ask& ask : request.asks) {
        Branch& here = branch(ctx, ask.resource);
        if (here.token.past.covers(ask)) continue;
        if (here.owned) {
            answer(step, ask);
        } else if (!request.visited.contains(here.father.value())) {
            store(step, here, ask);
            step.asks[*here.father].push_back(ask);
        }
    }
    step.send_asks(request.visited);
    step.send_answers();
}

void CountersPublished::answer(Step& step, const Ask& ask) {
    Branch& here = branches_.at(ask.resource);
    if (ask.kind == Kind::loan) return consider_loan(step, here, waiter_of(ask));
    if (!wants(ask.resource) || (state_ == State::counting && ask.kind != Kind::counter)) {
        if (ask.kind == Kind::counter && step.repairs().answer_once)
            here.token.past.counted[ask.site] = ask.number;
        return send_token(step, here, ask.site);
    }
    if (ask.kind == Kind::counter) return give_value(step, here, ask);
    const Waiter waiter = waiter_of(ask);
    if (std::ranges::find(here.token.queue, waiter) != here.token.queue.end()) return;
    if (state_ == State::waiting && waiter.before(myself(step.ctx))) return yield(step, here, ask.site);
    add(here.token.queue, waiter, step.repairs().purge_queues);
}

void CountersPublished::store(const Step& step, Branch& here, const Ask& ask) {
    const auto same_kind = [&](const Ask& one) { return one.site == ask.site && one.kind == ask.kind; };
    if (step.repairs().prune_pending) std::erase_if(here.pending, same_kind);
    if (std::ranges::find(here.pending, ask) == here.pending.end()) here.pending.push_back(ask);
}

void CountersPublished::give_value(Step& step, Branch& here, const Ask& ask) {
    here.token.past.counted[ask.site] = ask.number;
    step.values[ask.site].push_back({ask.resource, here.token.counter++, ask.number});
}

void CountersPublished::yield(Step& step, Branch& here, SiteId to) {
    add(here.token.queue, myself(step.ctx), step.repairs().purge_queues);
    send_token(step, here, to);
}

// --- Lines 117 to 132 and 190 to 207: loans.

void CountersPublished::consider_loan(Step& step, Branch& here, const Waiter& waiter) {
    const ResourceId resource = here.token.resource;
    if (here.token.past.covers(waiter)) return;
    if (step.repairs().no_own_loan && waiter.site == step.ctx.self) return;
    const bool no_use = !wants(resource) || state_ == State::counting;
    if (step.repairs().lend_wanted && no_use) return send_token(step, here, waiter.site);
    if (step.repairs().loan_is_request) {
        if (state_ == State::waiting && waiter.before(myself(step.ctx)))
            return yield(step, here, waiter.site);
        add(here.token.queue, plain(waiter), step.repairs().purge_queues);
    }
    if (can_lend(step.ctx, waiter))
        lend(step, waiter);
    else if (no_use)
        send_token(step, here, waiter.site);
    else
        add(here.token.loans, waiter, step.repairs().purge_queues);
}

bool CountersPublished::can_lend(const Context& ctx, const Waiter& waiter) const {
    if (!std::ranges::includes(owned(), waiter.missing) || !lent_.empty() || state_ == State::holding)
        return false;
    const auto borrowed = [](const auto& known) {
        return known.second.owned && known.second.token.lender.has_value();
    };
    if (std::ranges::any_of(branches_, borrowed)) return false;
    return state_ != State::waiting || !loan_asked_ || waiter.before(myself(ctx));
}

void CountersPublished::lend(Step& step, const Waiter& borrower) {
    for (ResourceId resource : borrower.missing) {
        Branch& here = branches_.at(resource);
        if (wants(resource) || !step.repairs().lend_wanted) {
            lent_.insert(resource);
            here.token.lender = step.ctx.self;
        }
        // As printed, a ReqLoan is removed from a list of ReqRes, which does not contain it.
        if (step.repairs().match_by_site) remove_site(here.token.queue, borrower.site);
        send_token(step, here, borrower.site);
    }
}

// Lines 248 to 252.
void CountersPublished::ask_loan(Step& step) {
    const ResourceSet lacking = missing();
    const std::size_t threshold = step.ctx.config.loans;
    const bool up_to = step.repairs().up_to_threshold && !lacking.empty() && lacking.size() <= threshold;
    if (threshold == 0 || !(up_to || lacking.size() == threshold)) return;
    if (state_ != State::waiting || loan_asked_) return;
    if (step.repairs().no_own_loan && !lent_.empty()) return;
    loan_asked_ = true;
    for (ResourceId resource : lacking) ask_for(step, Kind::loan, resource, lacking);
}

// --- Lines 133 to 158 and 208 to 254: tokens arrive.

void CountersPublished::receive(const Context& ctx, SiteId, const Tokens& arrival, Effects& fx) {
    Step step{ctx, fx};
    for (const Token& token : arrival.tokens) absorb(step, token);
    const bool waits = state_ == State::counting || state_ == State::waiting;
    if (missing().empty() && (waits || !step.repairs().enter_if_waiting))
        enter(step);
    else
        return_failed_loans(step);
    if (state_ == State::counting && uncounted_.empty()) start_waiting(step);
    serve_queues(step);
    serve_loans(step);
    ask_loan(step);
    step.send_answers();
    step.send_asks();
}

void CountersPublished::absorb(Step& step, const Token& token) {
    Branch& here = branch(step.ctx, token.resource);
    here.token = token;
    here.owned = true;
    here.father.reset();
    if (uncounted_.erase(token.resource) > 0) {
        values_[token.resource] = here.token.counter++;
        if (step.repairs().answer_once) here.token.past.counted[step.ctx.self] = number_;
    }
    lent_.erase(token.resource);
    merge_pending(step, here);
    if (step.repairs().purge_queues) here.token.purge(step.ctx.self);
}

void CountersPublished::merge_pending(Step& step, Branch& here) {
    const bool one_place = step.repairs().purge_queues;
    for (const Ask& ask : here.pending) {
        if (here.token.past.covers(ask)) continue;
        const Waiter waiter = waiter_of(ask);
        if (ask.kind == Kind::counter)
            give_value(step, here, ask);
        else if (ask.kind == Kind::loan)
            add(here.token.loans, waiter, one_place);
        if (ask.kind == Kind::token || (ask.kind == Kind::loan && step.repairs().loan_is_request))
            add(here.token.queue, plain(waiter), one_place);
    }
    if (step.repairs().prune_pending) here.pending.clear();
}

// Lines 217 to 223. Only a repaired site gets here while it holds.
void CountersPublished::return_failed_loans(Step& step) {
    for (ResourceId resource : owned()) {
        Branch& here = branches_.at(resource);
        const bool in_use = step.repairs().enter_if_waiting && state_ == State::holding && wants(resource);
        if (!here.token.lender || in_use) continue;
        const SiteId lender = *here.token.lender;
        if (step.repairs().clear_lender) here.token.lender.reset();
        if (step.repairs().requeue_borrower && state_ == State::waiting && wants(resource))
            add(here.token.queue, myself(step.ctx), step.repairs().purge_queues);
        send_token(step, here, lender);
        loan_asked_ = false;
    }
}

// Lines 226 to 239.
void CountersPublished::serve_queues(Step& step) {
    for (ResourceId resource : owned()) {
        Branch& here = branches_.at(resource);
        std::vector<Waiter>& queue = here.token.queue;
        if (queue.empty()) continue;
        const Waiter first = queue.front();
        const bool unwanted = step.repairs().serve_unwanted && !wants(resource);
        const bool yields = !unwanted && state_ == State::waiting && first.before(myself(step.ctx));
        if (!unwanted && !yields && state_ != State::counting) continue;
        queue.erase(queue.begin());
        if (yields)
            yield(step, here, first.site);
        else
            send_token(step, here, first.site);
    }
}

// Lines 240 to 247. As printed, the inner loop does not notice that the token has gone.
void CountersPublished::serve_loans(Step& step) {
    const bool repaired = step.repairs().keep_loans;
    for (ResourceId resource : owned()) {
        Branch& here = branches_.at(resource);
        if (!here.owned) continue;
        const std::vector<Waiter> copy = here.token.loans;
        if (!repaired) here.token.loans.clear();
        for (const Waiter& waiter : copy)
            if (here.owned || !repaired) consider_loan(step, here, waiter);
    }
}

// --- Lines 255 to 262: counter values arrive.

void CountersPublished::receive(const Context& ctx, SiteId from, const Counter& counter, Effects& fx) {
    Step step{ctx, fx};
    for (const Value& given : counter.values) {
        const bool awaited = uncounted_.contains(given.resource);
        if (step.repairs().name_values && (!awaited || given.number != number_)) continue;
        values_[given.resource] = given.value;
        uncounted_.erase(given.resource);
        if (awaited || !step.repairs().keep_father) branch(ctx, given.resource).father = from;
    }
    if (uncounted_.empty() && (state_ == State::counting || !step.repairs().name_values)) start_waiting(step);
}

// --- Buffered messages and local knowledge.

void CountersPublished::Step::send_asks(boost::container::flat_set<SiteId> visited) {
    visited.insert(ctx.self);
    for (auto& [to, list] : asks) fx.send(to, Request{visited, std::move(list)});
    asks.clear();
}

void CountersPublished::Step::send_answers() {
    for (auto& [to, list] : tokens) fx.send(to, Tokens{std::move(list)});
    for (auto& [to, list] : values) fx.send(to, Counter{std::move(list)});
}

// A resource exists from its first use on; until then the token is at site 0, as every site knows.
CountersPublished::Branch& CountersPublished::branch(const Context& ctx, ResourceId resource) {
    const auto [place, added] = branches_.try_emplace(resource);
    Branch& here = place->second;
    if (added) {
        here.token.resource = resource;
        here.owned = ctx.self == 0;
        if (!here.owned) here.father = 0;
    }
    return here;
}

bool CountersPublished::owns(ResourceId resource) const {
    const auto place = branches_.find(resource);
    return place != branches_.end() && place->second.owned;
}

ResourceSet CountersPublished::owned() const {
    ResourceSet names;
    for (const auto& [resource, here] : branches_)
        if (here.owned) names.insert(resource);
    return names;
}

ResourceSet CountersPublished::missing() const {
    ResourceSet names;
    for (ResourceId resource : wanted_)
        if (!owns(resource)) names.insert(resource);
    return names;
}

// The average covers the values that are not 0, whichever request they were given for.
Waiter CountersPublished::myself(const Context& ctx) const {
    counters::Mark mark{0, std::max(1u, static_cast<std::uint32_t>(values_.size()))};
    for (const auto& [resource, value] : values_) mark.sum += value;
    return {mark, ctx.self, number_, {}};
}

// --- Properties.

struct CountersPublished::Properties {
    const View<CountersPublished>& view;
    Report& report;

    const CountersPublished& site(SiteId id) const { return view.site(id).protocol; }
    SiteId sites() const { return static_cast<SiteId>(view.sites.size()); }

    std::set<ResourceId> resources() const {
        std::set<ResourceId> names;
        for (SiteId id = 0; id < sites(); ++id)
            for (const auto& [resource, branch] : site(id).branches_) names.insert(resource);
        return names;
    }

    template <class F>
    void for_each_token_under_way(F&& f) const {
        for (const auto* envelope : view.flight)
            if (const auto* arrival = std::get_if<Tokens>(&envelope->message))
                for (const Token& token : arrival->tokens) f(*envelope, token);
    }

    void check_token(ResourceId resource) const {
        multilock::Trail trail;
        for (SiteId id = 0; id < sites(); ++id) {
            const auto branch = site(id).branches_.find(resource);
            const bool known = branch != site(id).branches_.end();
            if (known ? branch->second.owned : id == 0) trail.places.push_back(id);
            if (known) trail.fathers.emplace_back(id, branch->second.father.value_or(id));
        }
        for_each_token_under_way([&](const auto& envelope, const Token& token) {
            if (token.resource != resource) return;
            trail.places.push_back(envelope.to);
            if (envelope.from == envelope.to)
                report.violated("not-to-itself", "site " + std::to_string(envelope.to) +
                                                     " sends the token of " + resource.name() + " to itself");
        });
        multilock::check_trail(resource, trail, report);
    }

    void check_memory(SiteId id) const {
        for (const auto& [resource, branch] : site(id).branches_) {
            std::set<std::pair<SiteId, Kind>> seen;
            for (const Ask& ask : branch.pending)
                if (!seen.emplace(ask.site, ask.kind).second)
                    report.violated("memory-bounded",
                                    "site " + std::to_string(id) + " stores more than one request of site " +
                                        std::to_string(ask.site) + " for " + resource.name());
        }
    }
};

void CountersPublished::on_state(const View<CountersPublished>& view, Report& report) {
    const Properties world{view, report};
    multilock::check_one_holder(view, report);
    multilock::check_used_with_token(
        view, report, [&](SiteId id, ResourceId resource) { return world.site(id).owns(resource); });
    for (ResourceId resource : world.resources()) world.check_token(resource);
    for (SiteId id = 0; id < world.sites(); ++id) world.check_memory(id);
}

namespace {

constexpr std::array properties{
    PropertyName{"one-holder", "no resource is used by two sites"},
    PropertyName{"one-token", "each resource has one token, at a site or in flight"},
    PropertyName{"used-with-token", "a site that uses a resource holds its token"},
    PropertyName{"way-to-token", "fathers lead to the token, or to where it will be"},
    PropertyName{"not-to-itself", "no site sends a token to itself"},
    PropertyName{"memory-bounded", "at most one request of each kind, site and resource is stored"},
};

}  // namespace

constinit const Model<CountersPublished> CountersPublished::model{
    .name = "counters-published",
    .problem = "multilock",
    .summary = "counters as printed in the paper, defects included",
    .source =
        "Lejeune, Arantes, Sopena and Sens: Reducing synchronization cost in distributed multi-resource "
        "allocation problem",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sample = &sample,
    .requests = multilock::named_requests<CountersPublished>(),
};

}  // namespace allot
