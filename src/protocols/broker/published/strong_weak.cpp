#include "protocols/broker/published/strong_weak.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "protocols/broker/model.hpp"

namespace allot {

using strong_weak_published::Edge;
using strong_weak_published::QueuedRequest;
using strong_weak_published::Resource;
using strong_weak_published::Victim;

namespace {

using Place = std::vector<QueuedRequest>::iterator;

Place place_of(std::vector<QueuedRequest>& queue, SiteId client) {
    return std::ranges::find(queue, client, &QueuedRequest::client);
}

// A dependency exists if a strong request leads one queue and its weak twin waits in another (Definition
// 3.1).
bool is_edge(const Resource& resource, const Edge& edge) {
    return !resource.strong.empty() && !resource.strong.front().weak && resource.strong.front().edge == edge;
}

bool came_along(const QueuedRequest& entry, const Edge& edge) {
    return entry.weak && entry.edge == edge;
}

// True if a message can still take part in breaking a cycle: with named edges, an edge that has ended never
// returns, and messages about it are ignored. `resource` looks up a site's state.
bool breaks_loop(const StrongWeakPublished::Config& config, const auto& resource,
                 const EnvelopeOf<StrongWeakPublished::Message>& envelope) {
    using P = StrongWeakPublished;
    const auto exists = [&](const Edge& edge) {
        return !config.repairs.name_edges || is_edge(resource(edge.owner), edge);
    };
    if (const auto* kill = std::get_if<P::KillLoop>(&envelope.message))
        return exists(kill->edge) ||
               std::ranges::any_of(resource(envelope.to).strong,
                                   [&](const QueuedRequest& entry) { return came_along(entry, kill->edge); });
    if (const auto* ack = std::get_if<P::KillAck1>(&envelope.message)) return exists(ack->edge);
    return std::holds_alternative<P::KillAck2>(envelope.message);
}

}  // namespace

// --- Configurations and demands.

broker::Manner StrongWeakPublished::manner(const Config& config) {
    return {.most = 2, .ordered = true, .repeats = !config.repairs.distinct_resources};
}

std::optional<std::string> StrongWeakPublished::config_error(const Config& config) {
    return broker::config_error(config, manner(config));
}

void StrongWeakPublished::sample(Draw& draw) {
    const auto resources = draw.number("resources", 1, 4);
    draw.number("clients", 1, 5);
    draw.number("max-request", 1, std::min(2u, resources));
    draw.requests(3);
}

// --- A pass of a resource's loop: takes one message, then internal steps until none is left.

struct StrongWeakPublished::Pass {
    const Context& ctx;
    Resource& here;
    Effects& fx;

    const Config::Repairs& repairs() const { return ctx.config.repairs; }
    SiteId next_on_ring() const { return (ctx.self + 1) % ctx.config.resources; }

    QueuedRequest& head() const {
        ensure(!here.strong.empty(), "the head of an empty strong queue is read");
        return here.strong.front();
    }
    // The receiver of a message to the head's NextResId.
    SiteId other_of(const QueuedRequest& entry) const {
        ensure(entry.other.has_value(), "a message goes to the second resource of a request for one");
        return *entry.other;
    }
    Edge edge() const {
        const QueuedRequest& head = this->head();
        return head.weak ? Edge{ctx.self, {}} : head.edge.value_or(Edge{ctx.self, {}});
    }

    void take_request(const NewRequest& request) const;
    void go_round() const;
    void send_token() const;
    void present_head() const;
    bool may_grant() const;
    void grant() const;
    void pop_token_queue(SiteId served) const;

