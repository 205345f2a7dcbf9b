#include "protocols/broker/strong_weak.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace allot {

void StrongWeak::sample(Draw& draw) {
    broker::sample(draw, manner({}));
    draw.faults("pace", 1);
}

void StrongWeak::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void StrongWeak::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::departed:
            return departed(ctx, peer, fx);
        default:
            return;
    }
}

void StrongWeak::start(const Context& ctx, Effects& fx) {
    if (ctx.config.is_client(ctx.self)) {
        client().request.owner = ctx.self;
        return;
    }
    const bool is_root = ctx.self == 0;
    role_ = Resource{.edge = {ctx.self, {}}, .token = is_root && ctx.config.repairs.token};
    if (ctx.config.repairs.pass_token) pass_token(ctx, fx);
}

Phase StrongWeak::phase() const {
    const auto* client = std::get_if<Client>(&role_);
    return client != nullptr ? client->phase : Phase::idle;
}

// The client.

void StrongWeak::request(const Context& ctx, const Demand& demand, Effects& fx) {
    const auto asked = broker::resources_of(ctx.config, manner(ctx.config), demand);
    if (!asked) return fx.refused(asked.error());
    Client& me = client();
    me.phase = Phase::waiting;
    me.request = me.request.next();
    me.asked = *asked;
    if (me.asked.size() == 1)
        fx.send(me.asked.back(), NewRequest{me.request, Role::single, std::nullopt});
    else
        fx.send(me.asked.back(), NewRequest{me.request, Role::weak, me.asked.front()});
}

void StrongWeak::receive(const Context& ctx, SiteId, const Grant& grant, Effects& fx) {
    Client& me = client();
    if (me.phase != Phase::waiting || !same_request(ctx.config, me.request, grant.request))
        return fx.reached("grant-too-late");
    me.phase = Phase::holding;
    fx.granted();
}

void StrongWeak::release(const Context&, Effects& fx) {
    client().phase = Phase::leaving;
    fx.send(client().asked.back(), Done{client().request});
}

void StrongWeak::cancel(const Context&, Effects& fx) {
    client().phase = Phase::leaving;
    fx.send(client().asked.back(), Cancel{client().request});
}

void StrongWeak::receive(const Context& ctx, SiteId, const EndAck& ack, Effects& fx) {
    Client& me = client();
    if (me.phase != Phase::leaving || !same_request(ctx.config, me.request, ack.request)) return;
    me.phase = Phase::idle;
    me.asked.clear();
    fx.released();
}

// Queries of a resource.

const StrongWeak::QueuedRequest& StrongWeak::head() const {
    ensure(!resource().line.empty(), "the first of an empty line");
    return resource().line.front();
}

// True if this edge leads from here now.
bool StrongWeak::is_current(const Config& config, EdgeId edge) const {
    const Resource& me = resource();
    return same_edge(config, me.edge, edge) && !me.line.empty() && head().role == Role::strong;
}

// The request that stands in line here because of that edge.
StrongWeak::Line::const_iterator StrongWeak::led_here(const Config& config, EdgeId edge) const {
    return std::ranges::find_if(resource().line, [&](const QueuedRequest& entry) {
        return entry.edge && same_edge(config, *entry.edge, edge);
    });
}

// The same, if it waits: the first in line has its grant.
bool StrongWeak::waits_here(const Config& config, EdgeId edge) const {
    const auto place = led_here(config, edge);
    return place != resource().line.end() && place != resource().line.begin();
}

StrongWeak::Line::const_iterator StrongWeak::in_line(const Config& config, RequestId request) const {
    return std::ranges::find_if(resource().line, [&](const QueuedRequest& entry) {
        return same_request(config, entry.request, request);
    });
}

std::map<OwnId, SiteId>::const_iterator StrongWeak::set_aside(const Config& config, RequestId request) const {
    return std::ranges::find_if(resource().aside,
                                [&](const auto& one) { return same_request(config, one.first, request); });
}

// Requests.

void StrongWeak::receive(const Context& ctx, SiteId, const NewRequest& news, Effects& fx) {
    Resource& me = resource();
    if (me.cancelled.erase(news.request) > 0) {
        fx.reached("cancel-first");
        return fx.send(news.request.owner, EndAck{news.request});
    }
    if (news.role == Role::weak) {
        me.aside.emplace(news.request, *news.other);
        return fx.send(*news.other, NewRequest{news.request, Role::strong, ctx.self});
    }
    me.line.push_back({news.request, news.role, news.other, std::nullopt});
    if (me.line.size() == 1) head_changed(ctx, fx);
}

// Every older edge is outdated from now on.
void StrongWeak::head_changed(const Context&, Effects& fx) {
    Resource& me = resource();
    me.edge = me.edge.next();
    if (me.line.empty()) return;
    if (head().role == Role::strong)
        fx.send(*head().other, NewStrong{head().request, me.edge, me.token});
    else
        fx.send(head().request.owner, Grant{head().request});
}

