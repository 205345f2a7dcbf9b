#include "protocols/multilock/counters.hpp"

#include <algorithm>
#include <limits>

#include "base/ensure.hpp"
#include "core/domain.hpp"
#include "core/draw.hpp"
#include "protocols/agreement/home.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

using counters::Improvement;
using counters::ResourceSet;

// --- Configurations and demands.

SiteId Counters::Config::home(ResourceId resource) const {
    return agreement::home_of(resource, homes == 0 ? sites : homes);
}

SiteId Counters::Config::origin(ResourceId resource) const {
    return homes == 0 ? SiteId(0) : home(resource);
}

std::optional<std::string> Counters::config_error(const Config& config) {
    if (config.homes > config.sites)
        return "--homes " + std::to_string(config.homes) + ": write a number from 0 (all) to " +
               std::to_string(config.sites);
    return multilock::resources_error(config.resources, config.max_request);
}

// A mark is a fraction. Clocks and counters grow by one per request, and never wrap.
std::optional<Domain> Counters::domain(const Context&, std::string_view member) {
    for (const std::string_view grows : {"clock", "counter", "value"})
        if (member == grows) return Domain{0, std::uint64_t{1} << 63};
    if (member == "count") return Domain{1, std::numeric_limits<std::uint32_t>::max()};
    return std::nullopt;
}

std::vector<Demand> Counters::demands(const Context& ctx) {
    // The lists in messages have the caller's order, so another order for each site would only add equivalent
    // states.
    constexpr SiteId anybody = 0;
    return multilock::demands(multilock::resources_of(ctx.config), anybody);
}

// No site may crash: its tokens would be lost.
void Counters::sample(Draw& draw) {
    draw.number("sites", 2, 5);
    const auto resources = draw.number("resources", 1, 4);
    draw.number("max-request", 0, resources);
    draw.number("loans", 0, 3);
    draw.number("homes", 0, 2);
    draw.choice("improve", {"all", "none", "stop,single", "lamport,home", "home", "early-loan,reask",
                            "stop,single,lamport,early-loan,reask"});
    draw.choice("links", {"fifo", "unordered"});
    draw.toggle("cancel");
    draw.requests(6);
}

// --- Asking.

void Counters::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Counters::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(state_ == State::idle, "a request while another is open");
    if (auto why = multilock::demand_error(demand)) return fx.refused(std::move(*why));
    Step step{ctx, fx};
    state_ = State::counting;
    ++number_;
    wanted_ = demand.resources;
    for (ResourceId resource : wanted_) {
        if (Branch& here = branch(ctx, resource); here.token) {
            sum_ += take(step, *here.token, clock_);
        } else {
            uncounted_.insert(resource);
            ask_for(step, Kind::counter, resource);
        }
    }
    if (uncounted_.empty()) enter(step);
    step.send();
}

void Counters::ask_for(Step& step, Kind kind, ResourceId resource, ResourceSet missing) {
    Ask ask{.kind = kind, .resource = resource, .site = step.ctx.self, .number = number_};
    SiteId to = branches_.at(resource).father;
    if (kind == Kind::counter) {
        ask.clock = clock_;
        ask.single = step.improves(Improvement::single) && wanted_.size() == 1;
        const SiteId home = step.config().home(resource);
        if (step.improves(Improvement::home) && home != step.ctx.self) to = home;
    } else {
        ask.mark = myself(step.ctx).mark;
        ask.missing = std::move(missing);
    }
    send_ask(step, to, std::move(ask));
}

void Counters::send_ask(Step& step, SiteId to, Ask ask) {
    if (step.improves(Improvement::home)) {
        const Branch& here = branches_.at(ask.resource);
        ask.holder = here.father;
        ask.hop = here.father_hop;
    }
    step.asks[to].push_back(std::move(ask));
}

void Counters::receive(const Context& ctx, SiteId from, const Counter& counter, Effects& fx) {
    Step step{ctx, fx};
    for (const Value& given : counter.values) {
        see(step, given.value);
        // Ignore a value that came another way in the meantime, or for an earlier request: a second one would
        // change the mark, or send a holder back to waiting (E2), and cut the way to the token (E3).
        if (given.number != number_ || uncounted_.erase(given.resource) == 0) {
            fx.reached("stale-counter");
            continue;
        }
        sum_ += given.value;
        Branch& here = branches_.at(given.resource);
        if (step.improves(Improvement::home) && given.hop <= here.father_hop) continue;
        here.father = from;
        here.father_hop = given.hop;
    }
    if (state_ == State::counting && uncounted_.empty()) {
        start_waiting(step);
        if (step.improves(Improvement::early_loan)) ask_loan(step);
    }
    step.send();
}

