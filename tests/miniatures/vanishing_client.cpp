#include "miniatures/vanishing_client.hpp"

#include <algorithm>
#include <iterator>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "core/stamps.hpp"

namespace allot::miniatures {

std::optional<std::string> VanishingClient::config_error(const Config& config) {
    if (config.clients < 1 || config.clients >= config.sites)
        return "--clients " + std::to_string(config.clients) + ": with --sites " +
               std::to_string(config.sites) + " write a number from 1 to " + std::to_string(config.sites - 1);
    return std::nullopt;
}

// A resource is named after its site.
void VanishingClient::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 5);
    draw.number("clients", 1, sites - 1);
    draw.faults("crashes", 3);
    draw.faults("leaves", 2);
    draw.toggle("cancel");
}

std::vector<Demand> VanishingClient::demands(const Context& ctx) {
    std::vector<Demand> each;
    for (SiteId site = ctx.config.clients; site < ctx.config.sites; ++site)
        each.push_back({.units = 1, .resources = {"r" + std::to_string(site)}});
    return each;
}

void VanishingClient::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void VanishingClient::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::departed:
            return departed(ctx, peer, fx);
        default:
            return;
    }
}

void VanishingClient::start(const Context& ctx, Effects&) {
    if (!is_client(ctx.config, ctx.self)) role_ = Resource{};
}

Phase VanishingClient::phase() const {
    const auto* client = std::get_if<Client>(&role_);
    return client != nullptr ? client->phase : Phase::idle;
}

void VanishingClient::request(const Context& ctx, const Demand& demand, Effects& fx) {
    const auto known = demands(ctx);
    const auto place = std::find(known.begin(), known.end(), demand);
    if (place == known.end()) return fx.refused("there is no such resource");
    Client& me = client();
    me.phase = Phase::waiting;
    me.id = me.id.next();
    me.resource = ctx.config.clients + static_cast<SiteId>(place - known.begin());
    fx.send(me.resource, Ask{me.id});
}

void VanishingClient::receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx) {
    Resource& me = resource();
    RequestId& newest = me.newest[from];
    if (ask.id <= newest) return;  // its cancellation was here first
    newest = ask.id;
    forget_claim(me, from);  // who asks again is done with what it had
    me.queue.push_back({from, ask.id});
    serve(ctx, me, fx);
}

void VanishingClient::receive(const Context& ctx, SiteId, const Grant& grant, Effects& fx) {
    Client& me = client();
    if (me.phase != Phase::waiting) return;
    if (grant.id != me.id && ctx.config.repairs.match_ids) return;
    me.phase = Phase::holding;
    fx.granted();
}

void VanishingClient::release(const Context&, Effects& fx) {
    client().phase = Phase::idle;
    fx.send(client().resource, Done{client().id});
    fx.released();
}

void VanishingClient::receive(const Context& ctx, SiteId from, const Done& done, Effects& fx) {
    finish(ctx, resource(), from, done.id, fx);
}

void VanishingClient::cancel(const Context&, Effects& fx) {
    client().phase = Phase::leaving;
    fx.send(client().resource, Cancel{client().id});
}

void VanishingClient::receive(const Context& ctx, SiteId from, const Cancel& cancel, Effects& fx) {
    finish(ctx, resource(), from, cancel.id, fx);
    fx.send(from, Cancelled{cancel.id});
}

void VanishingClient::receive(const Context&, SiteId, const Cancelled& cancelled, Effects& fx) {
    if (client().phase != Phase::leaving || client().id != cancelled.id) return;
    client().phase = Phase::idle;
    fx.released();
}

// A client hears of resources, a resource of clients; either may hear the same again.
void VanishingClient::departed(const Context& ctx, Peer peer, Effects& fx) {
    if (auto* me = std::get_if<Client>(&role_)) {
        if (me->resource != peer.site || !(me->phase == Phase::waiting || me->phase == Phase::leaving))
            return;
        if (me->phase == Phase::waiting)
            fx.refused("the resource is gone");
        else
            fx.released();
        me->phase = Phase::idle;
        return;
    }
    Resource& me = resource();
    if (!ctx.config.repairs.listen_again && !me.departed.insert(peer.site).second) return;
    forget_claim(me, peer.site);
    me.newest.erase(peer.site);
    serve(ctx, me, fx);
}

void VanishingClient::finish(const Context& ctx, Resource& resource, SiteId client, RequestId id,
                             Effects& fx) {
    RequestId& newest = resource.newest[client];
    if (id < newest) return;
    newest = id;
    forget_claim(resource, client);
    serve(ctx, resource, fx);
}

void VanishingClient::forget_claim(Resource& resource, SiteId client) {
    std::erase_if(resource.queue, [&](const Claim& claim) { return claim.client == client; });
    if (resource.holder && resource.holder->client == client) resource.holder.reset();
}