    Victim lowest_of_search() const;
    void send_search(const Victim& lowest, const Edge& initiator) const;
    bool has_dependency(const SeekLoop& seek) const;
    void deny_loop(SiteId initiator) const;
    void break_loop(const SeekLoop& seek) const;
    void unloop() const;
};

void StrongWeakPublished::Pass::go_round() const {
    while (true) {
        if (here.sending_token) {
            send_token();
        } else if (here.new_head) {
            present_head();
        } else if (may_grant()) {
            grant();
        } else if (!here.lock && !here.aside.empty()) {
            const NewRequest request = here.aside.front();
            here.aside.erase(here.aside.begin());
            take_request(request);
        } else {
            return;
        }
    }
}

void StrongWeakPublished::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void StrongWeakPublished::start(const Context& ctx, Effects& fx) {
    if (ctx.config.is_client(ctx.self)) return;
    Resource resource;
    resource.newest = resource.lowest.edge = Edge{ctx.self, {}};
    resource.holding_token = ctx.self == 0;
    if (ctx.config.repairs.hand_on && resource.holding_token)
        resource.sending_token = ctx.config.resources > 1;
    Pass{ctx, resource, fx}.go_round();
    role_ = std::move(resource);
}

Phase StrongWeakPublished::phase() const {
    const auto* client = std::get_if<Client>(&role_);
    return client != nullptr ? client->phase : Phase::idle;
}

// --- Algorithm 1: clients.

void StrongWeakPublished::request(const Context& ctx, const Demand& demand, Effects& fx) {
    const auto resources = broker::resources_of(ctx.config, manner(ctx.config), demand);
    if (!resources) return fx.refused(resources.error());
    auto& me = std::get<Client>(role_);
    me.phase = Phase::waiting;
    me.resources = *resources;
    if (me.resources.size() == 2)
        fx.send(me.resources[1], NewRequest{ctx.self, true, me.resources[0]});
    else
        fx.send(me.resources[0], NewRequest{ctx.self, false, std::nullopt});
}

void StrongWeakPublished::receive(const Context&, SiteId, const ResAllowed&, Effects& fx) {
    std::get<Client>(role_).phase = Phase::holding;
    fx.granted();
}

void StrongWeakPublished::release(const Context&, Effects& fx) {
    auto& me = std::get<Client>(role_);
    me.phase = Phase::leaving;
    fx.send(me.resources.back(), Done{});
}

void StrongWeakPublished::receive(const Context&, SiteId, const EndAck&, Effects& fx) {
    role_ = Client{};
    fx.released();
}

// --- Algorithm 2, lines 3 to 16: the token.

void StrongWeakPublished::receive(const Context& ctx, SiteId, const Token&, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    for (const QueuedRequest& entry : pass.here.strong)
        if (!entry.weak) pass.here.token_queue.push_back(entry.client);
    pass.here.holding_token = true;
    if (ctx.config.repairs.hand_on && pass.next_on_ring() != ctx.self)
        pass.here.sending_token = pass.here.token_queue.empty();
    pass.go_round();
}

void StrongWeakPublished::Pass::send_token() const {
    here.holding_token = false;
    here.sending_token = false;
    fx.send(next_on_ring(), Token{});
}

// --- Lines 18 to 58: requests arrive and move.

void StrongWeakPublished::receive(const Context& ctx, SiteId, const NewRequest& request, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    pass.here.aside.push_back(request);
    pass.go_round();
}

void StrongWeakPublished::Pass::take_request(const NewRequest& request) const {
    const QueuedRequest entry{request.client, request.weak, request.other, std::nullopt};
    if (request.weak) {
        here.weak.push_back(entry);
        return fx.send(*request.other, NewRequest{request.client, false, ctx.self});
    }
    if (here.strong.empty()) here.new_head = true;
    here.strong.push_back(entry);
}

void StrongWeakPublished::Pass::present_head() const {
    here.new_head = false;
    QueuedRequest& head = this->head();
    if (!head.other || (head.weak && repairs().weak_grants)) return fx.send(head.client, ResAllowed{});
    if (head.weak) {
        here.weak_ready = true;
        return;
    }
    if (repairs().name_edges) here.newest = here.newest.next();
    head.edge = here.newest;
    fx.send(*head.other, NewStrong{head.client, here.newest});
}

void StrongWeakPublished::receive(const Context& ctx, SiteId from, const NewStrong& moved, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    Resource& here = pass.here;
    if (here.strong.empty()) here.new_head = true;
    const Place place = place_of(here.weak, moved.client);
    ensure(place != here.weak.end(), "NewStrong is about a request that is not in the weak queue");
    place->edge = moved.edge;
    here.strong.push_back(*place);
    here.weak.erase(place);
    fx.send(from, NewStrongAck{moved.client, moved.edge});
    pass.go_round();
}

// --- Lines 60 to 84: grants and releases.

void StrongWeakPublished::receive(const Context& ctx, SiteId, const StrongReady& ready, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    if (ctx.config.repairs.name_ready)
        pass.here.ready.insert(ready.client);
    else
        pass.here.strong_ready = true;
    pass.go_round();
}

bool StrongWeakPublished::Pass::may_grant() const {
    if (!here.weak_ready) return false;
    return repairs().name_ready ? here.ready.contains(head().client) : here.strong_ready;
}

void StrongWeakPublished::Pass::grant() const {
    const SiteId client = head().client;
    fx.send(client, ResAllowed{});
    here.strong_ready = false;
    here.weak_ready = false;
    here.ready.erase(client);
}

void StrongWeakPublished::receive(const Context& ctx, SiteId, const Done&, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    Resource& here = pass.here;
    const QueuedRequest done = pass.head();
    here.strong.erase(here.strong.begin());
    if (!done.weak) {
        if (here.holding_token) pass.pop_token_queue(done.client);
        fx.send(done.client, EndAck{});
    } else {
        fx.send(pass.other_of(ctx.config.repairs.read_before_pop ? done : pass.head()), Done{});
    }
    here.new_head = !here.strong.empty();
    here.sending_token = here.token_queue.empty() && (here.holding_token || !ctx.config.repairs.guard_token);
    pass.go_round();
}

void StrongWeakPublished::Pass::pop_token_queue(SiteId served) const {
    std::vector<SiteId>& queue = here.token_queue;
    if (repairs().unmark_served) {
        std::erase(queue, served);
        return;
    }
    ensure(!queue.empty(), "an empty token queue is popped");
    queue.erase(queue.begin());
}

// --- Algorithm 3, lines 85 to 114: the search for a cycle.

void StrongWeakPublished::receive(const Context& ctx, SiteId, const NewStrongAck& ack, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    const auto& queue = pass.here.strong;
    const bool is_for_head = !queue.empty() && !queue.front().weak && queue.front().client == ack.client &&
                             queue.front().edge == ack.edge;
    if (ctx.config.repairs.name_acks && !is_for_head) return;
    pass.send_search(pass.lowest_of_search(), pass.edge());
    pass.go_round();
}

// As printed, this is the value that the latest search of any resource left here, unless the token is here.
Victim StrongWeakPublished::Pass::lowest_of_search() const {
    const Victim mine{here.holding_token, edge()};
    if (repairs().fresh_lowest) return mine;
    if (here.holding_token || here.lowest.edge.owner == ctx.self) here.lowest.edge = mine.edge;
    if (here.holding_token) here.lowest.token = true;
    return here.lowest;
}

void StrongWeakPublished::Pass::send_search(const Victim& lowest, const Edge& initiator) const {
    fx.send(other_of(head()), SeekLoop{lowest, initiator, head().client, edge()});
}

void StrongWeakPublished::receive(const Context& ctx, SiteId, const SeekLoop& seek, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    Resource& here = pass.here;
    const SiteId initiator = seek.initiator.owner;
    if (!ctx.config.repairs.fresh_lowest) here.lowest = seek.lowest;  // line 92 reads it into r_min
    const bool is_lost = ctx.config.repairs.check_dependency && !pass.has_dependency(seek);
    const bool ends_here = here.strong.empty() || !here.strong.front().other || here.strong.front().weak;
    if (!is_lost && initiator == ctx.self) {
        pass.break_loop(seek);
    } else if (is_lost || ends_here) {
        pass.deny_loop(initiator);
    } else {
        const Victim lowest = std::min(seek.lowest, Victim{here.holding_token, pass.edge()});
        if (!ctx.config.repairs.fresh_lowest) here.lowest = lowest;
        pass.send_search(lowest, seek.initiator);
    }
    pass.go_round();
}

// True if the request that the search followed waits here, behind others.
bool StrongWeakPublished::Pass::has_dependency(const SeekLoop& seek) const {
    return std::any_of(here.strong.begin() + !here.strong.empty(), here.strong.end(),
                       [&](const QueuedRequest& entry) {
                           return entry.client == seek.client && came_along(entry, seek.edge);
                       });
}

void StrongWeakPublished::Pass::deny_loop(SiteId initiator) const {
    if (!repairs().weak_grants) fx.send(initiator, NoLoop{});
}

void StrongWeakPublished::Pass::break_loop(const SeekLoop& seek) const {
    if (repairs().name_edges && !is_edge(here, seek.initiator)) return;
    ensure(!seek.lowest.token || repairs().rank_victims, "RemoteKillLoop goes to infinity");
    if (seek.lowest.edge.owner != ctx.self)
        return fx.send(seek.lowest.edge.owner, RemoteKillLoop{seek.lowest.edge});
    unloop();
}

void StrongWeakPublished::receive(const Context& ctx, SiteId, const NoLoop&, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    const QueuedRequest& head = pass.head();
    fx.send(pass.other_of(head), StrongReady{ctx.config.repairs.name_ready ? head.client : SiteId(0)});
    pass.go_round();
}

// --- Lines 116 to 137: a cycle is broken.

void StrongWeakPublished::receive(const Context& ctx, SiteId, const RemoteKillLoop& kill, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    if (ctx.config.repairs.name_edges && !is_edge(pass.here, kill.edge)) return;
    pass.unloop();
    pass.go_round();
}

void StrongWeakPublished::Pass::unloop() const {
    const QueuedRequest& head = this->head();
    const SiteId other = other_of(head);
    ensure(!head.weak, "a weak request that leads is taken for a strong one that waits");
    here.lock = !repairs().no_lock;
    fx.send(other, KillLoop{head.client, edge()});
}

void StrongWeakPublished::receive(const Context& ctx, SiteId from, const KillLoop& kill, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    Resource& here = pass.here;
    const Place place = place_of(here.strong, kill.client);
    const bool found = place != here.strong.end();
    if (ctx.config.repairs.name_edges && !(found && came_along(*place, kill.edge))) return;
    if (ctx.config.repairs.keep_head && found && place == here.strong.begin()) return;
    ensure(found, "KillLoop is about a request that is not in the strong queue");
    here.lock = !ctx.config.repairs.no_lock;
    place->edge.reset();
    here.weak.push_back(*place);
    here.strong.erase(place);
    fx.send(from, KillAck1{kill.edge});
    pass.go_round();
}

void StrongWeakPublished::receive(const Context& ctx, SiteId from, const KillAck1& ack, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    Resource& here = pass.here;
    if (ctx.config.repairs.name_edges && !is_edge(here, ack.edge)) return;
    pass.head().edge.reset();
    std::rotate(here.strong.begin(), here.strong.begin() + 1, here.strong.end());
    if (!ctx.config.repairs.no_lock) fx.send(from, KillAck2{});
    here.new_head = true;
    here.lock = false;
    pass.go_round();
}

void StrongWeakPublished::receive(const Context& ctx, SiteId, const KillAck2&, Effects& fx) {
    const Pass pass{ctx, std::get<Resource>(role_), fx};
    pass.here.lock = false;
    pass.go_round();
}

// --- Messages written by hand.

std::optional<std::string> StrongWeakPublished::message_error(const Context& receiver,
                                                              const Message& message) {
    const Config& config = receiver.config;
    if (auto why = broker::not_its_message<ResAllowed, EndAck>(config, receiver.self, message)) return why;
    const auto* request = std::get_if<NewRequest>(&message);
    if (request == nullptr) return std::nullopt;
    if (auto why = broker::not_a_client(config, request->client)) return why;
    if (request->weak && !request->other) return "other: write the other resource where weak is true";
    return request->other ? broker::not_resources(config, {*request->other}) : std::nullopt;
}

// --- The normal form.

void StrongWeakPublished::normalise(MutableView<StrongWeakPublished>& world) {
    if (!world.config.repairs.name_edges) return;
    std::erase_if(world.flight, [&](const auto& envelope) { return !can_act(world, envelope); });
    rename_ids(world);
}

// Resources would only pass a search about an ended edge on until one drops it.
bool StrongWeakPublished::can_act(const MutableView<StrongWeakPublished>& world,
                                  const EnvelopeOf<Message>& envelope) {
    const Config::Repairs& repairs = world.config.repairs;
    const auto resource = [&](SiteId site) -> const Resource& {
        return std::get<Resource>(world.sites[site].protocol.role_);
    };
    const auto exists = [&](const Edge& edge) { return is_edge(resource(edge.owner), edge); };
    if (const auto* kill = std::get_if<RemoteKillLoop>(&envelope.message)) return exists(kill->edge);
    if (std::holds_alternative<KillLoop>(envelope.message) ||
        std::holds_alternative<KillAck1>(envelope.message))
        return breaks_loop(world.config, resource, envelope);
    if (const auto* ack = std::get_if<NewStrongAck>(&envelope.message))
        return !repairs.name_acks || exists(ack->edge);
    if (const auto* seek = std::get_if<SeekLoop>(&envelope.message))
        return !repairs.weak_grants || !repairs.fresh_lowest ||
               (exists(seek->initiator) && (!repairs.check_dependency || exists(seek->edge)));
    return true;
}

// --- Properties.

struct StrongWeakPublished::Properties {
    const View<StrongWeakPublished>& view;
    Report& report;

