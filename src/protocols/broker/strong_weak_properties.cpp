// The invariants of strong-weak, and which messages can still have an effect.
#include <algorithm>

#include "protocols/broker/model.hpp"
#include "protocols/broker/strong_weak.hpp"

namespace allot {

struct StrongWeakProperties {
    using P = StrongWeak;
    using World = View<P>;

    static std::string site(SiteId id) { return "site " + std::to_string(id); }

    static bool is_first(const World& view, SiteId resource, P::RequestId request) {
        const auto& line = view.site(resource).protocol.resource().line;
        return !line.empty() && line.front().request == request;
    }

    static void check_users(const World& view, Report& report) {
        for (SiteId self = view.config.resources; self < view.sites.size(); ++self) {
            if (!view.site(self).holding()) continue;
            const auto& client = view.site(self).protocol.client();
            for (const SiteId used : client.asked)
                if (!is_first(view, used, client.request))
                    report.violated("first-everywhere", site(self) + " uses " + broker::name_of(used) +
                                                            " and is not first there");
        }
    }

    // Only for clients that are up: each resource forgets the others on its own.
    static void check_edge(const World& view, SiteId self, const P::QueuedRequest& entry, Report& report) {
        if (!entry.edge || !view.site(entry.request.owner).up()) return;
        const auto& strong = view.site(*entry.other).protocol;
        if (is_first(view, *entry.other, entry.request) && strong.head().role == P::Role::strong &&
            strong.resource().edge == *entry.edge)
            return;
        report.violated("edge-known", site(entry.request.owner) + " stands in line at " +
                                          broker::name_of(self) + " by an edge that " +
                                          broker::name_of(*entry.other) + " no longer has");
    }

    static void check_entries(const World& view, SiteId self, Report& report) {
        const auto& me = view.site(self).protocol.resource();
        for (auto entry = me.line.begin(); entry != me.line.end(); ++entry) {
            check_edge(view, self, *entry, report);
            const bool again = std::any_of(
                entry + 1, me.line.end(), [&](const auto& other) { return other.request == entry->request; });
            if (again || me.aside.contains(entry->request))
                report.violated("one-entry", site(entry->request.owner) + " is at " + broker::name_of(self) +
                                                 " twice for one request");
        }
    }

    static void check_token(const World& view, SiteId self, Report& report) {
        const auto& me = view.site(self).protocol.resource();
        const bool rests = view.site(self).armed != 0;
        if (me.token && me.marked.empty() && !rests && view.config.resources > 1)
            report.violated("token-moves", broker::name_of(self) + " keeps the token for nobody");
        for (const auto request : me.marked)
            if (std::ranges::none_of(me.line, [&](const auto& entry) {
                    return entry.request == request && entry.role != P::Role::weak;
                }))
                report.violated("marked-in-line", "the token waits for " + site(request.owner) +
                                                      ", which does not stand in line at " +
                                                      broker::name_of(self));
    }

    static void check_tokens(const World& view, Report& report) {
        if (!view.config.repairs.token) return;
        std::size_t tokens = 0;
        for (SiteId self = 0; self < view.config.resources; ++self)
            tokens += view.site(self).protocol.resource().token ? 1 : 0;
        for (const auto* envelope : view.flight)
            tokens += std::holds_alternative<P::Token>(envelope->message) ? 1 : 0;
        if (tokens != 1) report.violated("one-token", "there are " + std::to_string(tokens) + " tokens");
    }
};

void StrongWeak::on_state(const View<StrongWeak>& view, Report& report) {
    using Check = StrongWeakProperties;
    broker::check_one_user(view, report);
    Check::check_users(view, report);
    Check::check_tokens(view, report);
    for (SiteId self = 0; self < view.config.resources; ++self) {
        Check::check_entries(view, self, report);
        Check::check_token(view, self, report);
    }
}

// Decides whether a message can still change its receiver, or a site that it passes it on to. Ids are used
// once, so a message about an ended request or edge never acts again, unless the repair that compares ids is
// switched off.
struct StrongWeakRelevance {
    using P = StrongWeak;
    const MutableView<P>& world;
    SiteId to;

    const P& receiver() const { return world.sites[to].protocol; }
    const P::Config::Repairs& repairs() const { return world.config.repairs; }