void StrongWeak::receive(const Context& ctx, SiteId from, const NewStrong& news, Effects& fx) {
    Resource& me = resource();
    const auto place = set_aside(ctx.config, news.request);
    if (place == me.aside.end()) return fx.reached("late-newstrong");
    me.line.push_back({place->first, Role::weak, place->second, news.edge});
    me.aside.erase(place);
    if (me.line.size() == 1) return head_changed(ctx, fx);
    follow(ctx, news.edge, {news.token, news.edge, std::nullopt}, {from}, news.edge, fx);
}

// The search for cycles.

// A probe follows the edge that leads from here. Without one, the first in line is running: no cycle.
void StrongWeak::follow(const Context& ctx, EdgeId init, Victim victim,
                        boost::container::flat_set<SiteId> passed, EdgeId arrived_on, Effects& fx) const {
    const Resource& me = resource();
    if (!ctx.config.repairs.search || head().role != Role::strong) return;
    const Victim myself{me.token, me.edge, arrived_on};
    if (myself.comes_before(victim)) victim = myself;
    passed.insert(ctx.self);
    fx.send(*head().other, Probe{init, me.edge, victim, std::move(passed)});
}

void StrongWeak::receive(const Context& ctx, SiteId, const Probe& probe, Effects& fx) {
    const auto& repairs = ctx.config.repairs;
    if (repairs.check_hop && !waits_here(ctx.config, probe.hop)) return fx.reached("probe-dropped");
    if (probe.init.owner != ctx.self) {
        // A cycle without the initiator: the last edge of that cycle finds it.
        if (probe.passed.contains(ctx.self)) return fx.reached("probe-dropped");
        if (resource().line.empty()) return;
        return follow(ctx, probe.init, probe.victim, probe.passed, probe.hop, fx);
    }
    if (!is_current(ctx.config, probe.init)) return fx.reached("probe-dropped");
    fx.reached("circle");
    if (probe.victim.token) fx.reached("token-victim");
    ensure(repairs.rank_holders || !probe.victim.token, "a cycle without a victim");
    if (probe.victim.edge.owner == ctx.self) return undo_edge(probe.hop, fx);
    fx.reached("remote-victim");
    fx.send(probe.victim.edge.owner, RemoteKill{probe.victim.edge, probe.victim.pred});
}

// Undoing an edge.

void StrongWeak::undo_edge(std::optional<EdgeId> pred, Effects& fx) const {
    ensure(head().role == Role::strong, "an edge leads on only from a strong request");
    fx.send(*head().other, KillLoop{resource().edge, pred});
}

void StrongWeak::receive(const Context& ctx, SiteId, const RemoteKill& kill, Effects& fx) {
    if (is_current(ctx.config, kill.edge)) undo_edge(kill.pred, fx);
}

void StrongWeak::receive(const Context& ctx, SiteId from, const KillLoop& kill, Effects& fx) {
    Resource& me = resource();
    const auto place = led_here(ctx.config, kill.edge);
    const bool granted = place == me.line.begin() && ctx.config.repairs.consent;
    if (place == me.line.end() || granted) return fx.reached("consent-refused");
    me.aside.emplace(place->request, *place->other);
    me.line.erase(place);
    fx.send(from, KillAck{kill.edge, kill.pred});
}

void StrongWeak::receive(const Context& ctx, SiteId, const KillAck& ack, Effects& fx) {
    if (!is_current(ctx.config, ack.edge)) return;
    fx.reached("edge-undone");
    auto& line = resource().line;
    std::rotate(line.begin(), line.begin() + 1, line.end());
    promote(ctx.config, ack.pred, fx);
    head_changed(ctx, fx);
}

// A weak request stands in line only while its strong one is first, so it may be granted right away.
void StrongWeak::promote(const Config& config, std::optional<EdgeId> pred, Effects& fx) {
    if (!config.repairs.promote || !pred) return;
    auto& line = resource().line;
    const auto waited = line.begin() + (led_here(config, *pred) - line.begin());
    if (waited == line.end()) return;
    fx.reached("promoted");
    std::rotate(line.begin(), waited, waited + 1);
}

// The end of a request.

StrongWeak::QueuedRequest StrongWeak::remove(const Context& ctx, Line::const_iterator place, Effects& fx) {
    auto& line = resource().line;
    const QueuedRequest gone = *place;
    const bool was_first = place == line.begin();
    line.erase(place);
    if (was_first) head_changed(ctx, fx);
    return gone;
}

void StrongWeak::receive(const Context& ctx, SiteId, const Done& done, Effects& fx) {
    const auto& line = resource().line;
    if (line.empty() || !same_request(ctx.config, head().request, done.request))
        return fx.reached("late-done");
    const QueuedRequest over = remove(ctx, line.begin(), fx);
    if (over.role == Role::weak) return fx.send(*over.other, Done{over.request});
    fx.send(over.request.owner, EndAck{over.request});
    unmark(ctx, over.request, fx);
}

