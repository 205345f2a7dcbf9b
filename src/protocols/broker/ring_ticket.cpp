#include "protocols/broker/ring_ticket.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "protocols/broker/model.hpp"

namespace allot {

namespace {

ring::Ticket draw_ticket(ring::Tickets& next, SiteId resource) {
    auto place = std::ranges::lower_bound(next, resource, {}, &ring::Ticket::owner);
    if (place == next.end() || place->owner != resource)
        place = next.insert(place, ring::Ticket{resource, Stamp{}});
    const ring::Ticket drawn = *place;
    *place = drawn.next();
    return drawn;
}

}  // namespace

void RingTicket::sample(Draw& draw) {
    const auto resources = draw.number("resources", 1, 4);
    const auto clients = draw.number("clients", 1, 5);
    draw.number("founders", resources, resources + clients);
    draw.number("max-request", 1, resources);
    draw.toggle("literal");
    draw.number("pace", 0, 1);
    draw.faults("crashes", 3);
    draw.requests(3);
}

void RingTicket::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void RingTicket::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::departed:
            return departed(ctx, peer, fx);
        default:
            return;
    }
}

void RingTicket::start(const Context& ctx, Effects& fx) {
    if (ctx.config.is_client(ctx.self)) return;
    role_ = Resource{.now = {ctx.self, Stamp{}}};
    if (ctx.self != 0) return;
    resource().token = Tickets{};
    visit(ctx, fx);
}

Phase RingTicket::phase() const {
    const auto* client = std::get_if<Client>(&role_);
    return client != nullptr ? client->phase : Phase::idle;
}

void RingTicket::request(const Context& ctx, const Demand& demand, Effects& fx) {
    const auto wanted = broker::resources_of(ctx.config, manner(ctx.config), demand);
    if (!wanted) return fx.refused(wanted.error());
    client() = {Phase::waiting, *wanted, {wanted->begin(), wanted->end()}};
    fx.send(wanted->front(), Request{*wanted});
}

// --- The token.

void RingTicket::receive(const Context& ctx, SiteId from, const Request& request, Effects& fx) {
    Resource& me = resource();
    me.wishes.push_back({from, request.wanted});
    if (me.token && me.unanswered == 0) visit(ctx, fx);  // the token rests here
}

void RingTicket::receive(const Context& ctx, SiteId, const Token& token, Effects& fx) {
    resource().token = token.next;
    visit(ctx, fx);
}

// A token on an idle ring rests until a client asks.
void RingTicket::visit(const Context& ctx, Effects& fx) {
    Resource& me = resource();
    if (me.wishes.empty()) {
        if (ctx.config.pace > 0) return fx.arm(Timer::pace, ctx.config.pace);
        return pass_on(ctx, fx);
    }
    fx.disarm(Timer::pace);
    if (ctx.config.literal) {
        me.unanswered = static_cast<std::uint32_t>(me.wishes.front().wanted.size());
        enter_lines(me.wishes.front(), fx);
        me.wishes.erase(me.wishes.begin());
        return;
    }
    for (const Wish& wish : me.wishes) enter_lines(wish, fx);
    me.wishes.clear();
    pass_on(ctx, fx);
}

void RingTicket::timeout(const Context& ctx, Timer, Effects& fx) {
    pass_on(ctx, fx);
}

void RingTicket::enter_lines(const Wish& wish, Effects& fx) {
    for (const SiteId wanted : wish.wanted)
        fx.send(wanted, Enter{wish.client, draw_ticket(*resource().token, wanted)});
}

void RingTicket::pass_on(const Context& ctx, Effects& fx) {
    if (ctx.config.resources == 1) return;
    fx.send((ctx.self + 1) % ctx.config.resources, Token{std::move(*resource().token)});
    resource().token.reset();
}

// --- The lines.