    const Resource& resource(SiteId site) const { return std::get<Resource>(view.site(site).protocol.role_); }
    bool leads(SiteId client, SiteId at) const {
        return !resource(at).strong.empty() && resource(at).strong.front().client == client;
    }

    void check_user(SiteId site) const {
        for (const SiteId used : std::get<Client>(view.site(site).protocol.role_).resources)
            if (!leads(site, used))
                report.violated("first-everywhere", "site " + std::to_string(site) + " may use " +
                                                        broker::name_of(used) + ", where it does not lead");
    }

    void check_users() const {
        for (SiteId site = view.config.resources; site < view.sites.size(); ++site)
            if (view.site(site).holding()) check_user(site);
        for (const auto* envelope : view.flight)
            if (std::holds_alternative<ResAllowed>(envelope->message)) check_user(envelope->to);
    }

    void check_queues(SiteId at) const {
        boost::container::flat_set<std::pair<SiteId, bool>> places;
        for (const auto* queue : {&resource(at).strong, &resource(at).weak})
            for (const QueuedRequest& entry : *queue)
                if (!places.emplace(entry.client, entry.weak).second)
                    report.violated("one-entry", "site " + std::to_string(entry.client) +
                                                     " has two places at " + broker::name_of(at));
        for (const QueuedRequest& entry : resource(at).strong)
            if (entry.weak &&
                !(leads(entry.client, *entry.other) && is_edge(resource(*entry.other), *entry.edge)))
                report.violated("edge-known",
                                "at " + broker::name_of(at) + " site " + std::to_string(entry.client) +
                                    " waits, and does not lead at " + broker::name_of(*entry.other));
    }