void Counters::start_waiting(Step& step) {
    state_ = State::waiting;
    for (ResourceId resource : wanted_)
        if (!owns(resource)) ask_for(step, Kind::token, resource);
}

void Counters::ask_loan(Step& step) {
    if (state_ != State::waiting || !lent_.empty()) return;  // a site need not borrow what it has lent (E14)
    const ResourceSet lacking = missing();
    if (lacking.empty() || lacking.size() > step.config().loans) return;
    if (!asked_.empty()) {
        const bool less = lacking.size() < asked_.size() && std::ranges::includes(asked_, lacking);
        if (!step.improves(Improvement::reask) || !less) return;
        step.fx.reached("loan-asked-again");
    }
    asked_ = lacking;
    for (ResourceId resource : lacking) ask_for(step, Kind::loan, resource, lacking);
}

void Counters::enter(Step& step) {
    state_ = State::holding;
    std::vector<Fence> fences;
    for (ResourceId resource : wanted_) {
        Token& token = *branches_.at(resource).token;
        token.fence = token.fence.next();
        fences.push_back(token.fence);
    }
    step.fx.granted(std::move(fences));
}

// --- Answering.

void Counters::receive(const Context& ctx, SiteId, const Request& request, Effects& fx) {
    Step step{ctx, fx};
    for (const Ask& ask : request.asks) {
        ensure(ask.site != ctx.self, "no site asks itself");
        Branch& here = branch(ctx, ask.resource);
        if (here.obsolete(ask))
            fx.reached("obsolete-ask");
        else if (here.token)
            answer(step, ask);
        else
            pass_on(step, request.visited, ask);
    }
    step.send(request.visited);
}

void Counters::answer(Step& step, const Ask& ask) {
    Token& token = *branches_.at(ask.resource).token;
    const bool wants_value = ask.kind == Kind::counter && !ask.single;
    if (!wants(ask.resource) || (state_ == State::counting && !wants_value)) {
        // The token is the answer; copies of the question are answered with it (E1).
        if (ask.kind == Kind::counter) token.past.counted[ask.site] = ask.number;
        return send_token(step, ask.resource, ask.site);
    }
    if (wants_value) return give_value(step, ask);
    if (ask.single) return consider(step, ask.resource, price(step, ask));
    consider(step, ask.resource, Waiter{ask.mark, ask.site, ask.number, ask.missing});
}

void Counters::give_value(Step& step, const Ask& ask) {
    Token& token = *branches_.at(ask.resource).token;
    token.past.counted[ask.site] = ask.number;
    step.values[ask.site].push_back({ask.resource, take(step, token, ask.clock), ask.number, token.hop});
}

// A request for one resource need not know its mark: the queue does.
Counters::Waiter Counters::price(Step& step, const Ask& ask) {
    step.fx.reached("single-queued");
    Token& token = *branches_.at(ask.resource).token;
    token.past.counted[ask.site] = ask.number;
    Waiter waiter{{take(step, token, ask.clock), 1}, ask.site, ask.number, {}};
    if (step.improves(Improvement::early_loan) && step.config().loans > 0) waiter.missing = {ask.resource};
    return waiter;
}

// Another site wants a token that I hold, and to which I have a right unless its request comes first.
void Counters::consider(Step& step, ResourceId resource, const Waiter& waiter) {
    if (state_ == State::waiting && waiter.before(myself(step.ctx)))
        return yield(step, resource, waiter.site);
    branches_.at(resource).token->enqueue(waiter);
    if (can_lend(step, waiter)) lend(step, waiter);
}

bool Counters::can_lend(const Step& step, const Waiter& waiter) const {
    const auto here = [&](ResourceId resource) { return owns(resource); };
    const auto mine = [&](ResourceId resource) { return wants(resource); };
    return state_ == State::waiting && lent_.empty() &&
           (asked_.empty() || step.improves(Improvement::reask)) &&
           std::ranges::all_of(waiter.missing, here) && std::ranges::any_of(waiter.missing, mine);
}

// A token that I do not need is given, not lent (E8).
void Counters::lend(Step& step, const Waiter& borrower) {
    step.fx.reached("loan-granted");
    const ResourceSet loan = borrower.missing;
    for (ResourceId resource : loan) {
        if (wants(resource)) {
            lent_.insert(resource);
            branches_.at(resource).token->lender = step.ctx.self;
        }
        send_token(step, resource, borrower.site);
    }
}

void Counters::yield(Step& step, ResourceId resource, SiteId to) {
    step.fx.reached("yielded");
    branches_.at(resource).token->enqueue(myself(step.ctx));
    send_token(step, resource, to);
}

