#include "protocols/broker/ordered_chain.hpp"

#include <algorithm>

#include "protocols/broker/model.hpp"

namespace allot {

void OrderedChain::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void OrderedChain::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::departed:
            return departed(ctx, peer, fx);
        default:
            return;
    }
}

void OrderedChain::start(const Context& ctx, Effects&) {
    if (ctx.config.is_resource(ctx.self))
        role_ = Resource{};
    else
        client().request.owner = ctx.self;
}

Phase OrderedChain::phase() const {
    const auto* client = std::get_if<Client>(&role_);
    return client != nullptr ? client->phase : Phase::idle;
}

void OrderedChain::request(const Context& ctx, const Demand& demand, Effects& fx) {
    auto wanted = broker::resources_of(ctx.config, manner(ctx.config), demand);
    if (!wanted) return fx.refused(wanted.error());
    std::ranges::sort(*wanted);
    Client& me = client();
    me.phase = Phase::waiting;
    me.request = me.request.next();
    me.wanted = *wanted;
    fx.send(me.wanted.front(), Acquire{me.request, {me.wanted.begin() + 1, me.wanted.end()}});
}

// The first request in line goes on to its next resource; at its last one, the client may begin.
auto OrderedChain::serving(Effects& fx) {
    return [&fx](const QueuedRequest& first) {
        const auto& [request, further] = first;
        if (further.empty())
            fx.send(request.owner, Grant{request});
        else
            fx.send(further.front(), Acquire{request, {further.begin() + 1, further.end()}});
    };
}

void OrderedChain::receive(const Context&, SiteId, const Acquire& acquire, Effects& fx) {
    if (resource().add({acquire.request, acquire.further}, serving(fx))) return;
    fx.reached("cancel-first");
    fx.send(acquire.request.owner, Cancelled{acquire.request});
}

void OrderedChain::receive(const Context&, SiteId, const Grant& grant, Effects& fx) {
    Client& me = client();
    if (me.phase != Phase::waiting || me.request != grant.request) return fx.reached("grant-too-late");
    me.phase = Phase::holding;
    fx.granted();
}

void OrderedChain::release(const Context&, Effects& fx) {
    Client& me = client();
    for (const SiteId used : me.wanted) fx.send(used, Done{me.request});
    me.phase = Phase::idle;
    me.wanted.clear();
    fx.released();
}

void OrderedChain::receive(const Context&, SiteId, const Done& done, Effects& fx) {
    resource().end(done.request, serving(fx));
}

void OrderedChain::cancel(const Context&, Effects& fx) {
    client().phase = Phase::leaving;
    fx.send(client().wanted.front(), Cancel{client().request});
}

void OrderedChain::receive(const Context&, SiteId, const Cancel& cancel, Effects& fx) {
    const auto found = resource().cancel(cancel.request, serving(fx));
    switch (found.kind) {
        case Resource::Cancelled::early:
            return;
        case Resource::Cancelled::gone_on:
            fx.reached("cancel-follows");
            return fx.send(found.request->further.front(), Cancel{cancel.request});
        case Resource::Cancelled::over:
            return fx.send(cancel.request.owner, Cancelled{cancel.request});
    }
}

void OrderedChain::receive(const Context&, SiteId, const Cancelled&, Effects& fx) {
    client().phase = Phase::idle;
    client().wanted.clear();
    fx.released();
}

bool OrderedChain::watches(const Context&, SiteId peer) const {
    const auto* me = std::get_if<Resource>(&role_);
    if (me == nullptr) return false;
    const auto is_theirs = [&](OwnId request) { return request.owner == peer; };
    return std::ranges::any_of(me->cancelled, is_theirs) ||
           std::ranges::any_of(me->queue, is_theirs, &QueuedRequest::request);
}

void OrderedChain::departed(const Context&, Peer peer, Effects& fx) {
    std::erase_if(resource().cancelled, [&](OwnId request) { return request.owner == peer.site; });
    resource().forget([&](const QueuedRequest& queued) { return queued.request.owner == peer.site; },
                      serving(fx));
}