    void check_token() const {
        std::size_t tokens = 0;
        for (SiteId site = 0; site < view.config.resources; ++site) tokens += resource(site).holding_token;
        for (const auto* envelope : view.flight) tokens += std::holds_alternative<Token>(envelope->message);
        if (tokens != 1) report.violated("one-token", "there are " + std::to_string(tokens) + " tokens");
    }

    void expect_locked(SiteId site) const {
        if (!resource(site).lock)
            report.violated("unloop-locked",
                            broker::name_of(site) + " is not locked, though a cycle is being broken");
    }

    // A second order about the same edge is ignored and breaks nothing.
    void check_lock() const {
        const auto look_up = [this](SiteId site) -> const Resource& { return resource(site); };
        for (const auto* envelope : view.flight) {
            if (!breaks_loop(view.config, look_up, *envelope)) continue;
            const bool killing = std::holds_alternative<KillLoop>(envelope->message);
            expect_locked(killing ? envelope->from : envelope->to);
            if (std::holds_alternative<KillAck1>(envelope->message)) expect_locked(envelope->from);
        }
    }
};

void StrongWeakPublished::on_state(const View<StrongWeakPublished>& view, Report& report) {
    const Properties judge{view, report};
    broker::check_one_user(view, report);
    judge.check_users();
    for (SiteId site = 0; site < view.config.resources; ++site) judge.check_queues(site);
    judge.check_token();
    if (!view.config.repairs.no_lock) judge.check_lock();
}

namespace {

constexpr std::array properties{
    PropertyName{"one-user", "each resource is used by at most one client"},
    PropertyName{"first-everywhere",
                 "a client that uses resources, or may use them, leads the strong queue of each"},
    PropertyName{"edge-known", "a weak request is in a strong queue only while its strong one leads"},
    PropertyName{"one-entry", "a client has at most one entry of a kind at a resource"},
    PropertyName{"one-token", "there is one token, at a resource or in flight"},
    PropertyName{"unloop-locked", "while a cycle is being broken, both of its resources are locked"},
};

}  // namespace

constinit const Model<StrongWeakPublished> StrongWeakPublished::model{
    .name = "strong-weak-published",
    .problem = "broker",
    .summary = "strong-weak as printed in the paper, defects included",
    .source =
        "Datta, Devismes, Kawala, Larmore and Potop-Butucaru: Multi-resource Allocation with Unknown "
        "Participants, Algorithms 1 to 3",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sites = &broker::sites_of<StrongWeakPublished>,
    .founders = &broker::founders_of<StrongWeakPublished>,
    .sample = &sample,
    .requests = broker::client_requests<StrongWeakPublished>(),
    .faults = {.mortal = &mortal, .sites_return = false},
    .reduction = {.normalise = &normalise},
    .handwritten = {.state_error = &StrongWeakPublished::state_error, .message_error = &message_error},
};

}  // namespace allot