void StrongWeak::receive(const Context& ctx, SiteId, const Cancel& cancel, Effects& fx) {
    Resource& me = resource();
    if (const auto place = set_aside(ctx.config, cancel.request); place != me.aside.end()) {
        fx.send(place->second, Cancel{cancel.request});
        me.aside.erase(place);
        return;
    }
    const auto place = in_line(ctx.config, cancel.request);
    if (place == me.line.end()) {
        me.cancelled.insert(cancel.request);
        return;
    }
    const QueuedRequest over = remove(ctx, place, fx);
    if (over.role == Role::weak) return fx.send(*over.other, Cancel{over.request});
    fx.send(over.request.owner, EndAck{over.request});
    unmark(ctx, over.request, fx);
}

bool StrongWeak::watches(const Context&, SiteId peer) const {
    const auto* me = std::get_if<Resource>(&role_);
    if (me == nullptr) return false;
    const auto is_theirs = [&](RequestId request) { return request.owner == peer; };
    return std::ranges::any_of(me->line, is_theirs, &QueuedRequest::request) ||
           std::ranges::any_of(me->aside, [&](const auto& one) { return is_theirs(one.first); }) ||
           std::ranges::any_of(me->cancelled, is_theirs);
}

void StrongWeak::departed(const Context& ctx, Peer peer, Effects& fx) {
    Resource& me = resource();
    const auto is_theirs = [&](RequestId request) { return request.owner == peer.site; };
    std::erase_if(me.cancelled, is_theirs);
    std::erase_if(me.aside, [&](const auto& one) { return is_theirs(one.first); });
    const auto place = std::ranges::find_if(me.line, is_theirs, &QueuedRequest::request);
    if (place == me.line.end()) return;
    if (place == me.line.begin()) fx.reached("vanished-first");
    unmark(ctx, remove(ctx, place, fx).request, fx);
}

// States written by hand.

namespace {

std::optional<std::string> pair_error(const StrongWeak::Config& config, OwnId request, strong_weak::Role role,
                                      const std::optional<SiteId>& other) {
    if (auto why = broker::not_a_client(config, request.owner)) return why;
    if ((role == strong_weak::Role::single) != !other)
        return "other: write the other resource where role is strong or weak, and null where it is single";
    return other ? broker::not_resources(config, {*other}) : std::nullopt;
}

}  // namespace

std::optional<std::string> StrongWeak::state_error(const Context& ctx) const {
    const auto& config = ctx.config;
    const auto* client = std::get_if<Client>(&role_);
    if (auto why = broker::not_its_role(config, ctx.self, client != nullptr)) return why;
    if (client != nullptr) {
        if (client->asked.size() > 2) return "at most two resources are asked";
        return broker::client_error(config, client->phase, client->asked);
    }
    for (const QueuedRequest& entry : resource().line) {
        if (auto why = pair_error(config, entry.request, entry.role, entry.other)) return why;
        if (entry.role == Role::weak && !entry.edge)
            return "a weak entry in line has an edge that leads there";
    }
    for (const auto& [request, strong] : resource().aside)
        if (auto why = pair_error(config, request, Role::weak, strong)) return why;
    return std::nullopt;
}

std::optional<std::string> StrongWeak::message_error(const Context& receiver, const Message& message) {
    const Config& config = receiver.config;
    if (auto why = broker::not_its_message<Grant, EndAck>(config, receiver.self, message)) return why;
    if (const auto* request = std::get_if<NewRequest>(&message))
        return pair_error(config, request->request, request->role, request->other);
    return std::nullopt;
}

// The token.

void StrongWeak::receive(const Context& ctx, SiteId, const Token&, Effects& fx) {
    Resource& me = resource();
    me.token = true;
    for (const QueuedRequest& entry : me.line)
        if (entry.role != Role::weak) me.marked.insert(entry.request);
    if (!ctx.config.repairs.pass_token) return;
    if (ctx.config.pace > 0 && me.line.empty())
        fx.arm(Timer::pace, ctx.config.pace);
    else
        pass_token(ctx, fx);
}

void StrongWeak::timeout(const Context& ctx, Timer, Effects& fx) {
    pass_token(ctx, fx);
}

void StrongWeak::unmark(const Context& ctx, RequestId request, Effects& fx) {
    resource().marked.erase(request);
    pass_token(ctx, fx);
}

void StrongWeak::pass_token(const Context& ctx, Effects& fx) {
    Resource& me = resource();
    if (!me.token || !me.marked.empty() || ctx.config.resources == 1) return;
    me.token = false;
    fx.disarm(Timer::pace);
    fx.send((ctx.self + 1) % ctx.config.resources, Token{});
}

}  // namespace allot
