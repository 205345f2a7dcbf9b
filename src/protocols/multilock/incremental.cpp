#include "protocols/multilock/incremental.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "protocols/multilock/model.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

namespace {

struct Post {
    ResourceId resource;
    Incremental::Effects& fx;

    void ask(SiteId to, SiteId asker) { fx.send(to, Incremental::Ask{resource, asker}); }
    void hand(SiteId to, Fence fence) { fx.send(to, Incremental::Token{resource, fence}); }
};

}  // namespace

std::optional<std::string> Incremental::config_error(const Config& config) {
    return multilock::resources_error(config.resources, config.max_request);
}

void Incremental::sample(Draw& draw) {
    draw.number("sites", 2, 5);
    draw.number("resources", 1, 4);
    draw.requests(4);
}

std::optional<std::string> Incremental::state_error(const Context&) const {
    for (const auto& [resource, path] : paths_)
        if (auto why = path.state_error()) return why;
    return std::nullopt;
}

void Incremental::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Incremental::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    if (auto why = multilock::demand_error(demand)) return fx.refused(std::move(*why));
    phase_ = Phase::waiting;
    wanted_ = demand.resources;
    go_on(ctx, fx);
}

void Incremental::go_on(const Context& ctx, Effects& fx) {
    while (const auto resource = first_missing()) {
        Path& next = path(ctx, *resource);
        next.ask(ctx.self, Post{*resource, fx});
        if (!next.token) return;
        fx.reached("kept");
    }
    enter(fx);
}

void Incremental::receive(const Context& ctx, SiteId, const Ask& ask, Effects& fx) {
    Path& asked = path(ctx, ask.resource);
    if (asked.last) fx.reached("passed-on");
    if (!asked.last && asked.want && asked.token && phase_ == Phase::waiting)
        fx.reached("waits-for-who-waits");
    asked.asked(ask.asker, Post{ask.resource, fx});
}

void Incremental::receive(const Context& ctx, SiteId, const Token& token, Effects& fx) {
    path(ctx, token.resource).arrived(token.fence);
    go_on(ctx, fx);
}

void Incremental::enter(Effects& fx) {
    phase_ = Phase::holding;
    std::vector<Fence> fences;
    for (ResourceId resource : wanted_) {
        auto& fence = paths_.at(resource).token;
        fence = fence->next();
        fences.push_back(*fence);
    }
    fx.granted(std::move(fences));
}

void Incremental::release(const Context& ctx, Effects& fx) {
    for (ResourceId resource : wanted_) path(ctx, resource).leave(Post{resource, fx});
    phase_ = Phase::idle;
    wanted_.clear();
    fx.released();
}

Incremental::Path& Incremental::path(const Context& ctx, ResourceId resource) {
    return paths_.try_emplace(resource, Path::at_start(ctx.self)).first->second;
}

Incremental::Path Incremental::path_seen(SiteId self, ResourceId resource) const {
    const auto place = paths_.find(resource);
    return place == paths_.end() ? Path::at_start(self) : place->second;
}

// A token that was last used here may be here without belonging to this request.
bool Incremental::has(ResourceId resource) const {
    const auto place = paths_.find(resource);
    return place != paths_.end() && place->second.want && place->second.token;
}

std::optional<ResourceId> Incremental::first_missing() const {
    std::optional<ResourceId> first;
    for (ResourceId resource : wanted_)
        if (!has(resource) && (!first || resource < *first)) first = resource;
    return first;
}

// The tokens of all other resources are with site 0.
Incremental Incremental::at_start(const Context& ctx, const agreement::Users& users) {
    Incremental site;
    for (const auto& [resource, user] : users) site.paths_.emplace(resource, Path::at_start(ctx.self, user));
    return site;
}

// --- Properties.

void Incremental::on_state(const View<Incremental>& view, Report& report) {
    multilock::check_one_holder(view, report);
    for (ResourceId resource : known(view)) check_resource(view, resource, report);
    for (const auto* site : view.sites) check_site(*site, report);
}

// Each resource that any site knows.
boost::container::flat_set<ResourceId> Incremental::known(const View<Incremental>& view) {
    boost::container::flat_set<ResourceId> names;
    for (const auto* site : view.sites)
        for (const auto& [resource, path] : site->protocol.paths_) names.insert(resource);
    for (const auto* envelope : view.flight)
        names.insert(std::visit([](const auto& message) { return message.resource; }, envelope->message));
    return names;
}

void Incremental::check_resource(const View<Incremental>& view, ResourceId resource, Report& report) {
    std::uint32_t tokens = 0;
    std::vector<std::optional<SiteId>> last;
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        const Path path = view.site(site).protocol.path_seen(site, resource);
        tokens += path.token.has_value();
        last.push_back(path.last);
    }
    std::vector<multilock::Climber> climbers;
    for (const auto* envelope : view.flight) {
        const auto* ask = std::get_if<Ask>(&envelope->message);
        const auto* token = std::get_if<Token>(&envelope->message);
        if (ask && ask->resource == resource) climbers.push_back({ask->asker, envelope->to});
        if (token && token->resource == resource) ++tokens;
    }
    if (tokens != 1)
        report.violated("one-token", resource.name() + " has " + std::to_string(tokens) + " tokens");
    if (auto why = multilock::not_a_tree(std::move(last), climbers))
        report.violated("tree", resource.name() + ": " + *why);
}

void Incremental::check_site(const SiteOf<Incremental>& site, Report& report) {
    const Incremental& self = site.protocol;
    if (site.holding())
        for (ResourceId resource : site.application.demand.resources)
            if (!self.has(resource))
                report.violated("used-with-token", resource.name() + " is held without its token");
    if (self.phase_ != Phase::waiting) return;
    const auto missing = self.first_missing();
    for (const auto& [resource, path] : self.paths_)
        if (path.want && (!missing || resource > *missing))
            report.violated("in-order", resource.name() + " is taken too early");
}

namespace {

constexpr std::array properties{
    PropertyName{"one-holder", "no resource is held by two sites"},
    PropertyName{"one-token", "each token is with one site or in one message"},
    PropertyName{"used-with-token", "a site that holds resources has their tokens"},
    PropertyName{"in-order", "a waiting site has no resource that comes after the one it waits for"},
    PropertyName{"tree", "the sites' guesses lead without a cycle to the end of each waiting line"},
    PropertyName{"fences-grow", "every grant of a resource has a higher fence than the one before"},
};
constexpr std::array<std::string_view, 3> probes{"passed-on", "waits-for-who-waits", "kept"};

}  // namespace

constinit const Model<Incremental, FencesGrow> Incremental::model{
    .name = "incremental",
    .problem = "multilock",
    .summary = "several locks, taken one by one in the order of their names",
    .source =
        "classical: all sites take resources in one order; Lejeune, Arantes, Sopena and Sens compare with it",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = multilock::named_requests<Incremental>(),
    .handwritten = {.state_error = &Incremental::state_error},
};

}  // namespace allot