    bool is_current(P::EdgeId edge) const {
        return !repairs().match_edges || world.sites[edge.owner].protocol.is_current(world.config, edge);
    }
    // True if a request waits here because of that edge, or will.
    bool waits_here(P::EdgeId edge) const {
        if (!repairs().match_edges) return true;
        if (receiver().led_here(world.config, edge) != receiver().resource().line.end())
            return receiver().waits_here(world.config, edge);
        return std::ranges::any_of(world.flight, [&](const auto& envelope) {
            const auto* news = std::get_if<P::NewStrong>(&envelope.message);
            return envelope.to == to && news != nullptr && news->edge == edge && (*this)(*news);
        });
    }

    bool operator()(const P::Grant& grant) const {
        const auto& client = receiver().client();
        return !repairs().match_requests ||
               (client.request == grant.request && client.phase == Phase::waiting);
    }
    // True if a granted request stays first until it ends, and only its newest edge is undone.
    bool steps_back_rightly() const {
        return repairs().match_requests && repairs().match_edges && repairs().consent;
    }
    bool operator()(const P::Done& done) const {
        const auto& line = receiver().resource().line;
        return !steps_back_rightly() || (!line.empty() && line.front().request == done.request);
    }
    // A request is aside before its strong resource knows of it, and returns there only when its edge is
    // undone.
    bool operator()(const P::NewStrong& news) const {
        return !steps_back_rightly() || receiver().resource().aside.contains(news.request);
    }
    bool operator()(const P::Probe& probe) const {
        if (!is_current(probe.init)) return false;
        if (repairs().check_hop && !waits_here(probe.hop)) return false;
        const bool fails = probe.victim.token && !repairs().rank_holders;
        if (probe.init.owner == to) return fails || is_current(probe.victim.edge);
        return !probe.passed.contains(to);
    }
    bool operator()(const P::RemoteKill& kill) const { return is_current(kill.edge); }
    bool operator()(const P::KillLoop& kill) const { return !repairs().consent || waits_here(kill.edge); }
    bool operator()(const P::KillAck& ack) const { return is_current(ack.edge); }
    bool operator()(const auto&) const { return true; }
};

void StrongWeak::normalise(MutableView<StrongWeak>& world) {
    std::vector<EnvelopeOf<Message>> relevant;
    for (const auto& envelope : world.flight)
        if (std::visit(StrongWeakRelevance{world, envelope.to}, envelope.message))
            relevant.push_back(envelope);
    world.flight = std::move(relevant);
    rename_ids(world);
}

namespace {

constexpr std::array properties{
    PropertyName{"one-user", "each resource is used by at most one client"},
    PropertyName{"edge-known",
                 "a weak request stands in line only behind its strong one, by its newest edge"},
    PropertyName{"first-everywhere", "a client that uses resources is first in line at each of them"},
    PropertyName{"one-token", "the token is at one resource or in one message"},
    PropertyName{"one-entry", "a request is at most once at each resource, in line or aside"},
    PropertyName{"token-moves", "the token stays only at a resource where it waits for a request"},
    PropertyName{"marked-in-line", "the token waits only for requests that stand in line there"},
};
constexpr std::array<std::string_view, 12> probes{
    "circle",       "remote-victim",  "edge-undone",    "consent-refused", "promoted",     "probe-dropped",
    "cancel-first", "grant-too-late", "late-newstrong", "late-done",       "token-victim", "vanished-first"};

}  // namespace

constinit const Model<StrongWeak> StrongWeak::model{
    .name = "strong-weak",
    .problem = "broker",
    .summary = "unknown clients take one or two resources, in any order; resources break cycles",
    .source =
        "after Datta, Devismes, Kawala, Larmore and Potop-Butucaru: Multi-resource Allocation with Unknown "
        "Participants",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sites = &broker::sites_of<StrongWeak>,
    .founders = &broker::founders_of<StrongWeak>,
    .sample = &sample,
    .requests = broker::client_requests<StrongWeak>(),
    .timers = {.fair = &fair},
    .faults = broker::vanishing_clients<StrongWeak>(),
    .reduction = {.normalise = &normalise},
    .handwritten = {.state_error = &StrongWeak::state_error, .message_error = &message_error},
};

}  // namespace allot