void Counters::send_token(Step& step, ResourceId resource, SiteId to) {
    Branch& here = branches_.at(resource);
    ensure(here.token.has_value(), "only the site with a token sends it");
    ensure(to != step.ctx.self, "no token is sent to its sender");
    Token token = std::move(*here.token);
    here.token.reset();
    token.dequeue(to);
    token.counter = std::max(token.counter, clock_);  // with Lamport times a token carries the clock, too
    if (step.improves(Improvement::home)) {
        token.hop = token.hop.next();
        const SiteId home = step.config().home(resource);
        if (home != step.ctx.self && home != to) step.moves[home].push_back({resource, to, token.hop});
    }
    here.father = to;
    here.father_hop = token.hop;
    here.past = token.past;
    step.tokens[to].push_back(std::move(token));
}

// The token is not here: the request is stored here, and usually goes on.
void Counters::pass_on(Step& step, const boost::container::flat_set<SiteId>& visited, const Ask& ask) {
    Branch& here = branches_.at(ask.resource);
    if (step.improves(Improvement::home) && ask.hop > here.father_hop) {
        if (ask.holder == step.ctx.self) {
            step.fx.reached("token-on-its-way");
            return here.keep(ask);
        }
        step.fx.reached("newer-pointer");
        here.father = ask.holder;
        here.father_hop = ask.hop;
    }
    if (stops(step, ask)) {
        step.fx.reached("stopped");
        return here.keep(ask);
    }
    if (!visited.contains(here.father)) {
        here.keep(ask);
        return send_ask(step, here.father, ask);
    }
    step.fx.reached("stored-at-the-end");
    if (step.config().repairs.store_at_end) here.keep(ask);
}

// True if I shall have the token before the other request may: it need not follow the token.
bool Counters::stops(const Step& step, const Ask& ask) const {
    if (!step.improves(Improvement::stop) || ask.kind == Kind::counter) return false;
    const Waiter other{ask.mark, ask.site, ask.number, {}};
    const bool mine_first = state_ == State::waiting && wants(ask.resource) && myself(step.ctx).before(other);
    return mine_first || lent_.contains(ask.resource);
}

void Counters::receive(const Context& ctx, SiteId, const Hint& hint, Effects&) {
    for (const Whereabouts& move : hint.moves) {
        Branch& here = branch(ctx, move.resource);
        if (here.token || move.hop <= here.father_hop) continue;
        here.father = move.holder;
        here.father_hop = move.hop;
    }
}

// --- Tokens come and go.

void Counters::receive(const Context& ctx, SiteId, const Tokens& arrival, Effects& fx) {
    Step step{ctx, fx};
    // No site wants any of the other tokens that are here.
    ResourceSet affected(wanted_.begin(), wanted_.end());
    for (const Token& token : arrival.tokens) {
        affected.insert(token.resource);
        absorb(step, token);
    }
    const bool waits = state_ == State::counting || state_ == State::waiting;
    if (waits && missing().empty()) enter(step);
    return_failed_loans(step, affected);
    if (state_ == State::counting && uncounted_.empty()) start_waiting(step);
    serve_queues(step, affected);
    ask_loan(step);
    step.send();
}

void Counters::absorb(Step& step, const Token& token) {
    Branch& here = branch(step.ctx, token.resource);
    ensure(!here.token, "a second token of one resource");
    here.token = token;
    here.past = {};
    here.father = 0;
    here.father_hop = Stamp{};
    lent_.erase(token.resource);
    see(step, token.counter - 1);
    if (!wants(token.resource)) step.fx.reached("token-without-use");
    if (uncounted_.erase(token.resource) > 0) {
        sum_ += take(step, *here.token, clock_);
        here.token->past.counted[step.ctx.self] = number_;
    }
    merge_pending(step, here);
    here.token->purge(step.ctx.self);
}

void Counters::merge_pending(Step& step, Branch& here) {
    const auto pending = std::move(here.pending);
    here.pending.clear();
    for (const auto& [who, ask] : pending) {
        if (here.obsolete(ask)) continue;
        if (ask.kind == Kind::counter && !ask.single)
            give_value(step, ask);
        else if (ask.kind == Kind::counter)
            here.token->enqueue(price(step, ask));
        else
            here.token->enqueue({ask.mark, ask.site, ask.number, ask.missing});
    }
}

// A borrowed token that did not let me enter goes back at once.
void Counters::return_failed_loans(Step& step, const ResourceSet& affected) {
    for (ResourceId resource : affected) {
        if (!owns(resource)) continue;
        Token& token = *branches_.at(resource).token;
        if (!token.lender || (state_ == State::holding && wants(resource))) continue;
        step.fx.reached("loan-failed");
        const SiteId lender = *token.lender;
        if (step.config().repairs.clear_lender) token.lender.reset();
        // The loan took my place in the queue (E5).
        if (state_ == State::waiting && wants(resource)) token.enqueue(myself(step.ctx));
        asked_.clear();
        send_token(step, resource, lender);
    }
}

