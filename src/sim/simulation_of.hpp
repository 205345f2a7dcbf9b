// simulation_of<P>(): how a protocol is simulated. Included once per protocol, by generated files.
#pragma once

#include <algorithm>
#include <cmath>

#include "sim/run_of.hpp"
#include "world/entry.hpp"

namespace allot::sim {

// How many units could be in use at once: what the protocol says, the member of its configuration that is
// called so, or one for each site.
template <Protocol P>
std::uint64_t capacity_of(const typename P::Config& config) {
    if constexpr (requires { P::capacity(config); })
        return P::capacity(config);
    else if constexpr (requires { std::uint64_t{config.permits}; })
        return config.permits;
    else if constexpr (requires { std::uint64_t{config.resources}; })
        return config.resources;
    else if constexpr (requires { std::uint64_t{config.units}; })
        return config.units;
    else
        return sites_of(config);
}

template <Protocol P>
class SimulationOf final : public Simulation {
public:
    SimulationOf(typename P::Config config, Plan plan, Surroundings surroundings)
        : Simulation(std::move(plan)), config_(std::move(config)), surroundings_(std::move(surroundings)) {}

    Figures run(std::uint64_t seed, const Observer& observer) override {
        return RunOf<P>(config_, plan_, surroundings_, seed, observer).go();
    }
    boost::json::value config_json() const override { return to_json(config_); }
    std::optional<std::string> caveat() const override { return allot::caveat<P>(config_); }

private:
    const typename P::Config config_;
    const Surroundings surroundings_;
};

// A look at the whole world may cost as much as the square of the number of sites; so seldom, it costs
// little.
inline std::uint64_t usual_verify(std::uint64_t sites) {
    return std::max<std::uint64_t>(1000, sites * sites);
}

// Where resources have names there are as many as the protocol was told of: more would be in use than there
// are.
template <Protocol P>
std::optional<std::string> unknown_resource(const typename P::Config& config, const Plan& plan) {
    if constexpr (requires { config.resources; }) {
        if (!plan.demand.fixed) return std::nullopt;
        const auto known = [&](const std::string& name) {
            return name.starts_with('r') && parse_number("", name.substr(1), 0, config.resources - 1);
        };
        if (!std::ranges::all_of(plan.demand.fixed->resources, known))
            return fmt::format("--demand {}: with --resources {} write some of {}", plan.demand.text(),
                               config.resources,
                               config.resources == 1 ? "r0" : fmt::format("r0 to r{}", config.resources - 1));
    }
    return std::nullopt;
}

template <Protocol P>
Result<Surroundings> surroundings_of(const typename P::Config& config, const Plan& plan,
                                     const Parameters& parameters) {
    Surroundings around;
    around.links = plan.links == LinkChoice::fifo ? Links::fifo : P::links;
    if (P::links == Links::fifo && plan.links == LinkChoice::unordered)
        return Error{"--links unordered: this protocol needs fifo links; leave the flag out"};
    if (auto why = unknown_resource<P>(config, plan)) return Error{std::move(*why)};
    if constexpr (requires { P::unfit(config, *plan.demand.fixed); })
        if (plan.demand.fixed)
            if (const auto why = P::unfit(config, *plan.demand.fixed))
                return Error{fmt::format("--demand {}: {}", plan.demand.text(), *why)};
    if (plan.give_up.after && !Cancels<P>)
        return Error{fmt::format("--give-up {}: {} has no cancel", plan.give_up.text(), P::name)};
    // Of named resources there may be too many sets to list.
    if constexpr (!DrawsDemands<P> || !requires { config.resources; }) {
        bool known = !plan.demand.fixed;
        for (SiteId site = 0; site < sites_of(config) && !known; ++site) {
            const auto demands = demands_of<P>(ContextOf<P>{config, site});
            known = std::find(demands.begin(), demands.end(), *plan.demand.fixed) != demands.end();
        }
        if (!known)
            return Error{fmt::format("--demand {}: nobody may ask for this in {} as it is set up here",
                                     plan.demand.text(), P::name)};
    }
    around.founders = plan.founders > 0 ? plan.founders : sites_of(config);
    if constexpr (requires { config.founders; })
        if (config.founders > 0) around.founders = config.founders;
    for (const Schedule::Item& item : plan.join.items)
        if (item.site < around.founders)
            return Error{
                fmt::format("--join {}: site {} is there from the start; write --founders {} or less",
                            plan.join.text(), item.site, item.site)};
    // The weakest detector of suspicions is still right about one site.
    if (plan.anchor.own)
        around.anchor = default_anchor<P>(config);
    else
        around.anchor = plan.anchor.site;
    const auto mortal = some_mortal<P>(config);
    if (!mortal && (plan.crashes > 0 || !plan.crash.items.empty()))
        return Error{fmt::format(
            "--{}: no site of {} may crash; leave the flag out",
            plan.crashes > 0 ? fmt::format("crashes {}", plan.crashes) : "crash " + plan.crash.text(),
            P::name)};
    if constexpr (requires(const ContextOf<P>& ctx) { P::may_crash(ctx); })
        for (const Schedule::Item& item : plan.crash.items)
            if (!P::may_crash(ContextOf<P>{config, item.site}))
                return Error{fmt::format("--crash {}: site {} of {} never crashes; write another, such as {}",
                                         plan.crash.text(), item.site, P::name, mortal.value_or(0))};
    if (!plan.restart.items.empty() && !sites_return<P>())
        return Error{fmt::format(
            "--restart {}: who is gone from {} does not come back; for newcomers write --founders and --join",
            plan.restart.text(), P::name)};
    for (const Schedule::Item& item : plan.crash.items)
        if (item.site == around.anchor)
            return Error{fmt::format("--crash {}: site {} is the anchor, which never crashes",
                                     plan.crash.text(), item.site)};
    if (plan.trust == world::Trust::anchor && !around.anchor)
        return Error{"--trust anchor: write --anchor SITE with it"};
    if (!plan.leave.items.empty() && !Leaves<P>)
        return Error{fmt::format("--leave: a site of {} cannot leave", P::name)};
    if (plan.corrupts() && !(world::HasDomains<P> && SaysLegal<P>))
        return Error{fmt::format(
            "--{}: {} does not say what its states may be",
            plan.start == Start::arbitrary ? "start arbitrary" : "corrupt-at " + plan.corrupt_at.text(),
            P::name)};
    if constexpr (requires { P::wrong_noise(config, plan.noise); })
        if (auto why = P::wrong_noise(config, plan.noise); why && plan.corrupts())
            return Error{std::move(*why)};
    around.capacity = std::max<std::uint64_t>(1, capacity_of<P>(config));
    around.verify = plan.verify.value.value_or(usual_verify(sites_of(config)));
    around.look = std::max<std::uint64_t>(1, plan.verify.value.value_or(sites_of(config) / 8));

    Parameters header = parameters;
    if (around.founders < sites_of(config)) header["founders"] = std::to_string(around.founders);
    header["trust"] = enum_name(plan.trust);
    header["anchor"] = around.anchor ? std::to_string(*around.anchor) : "none";
    header["links"] = enum_name(around.links);
    // Here a timer fires when its time has come, whatever is in flight.
    if (ReplacesMessages<P>) header["copies"] = "1000000";
    around.header = world::header_line(P::name, header);
    return around;
}

template <Protocol P>
Result<std::unique_ptr<Simulation>> make_simulation(const Parameters& parameters, const Plan& plan) {
    Parameters left = parameters;
    auto config = take_config<typename P::Config>(left);
    if (!config) return Error{config.error()};
    if constexpr (requires { config->founders; })
        if (plan.founders > 0) config->founders = plan.founders;
    if (auto error = wrong_config<P>(*config)) return Error{*error};
    if (!left.empty()) {
        world::Entry entry;
        entry.name = P::name;
        entry.parameters = parameters_of<typename P::Config>();
        return world::unknown_parameter(entry, left);
    }
    if (auto error = wrong(plan, sites_of(*config))) return Error{*error};
    auto around = surroundings_of<P>(*config, plan, parameters);
    if (!around) return Error{around.error()};
    return std::unique_ptr<Simulation>(
        std::make_unique<SimulationOf<P>>(std::move(*config), plan, std::move(*around)));
}

template <Protocol P>
Entry simulation_of() {
    return {P::name, make_simulation<P>};
}

}  // namespace allot::sim