std::optional<std::string> OrderedChain::state_error(const Context& ctx) const {
    const auto& config = ctx.config;
    const auto* client = std::get_if<Client>(&role_);
    if (auto why = broker::not_its_role(config, ctx.self, client != nullptr)) return why;
    if (client != nullptr) return broker::client_error(config, client->phase, client->wanted);
    for (const QueuedRequest& queued : resource().queue) {
        if (auto why = broker::not_a_client(config, queued.request.owner)) return why;
        if (auto why = broker::not_resources(config, queued.further)) return why;
    }
    return std::nullopt;
}

std::optional<std::string> OrderedChain::message_error(const Context& receiver, const Message& message) {
    const Config& config = receiver.config;
    if (auto why = broker::not_its_message<Grant, Cancelled>(config, receiver.self, message)) return why;
    if (const auto* acquire = std::get_if<Acquire>(&message)) {
        if (auto why = broker::not_a_client(config, acquire->request.owner)) return why;
        return broker::not_resources(config, acquire->further);
    }
    return std::nullopt;
}

void OrderedChain::normalise(MutableView<OrderedChain>& world) {
    std::erase_if(world.flight, [&](const auto& envelope) {
        return !can_act(world.sites[envelope.to].protocol, envelope.message);
    });
    rename_ids(world);
}

bool OrderedChain::can_act(const OrderedChain& receiver, const Message& message) {
    if (const auto* grant = std::get_if<Grant>(&message))
        return receiver.client().phase == Phase::waiting && receiver.client().request == grant->request;
    // A resource in use has this request in line, and it never returns there.
    if (const auto* done = std::get_if<Done>(&message)) return receiver.resource().is_first(done->request);
    return true;
}

void OrderedChain::on_state(const View<OrderedChain>& view, Report& report) {
    broker::check_one_user(view, report);
    for (SiteId site = view.config.resources; site < view.sites.size(); ++site) {
        if (!view.site(site).holding()) continue;
        const Client& client = view.site(site).protocol.client();
        for (const SiteId used : client.wanted)
            if (!view.site(used).protocol.resource().is_first(client.request))
                report.violated("first-everywhere", "site " + std::to_string(site) + " uses " +
                                                        broker::name_of(used) + " and is not first there");
    }
    for (SiteId site = 0; site < view.config.resources; ++site) check_claims(view, site, report);
}

void OrderedChain::check_claims(const View<OrderedChain>& view, SiteId resource, Report& report) {
    const auto& queue = view.site(resource).protocol.resource().queue;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const OwnId request = queue[i].request;
        for (std::size_t later = i + 1; later < queue.size(); ++later)
            if (queue[later].request == request)
                report.violated("one-claim", "site " + std::to_string(request.owner) +
                                                 " stands twice in line at " + broker::name_of(resource));
        const auto& owner = view.site(request.owner);
        // A client that releases, cancels or is gone leaves its resources one after the other.
        if (!owner.up() || owner.protocol.client().request != request ||
            owner.protocol.phase() != Phase::waiting)
            continue;
        for (const SiteId smaller : owner.protocol.client().wanted)
            if (smaller < resource && !view.site(smaller).protocol.resource().is_first(request))
                report.violated("in-order", "site " + std::to_string(request.owner) + " stands in line at " +
                                                broker::name_of(resource) + " without " +
                                                broker::name_of(smaller));
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"one-user", "each resource is used by at most one client"},
    PropertyName{"first-everywhere", "a client that uses resources is first in line at each of them"},
    PropertyName{"in-order", "a live request stands in line only where it has all smaller resources"},
    PropertyName{"one-claim", "a request stands in line at most once at each resource"},
};
constexpr std::array<std::string_view, 3> probes{"cancel-first", "cancel-follows", "grant-too-late"};

}  // namespace

constinit const Model<OrderedChain> OrderedChain::model{
    .name = "ordered-chain",
    .problem = "broker",
    .summary = "unknown clients take any resources at once, one after the other in one order",
    .source = "classical: all clients take resources in one order",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sites = &broker::sites_of<OrderedChain>,
    .founders = &broker::founders_of<OrderedChain>,
    .sample = &sample,
    .requests = broker::client_requests<OrderedChain>(),
    .faults = broker::vanishing_clients<OrderedChain>(),
    .reduction = {.normalise = &normalise},
    .handwritten = {.state_error = &OrderedChain::state_error, .message_error = &message_error},
};

}  // namespace allot