// A token goes to the first request in its queue; one that stays here may be lent.
void Counters::serve_queues(Step& step, const ResourceSet& affected) {
    for (ResourceId resource : affected) {
        if (!owns(resource)) continue;
        const Token& token = *branches_.at(resource).token;
        if (token.queue.empty()) continue;
        const Waiter first = token.queue.front();
        if (!wants(resource) || state_ == State::counting)
            send_token(step, resource, first.site);
        else if (state_ == State::waiting && first.before(myself(step.ctx)))
            yield(step, resource, first.site);
    }
    for (ResourceId resource : affected) {
        if (!owns(resource)) continue;  // not here, or just lent, together with another (E9)
        const auto queue = branches_.at(resource).token->queue;
        const auto borrower =
            std::ranges::find_if(queue, [&](const Waiter& waiter) { return can_lend(step, waiter); });
        if (borrower != queue.end()) lend(step, *borrower);
    }
}

void Counters::release(const Context& ctx, Effects& fx) {
    Step step{ctx, fx};
    let_go(step);
}

void Counters::cancel(const Context& ctx, Effects& fx) {
    Step step{ctx, fx};
    if (!lent_.empty()) fx.reached("lender-withdrew");
    let_go(step);
}

void Counters::let_go(Step& step) {
    for (ResourceId resource : wanted_)
        if (owns(resource)) leave_token(step, resource);
    state_ = State::idle;
    wanted_.clear();
    uncounted_.clear();
    sum_ = 0;
    lent_.clear();
    asked_.clear();
    step.fx.released();
    step.send();
}

void Counters::leave_token(Step& step, ResourceId resource) {
    Token& token = *branches_.at(resource).token;
    token.past.served[step.ctx.self] = number_;
    token.purge(step.ctx.self);
    if (token.lender) {
        const SiteId lender = *token.lender;
        token.lender.reset();
        return send_token(step, resource, lender);
    }
    if (!token.queue.empty()) send_token(step, resource, token.queue.front().site);
}

// Tokens first: on ordered links, they arrive before the rest.
void Counters::Step::send(boost::container::flat_set<SiteId> visited) {
    visited.insert(ctx.self);
    for (auto& [to, list] : tokens) fx.send(to, Tokens{std::move(list)});
    for (auto& [to, list] : values) fx.send(to, Counter{std::move(list)});
    for (auto& [to, list] : asks) fx.send(to, Request{visited, std::move(list)});
    for (auto& [to, list] : moves) fx.send(to, Hint{std::move(list)});
}

// --- Local knowledge.

// A resource exists from its first use on; until then the token is at its origin, as every site knows.
Counters::Branch& Counters::branch(const Context& ctx, ResourceId resource) {
    const auto [place, added] = branches_.try_emplace(resource);
    if (added) {
        place->second.father = ctx.config.origin(resource);
        if (place->second.father == ctx.self) place->second.token = Token{.resource = resource};
    }
    return place->second;
}

std::map<ResourceId, std::vector<SiteId>> Counters::queues() const {
    std::map<ResourceId, std::vector<SiteId>> all;
    for (const auto& [resource, branch] : branches_) {
        if (!branch.token) continue;
        if (wants(resource)) all[resource];
        for (const Waiter& waiter : branch.token->queue) all[resource].push_back(waiter.site);
    }
    return all;
}

bool Counters::owns(ResourceId resource) const {
    const auto place = branches_.find(resource);
    return place != branches_.end() && place->second.token.has_value();
}

bool Counters::wants(ResourceId resource) const {
    return std::ranges::find(wanted_, resource) != wanted_.end();
}

ResourceSet Counters::missing() const {
    ResourceSet names;
    for (ResourceId resource : wanted_)
        if (!owns(resource)) names.insert(resource);
    return names;
}

// The next value of a counter for a request with this clock.
std::uint64_t Counters::take(Step& step, Token& token, std::uint64_t clock) {
    const std::uint64_t value = token.take(std::max(clock, clock_));
    see(step, value);
    return value;
}

void Counters::see(const Step& step, std::uint64_t value) {
    if (step.improves(Improvement::lamport)) clock_ = std::max(clock_, value + 1);
}

Counters::Waiter Counters::myself(const Context& ctx) const {
    return {{sum_, static_cast<std::uint32_t>(wanted_.size())}, ctx.self, number_, {}};
}

}  // namespace allot