void RingTicket::receive(const Context& ctx, SiteId from, const Enter& enter, Effects& fx) {
    Resource& me = resource();
    Ticket ticket = enter.ticket;
    if (!ctx.config.repairs.in_turn) ticket = me.line.empty() ? me.now : me.line.rbegin()->first.next();
    me.line.emplace(ticket, enter.client);
    if (ticket == me.now)
        call(fx);
    else
        fx.reached("ticket-waited-for");
    if (ctx.config.literal) fx.send(from, Entered{});
}

void RingTicket::receive(const Context& ctx, SiteId, const Entered&, Effects& fx) {
    Resource& me = resource();
    if (--me.unanswered > 0) return;
    if (ctx.config.resources == 1 && !me.wishes.empty()) return visit(ctx, fx);
    pass_on(ctx, fx);
}

// Tells the client whose ticket is served, if that ticket has come.
void RingTicket::call(Effects& fx) {
    Resource& me = resource();
    for (auto turn = me.line.find(me.now); turn != me.line.end(); turn = me.line.find(me.now)) {
        if (turn->second) return fx.send(*turn->second, Ready{});
        fx.reached("gone-skipped");
        me.line.erase(turn);
        me.now = me.now.next();
    }
}

void RingTicket::finish_turn(Effects& fx) {
    Resource& me = resource();
    me.line.erase(me.now);
    me.now = me.now.next();
    call(fx);
}

void RingTicket::receive(const Context&, SiteId from, const Ready&, Effects& fx) {
    Client& me = client();
    me.missing.erase(from);
    if (!me.missing.empty()) return;
    me.phase = Phase::holding;
    fx.granted();
}

void RingTicket::release(const Context&, Effects& fx) {
    for (const SiteId used : client().wanted) fx.send(used, Done{});
    client() = {};
    fx.released();
}

void RingTicket::receive(const Context& ctx, SiteId from, const Done&, Effects& fx) {
    const auto turn = resource().line.find(resource().now);
    const bool is_served = turn != resource().line.end() && turn->second == from;
    if (!is_served) fx.reached("done-too-late");
    if (is_served || !ctx.config.repairs.match_done) finish_turn(fx);
}

bool RingTicket::watches(const Context&, SiteId peer) const {
    const auto* me = std::get_if<Resource>(&role_);
    if (me == nullptr) return false;
    const auto in_line = [&](const auto& place) { return place.second == peer; };
    return std::ranges::find(me->wishes, peer, &Wish::client) != me->wishes.end() ||
           std::ranges::any_of(me->line, in_line);
}

void RingTicket::departed(const Context& ctx, Peer peer, Effects& fx) {
    Resource& me = resource();
    std::erase_if(me.wishes, [&](const Wish& wish) { return wish.client == peer.site; });
    if (!ctx.config.repairs.skip_gone) return;
    const auto turn = me.line.find(me.now);
    const bool was_served = turn != me.line.end() && turn->second == peer.site;
    for (auto& [ticket, client] : me.line)
        if (client == peer.site) client.reset();
    if (was_served) finish_turn(fx);
}

// --- The normal form. The token may forget a resource whose tickets are all used.

void RingTicket::normalise(MutableView<RingTicket>& world) {
    rename_ids(world);
    const auto shorten = [](Tickets& next) {
        std::erase_if(next, [](const Ticket& ticket) { return ticket.number == Stamp{}; });
    };
    for (auto& site : world.sites)
        if (auto* resource = std::get_if<Resource>(&site.protocol.role_);
            resource != nullptr && resource->token)
            shorten(*resource->token);
    for (auto& envelope : world.flight)
        if (auto* token = std::get_if<Token>(&envelope.message)) shorten(token->next);
}

// --- States written by hand.

std::optional<std::string> RingTicket::state_error(const Context& ctx) const {
    const auto& config = ctx.config;
    const auto* client = std::get_if<Client>(&role_);
    if (auto why = broker::not_its_role(config, ctx.self, client != nullptr)) return why;
    if (client != nullptr) return broker::client_error(config, client->phase, client->wanted);
    for (const Wish& wish : resource().wishes) {
        if (auto why = broker::not_a_client(config, wish.client)) return why;
        if (auto why = broker::not_resources(config, wish.wanted)) return why;
    }
    for (const auto& [ticket, owner] : resource().line) {
        if (ticket.owner != ctx.self) return "tickets here are of site " + std::to_string(ctx.self);
        if (auto why = owner ? broker::not_a_client(config, *owner) : std::nullopt) return why;
    }
    return std::nullopt;
}