void VanishingClient::serve(const Context& ctx, Resource& resource, Effects& fx) {
    if (resource.holder || resource.queue.empty()) return;
    const auto next =
        ctx.config.repairs.first_come ? resource.queue.begin() : std::prev(resource.queue.end());
    resource.holder = *next;
    resource.queue.erase(next);
    fx.send(resource.holder->client, Grant{resource.holder->id});
}

bool VanishingClient::prompt(const EnvelopeOf<Message>& envelope) {
    return std::holds_alternative<Done>(envelope.message);
}

void VanishingClient::normalise(MutableView<VanishingClient>& world) {
    std::erase_if(world.flight, [&](const auto& envelope) { return !can_act(world, envelope); });
    for (SiteId client = 0; client < world.config.clients; ++client) rename_ids(world, client);
}

bool VanishingClient::can_act(const MutableView<VanishingClient>& world,
                              const EnvelopeOf<Message>& envelope) {
    const auto& receiver = world.sites[envelope.to].protocol.role_;
    if (const auto* client = std::get_if<Client>(&receiver)) {
        if (const auto* grant = std::get_if<Grant>(&envelope.message))
            return !world.config.repairs.match_ids ||
                   (client->phase == Phase::waiting && client->id == grant->id);
        const auto* cancelled = std::get_if<Cancelled>(&envelope.message);
        return cancelled != nullptr && client->phase == Phase::leaving && client->id == cancelled->id;
    }
    const auto& heard = std::get<Resource>(receiver).newest;
    const auto known = heard.find(envelope.from);
    const RequestId newest = known == heard.end() ? RequestId{} : known->second;
    if (const auto* ask = std::get_if<Ask>(&envelope.message)) return ask->id > newest;
    if (const auto* done = std::get_if<Done>(&envelope.message)) return done->id >= newest;
    return true;
}

// Visits every id of a client's requests, wherever it stands.
template <class F>
void VanishingClient::for_each_id(MutableView<VanishingClient>& world, SiteId client, F&& f) {
    for (auto& envelope : world.flight)
        if (envelope.from == client || envelope.to == client) for_each_stamp(envelope.message, f);
    if (auto* own = std::get_if<Client>(&world.sites[client].protocol.role_)) f(own->id);
    for (auto& site : world.sites) {
        auto* resource = std::get_if<Resource>(&site.protocol.role_);
        if (resource == nullptr) continue;
        const auto known = resource->newest.find(client);
        if (known != resource->newest.end()) f(known->second);
        if (resource->holder && resource->holder->client == client) f(resource->holder->id);
        for (Claim& claim : resource->queue)
            if (claim.client == client) f(claim.id);
    }
}

void VanishingClient::rename_ids(MutableView<VanishingClient>& world, SiteId client) {
    boost::container::flat_map<RequestId, RequestId> names{{RequestId{}, RequestId{}}};
    for_each_id(world, client, [&](RequestId& id) { names.emplace(id, RequestId{}); });
    RequestId newest;
    for (auto& [id, given] : names) {
        given = newest;
        newest = newest.next();
    }
    for_each_id(world, client, [&](RequestId& id) { id = names.at(id); });
}

void VanishingClient::on_state(const View<VanishingClient>& view, Report& report) {
    std::vector<std::pair<SiteId, const Client*>> holders;
    for (SiteId site = 0; site < view.config.clients; ++site)
        if (view.site(site).holding())
            holders.emplace_back(site, &std::get<Client>(view.site(site).protocol.role_));

    boost::container::flat_set<SiteId> held;
    for (const auto& [site, client] : holders)
        if (!held.insert(client->resource).second)
            report.violated("exclusion", "resource " + std::to_string(client->resource) + " is held twice");

    for (const auto& [site, client] : holders) {
        const auto* resource = std::get_if<Resource>(&view.site(client->resource).protocol.role_);
        if (resource != nullptr && resource->holder != Claim{site, client->id})
            report.violated("holder-known", "resource " + std::to_string(client->resource) +
                                                " does not know that site " + std::to_string(site) +
                                                " holds it");
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"exclusion", "no resource is held by two live clients"},
    PropertyName{"holder-known", "a resource knows who holds it, and for which request"},
};

}  // namespace

constinit const Model<VanishingClient> VanishingClient::model{
    .name = "vanishing-client",
    .problem = "miniature",
    .summary = "clients ask resources one at a time, and may vanish",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.asks = &asks, .demands = &demands},
    .faults = {.hears = {Detection::departed}},
    .reduction = {.prompt = &prompt, .normalise = &normalise},
};

}  // namespace allot::miniatures
