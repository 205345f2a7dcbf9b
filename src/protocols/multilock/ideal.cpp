#include "protocols/multilock/ideal.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "protocols/multilock/model.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

namespace {

constexpr SiteId scheduler = 0;

bool any_in(const std::vector<ResourceId>& resources, const boost::container::flat_set<ResourceId>& names) {
    return std::ranges::any_of(resources, [&](ResourceId name) { return names.contains(name); });
}

}  // namespace

std::optional<std::string> Ideal::config_error(const Config& config) {
    return multilock::resources_error(config.resources, config.max_request);
}

void Ideal::sample(Draw& draw) {
    draw.number("sites", 2, 5);
    draw.number("resources", 1, 4);
    draw.choice("policy", {"fit", "fifo"});
    draw.requests(4);
}

// --- The requesting site.

void Ideal::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Ideal::request(const Context&, const Demand& demand, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    if (auto why = multilock::demand_error(demand)) return fx.refused(std::move(*why));
    phase_ = Phase::waiting;
    wanted_ = demand.resources;
    fx.send(scheduler, Ask{wanted_});
}

void Ideal::receive(const Context&, SiteId, const Grant& grant, Effects& fx) {
    ensure(phase_ == Phase::waiting, "a grant that this site does not wait for");
    phase_ = Phase::holding;
    fx.granted(grant.fences);
}

void Ideal::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.send(scheduler, Done{std::move(wanted_)});
    wanted_.clear();
    fx.released();
}

// --- The scheduler.

void Ideal::receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx) {
    queue_.push_back({from, ask.resources});
    schedule(ctx, fx);
}

void Ideal::receive(const Context& ctx, SiteId, const Done& done, Effects& fx) {
    for (ResourceId resource : done.resources)
        ensure(in_use_.erase(resource) == 1, "only a resource in use is released");
    schedule(ctx, fx);
}

void Ideal::schedule(const Context& ctx, Effects& fx) {
    std::vector<ideal::QueuedRequest> waiting;
    ResourceSet reserved;
    for (ideal::QueuedRequest& entry : queue_) {
        const bool free = !any_in(entry.resources, in_use_);
        if (free && !any_in(entry.resources, reserved)) {
            if (!waiting.empty()) fx.reached("overtaken");
            admit(entry, fx);
            continue;
        }
        if (free) fx.reached("blocked-by-who-waits");
        if (ctx.config.policy == ideal::Policy::fifo)
            reserved.insert(entry.resources.begin(), entry.resources.end());
        waiting.push_back(std::move(entry));
    }
    queue_ = std::move(waiting);
}

void Ideal::admit(const ideal::QueuedRequest& entry, Effects& fx) {
    std::vector<Fence> fences;
    for (ResourceId resource : entry.resources) {
        in_use_.insert(resource);
        Fence& fence = fences_[resource];
        fence = fence.next();
        fences.push_back(fence);
    }
    fx.send(entry.site, Grant{std::move(fences)});
}

void Ideal::on_state(const View<Ideal>& view, Report& report) {
    multilock::check_one_holder(view, report);
    const ResourceSet& in_use = view.site(scheduler).protocol.in_use_;
    for (const auto* site : view.sites)
        if (site->holding())
            for (ResourceId resource : site->application.demand.resources)
                if (!in_use.contains(resource))
                    report.violated("booked", resource.name() + " is held and not in use");
}

namespace {

constexpr std::array properties{
    PropertyName{"one-holder", "no resource is held by two sites"},
    PropertyName{"booked", "the scheduler counts every held resource as in use"},
    PropertyName{"fences-grow", "every grant of a resource has a higher fence than the one before"},
};
constexpr std::array<std::string_view, 2> probes{"overtaken", "blocked-by-who-waits"};

}  // namespace

constinit const Model<Ideal, FencesGrow> Ideal::model{
    .name = "ideal",
    .problem = "multilock",
    .summary =
        "several locks from one scheduler that knows everything: the measure of the others (--latency 0ms)",
    .source = "no algorithm for hosts; Lejeune, Arantes, Sopena and Sens compare with such a scheduler",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = multilock::named_requests<Ideal>(),
};

}  // namespace allot