std::optional<std::string> RingTicket::message_error(const Context& receiver, const Message& message) {
    const Config& config = receiver.config;
    if (auto why = broker::not_its_message<Ready>(config, receiver.self, message)) return why;
    if (const auto* request = std::get_if<Request>(&message))
        return broker::not_resources(config, request->wanted);
    if (const auto* enter = std::get_if<Enter>(&message)) {
        if (auto why = broker::not_resources(config, {enter->ticket.owner})) return why;
        return broker::not_a_client(config, enter->client);
    }
    return std::nullopt;
}

// --- Properties.

struct RingTicket::Properties {
    using Line = boost::container::small_vector<SiteId, 4>;

    const View<RingTicket>& view;
    Report& report;
    // By resource: the tickets drawn there, in line or in flight, in the order of tickets.
    std::vector<std::vector<std::pair<Ticket, std::optional<SiteId>>>> drawn{};
    // By resource: the live clients that ask for it now, in the order of their newest tickets there.
    std::vector<Line> lines{};

    const Resource& resource(SiteId site) const { return view.site(site).protocol.resource(); }
    const ring::Resources& wanted(SiteId client) const { return view.site(client).protocol.client().wanted; }

    void collect() {
        drawn.resize(view.config.resources);
        for (SiteId site = 0; site < view.config.resources; ++site)
            drawn[site].assign(resource(site).line.begin(), resource(site).line.end());
        for (const auto* envelope : view.flight)
            if (const auto* enter = std::get_if<Enter>(&envelope->message);
                enter != nullptr && view.config.is_resource(envelope->to))
                drawn[envelope->to].emplace_back(enter->ticket, enter->client);
        for (auto& tickets : drawn) std::ranges::sort(tickets);
    }

    void check_users() const {
        for (SiteId site = view.config.resources; site < view.sites.size(); ++site) {
            if (!view.site(site).holding()) continue;
            for (const SiteId used : wanted(site)) {
                const auto turn = resource(used).line.find(resource(used).now);
                if (turn == resource(used).line.end() || turn->second != site)
                    report.violated("served-everywhere", "site " + std::to_string(site) + " uses " +
                                                             broker::name_of(used) + " out of turn");
            }
        }
    }

    void check_token() const {
        std::size_t tokens = 0;
        for (SiteId site = 0; site < view.config.resources; ++site)
            tokens += resource(site).token.has_value();
        for (const auto* envelope : view.flight) tokens += std::holds_alternative<Token>(envelope->message);
        if (tokens != 1) report.violated("one-token", "there are " + std::to_string(tokens) + " tokens");
    }

    void check_tickets(SiteId at) const {
        const auto& tickets = drawn[at];
        for (std::size_t i = 0; i < tickets.size(); ++i)
            if (tickets[i].first < resource(at).now || (i > 0 && tickets[i].first == tickets[i - 1].first))
                report.violated("one-ticket", "a ticket of " + broker::name_of(at) +
                                                  " was drawn twice, or ended before it was served");
    }

    void form_lines() {
        lines.resize(view.config.resources);
        std::vector<Line> asking(view.config.resources);
        for (SiteId client = view.config.resources; client < view.sites.size(); ++client)
            if (view.site(client).up())
                for (const SiteId at : wanted(client)) asking[at].push_back(client);
        std::vector<bool> missing(view.sites.size(), false);  // by client: it asks, and is not in line yet
        for (SiteId at = 0; at < view.config.resources; ++at) {
            for (const SiteId client : asking[at]) missing[client] = true;
            for (auto newest = drawn[at].rbegin(); newest != drawn[at].rend(); ++newest)
                if (const auto owner = newest->second; owner && missing[*owner]) {
                    missing[*owner] = false;
                    lines[at].push_back(*owner);
                }
            for (const SiteId client : asking[at]) missing[client] = false;
            std::ranges::reverse(lines[at]);
        }
    }

    // True if all clients can be served in the order of their lines, each when it is first everywhere. Then
    // no two of them wait for each other. This takes time in proportion to the tickets, not to the pairs of
    // clients.
    bool all_get_their_turn() const {
        std::vector<std::size_t> behind(view.sites.size(), 0);  // by client: lines in which it is not first
        std::vector<std::size_t> served(lines.size(), 0);       // by resource
        std::vector<SiteId> moved;                              // resources with a new first in line
        std::size_t left = 0;
        for (SiteId at = 0; at < lines.size(); ++at) {
            for (const SiteId client : lines[at]) ++behind[client];
            if (!lines[at].empty()) moved.push_back(at);
            left += lines[at].size();
        }
        const auto is_first = [&](SiteId client, SiteId at) {
            return served[at] < lines[at].size() && lines[at][served[at]] == client;
        };
        while (!moved.empty()) {
            const SiteId client = lines[moved.back()][served[moved.back()]];
            moved.pop_back();
            if (--behind[client] > 0) continue;
            for (const SiteId at : wanted(client)) {
                if (!is_first(client, at)) continue;
                --left;
                if (++served[at] < lines[at].size()) moved.push_back(at);
            }
        }
        return left == 0;
    }

    void check_order(SiteId one, SiteId other) const {
        if (!view.site(one).up()) return;
        std::optional<bool> one_is_first;
        for (const SiteId at : wanted(one)) {
            const auto mine = std::ranges::find(lines[at], one);
            const auto yours = std::ranges::find(lines[at], other);
            if (mine == lines[at].end() || yours == lines[at].end()) continue;
            if (one_is_first.value_or(mine < yours) != (mine < yours))
                report.violated("same-order", "sites " + std::to_string(one) + " and " +
                                                  std::to_string(other) + " wait for each other");
            one_is_first = mine < yours;
        }
    }
};

void RingTicket::on_state(const View<RingTicket>& view, Report& report) {
    Properties judge{view, report};
    judge.collect();
    broker::check_one_user(view, report);
    judge.check_users();
    judge.check_token();
    for (SiteId site = 0; site < view.config.resources; ++site) judge.check_tickets(site);
    judge.form_lines();
    if (judge.all_get_their_turn()) return;
    for (SiteId one = view.config.resources; one < view.sites.size(); ++one)
        for (SiteId other = view.config.resources; other < one; ++other) judge.check_order(one, other);
}

namespace {

constexpr std::array properties{
    PropertyName{"one-user", "each resource is used by at most one client"},
    PropertyName{"served-everywhere", "a client that uses resources has the ticket that each of them serves"},
    PropertyName{"one-token", "there is one token, at a resource or in flight"},
    PropertyName{"one-ticket", "each ticket is drawn once and does not end before it was served"},
    PropertyName{"same-order", "clients that meet at several resources have tickets in the same order"},
};
constexpr std::array<std::string_view, 3> probes{"ticket-waited-for", "gone-skipped", "done-too-late"};

}  // namespace

constinit const Model<RingTicket> RingTicket::model{
    .name = "ring-ticket",
    .problem = "broker",
    .summary = "unknown clients take any resources at once, by tickets that a token on a ring hands out",
    .source =
        "an idea of Datta, Devismes, Kawala, Larmore and Potop-Butucaru: Multi-resource Allocation with "
        "Unknown Participants, which proposes it for more than two resources",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sites = &broker::sites_of<RingTicket>,
    .founders = &broker::founders_of<RingTicket>,
    .sample = &sample,
    .requests = broker::client_requests<RingTicket>(),
    .timers = {.fair = &fair},
    .faults = broker::vanishing_clients<RingTicket>(),
    .reduction = {.normalise = &normalise},
    .handwritten = {.state_error = &RingTicket::state_error, .message_error = &message_error},
};

}  // namespace allot
