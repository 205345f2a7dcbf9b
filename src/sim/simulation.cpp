#include "sim/simulation.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "sim/run.hpp"
#include "world/demands.hpp"

namespace allot::sim {

namespace {

// Judging the whole world may cost the square of the number of sites; at this interval it costs little.
std::uint64_t usual_verify(std::uint64_t sites) {
    return std::max<std::uint64_t>(1000, sites * sites);
}

std::optional<std::string> crash_error(const world::Instance& instance, const Plan& plan,
                                       std::optional<SiteId> anchor) {
    const std::string_view name = instance.facts().name;
    const auto mortal = world::some_mortal(instance);
    if (!mortal && (plan.crashes > 0 || !plan.crash.items.empty()))
        return fmt::format(
            "--{}: no site of {} may crash; leave the flag out",
            plan.crashes > 0 ? fmt::format("crashes {}", plan.crashes) : "crash " + plan.crash.text(), name);
    for (const Schedule::Item& item : plan.crash.items)
        if (!instance.mortal(item.site))
            return fmt::format("--crash {}: site {} of {} never crashes; write another, such as {}",
                               plan.crash.text(), item.site, name, mortal.value_or(0));
    if (!plan.restart.items.empty() && !instance.facts().sites_return)
        return fmt::format(
            "--restart {}: a site that is gone from {} does not come back; for newcomers write --founders "
            "and --join",
            plan.restart.text(), name);
    for (const Schedule::Item& item : plan.crash.items)
        if (item.site == anchor)
            return fmt::format("--crash {}: site {} is the anchor, which never crashes", plan.crash.text(),
                               item.site);
    return std::nullopt;
}

std::optional<std::string> corruption_error(const world::Instance& instance, const Plan& plan) {
    if (!plan.corrupts()) return std::nullopt;
    const world::Facts& facts = instance.facts();
    if (!facts.has_domains || !facts.says_legal)
        return fmt::format(
            "--{}: {} does not say which worlds are legitimate",
            plan.start == Start::arbitrary ? "start arbitrary" : "corrupt-at " + plan.corrupt_at.text(),
            facts.name);
    return instance.noise_error(plan.noise);
}

// Why the protocol does not support the plan.
std::optional<std::string> plan_error(const world::Instance& instance, const Plan& plan,
                                      const Surroundings& around) {
    const world::Facts& facts = instance.facts();
    if (auto error = world::links_error(plan.links, facts.links)) return error;
    if (plan.demand.fixed)
        if (auto error = world::demand_error(instance, *plan.demand.fixed))
            return fmt::format("--demand {}: {}", plan.demand.text(), *error);
    if (plan.give_up.after && !facts.cancels)
        return fmt::format("--give-up {}: {} has no cancel", plan.give_up.text(), facts.name);
    for (const Schedule::Item& item : plan.join.items)
        if (item.site < around.founders)
            return fmt::format(
                "--join {}: site {} is a founder; write {}", plan.join.text(), item.site,
                item.site == 0 ? "another site" : fmt::format("--founders {} or less", item.site));
    if (auto error = crash_error(instance, plan, around.anchor)) return error;
    if (plan.trust == world::Trust::anchor && !around.anchor)
        return "--trust anchor: write --anchor SITE with it";
    if (!plan.leave.items.empty() && !facts.leaves)
        return fmt::format("--leave: a site of {} cannot leave", facts.name);
    return corruption_error(instance, plan);
}

Surroundings surroundings_of(const world::Instance& instance, const Plan& plan,
                             const Parameters& parameters) {
    const world::Facts& facts = instance.facts();
    const std::uint32_t sites = instance.sites();
    Surroundings around;
    around.links = plan.links == world::LinkChoice::fifo ? Links::fifo : facts.links;
    around.founders = plan.founders > 0 ? plan.founders : sites;
    if (const std::uint32_t founders = instance.founders()) around.founders = founders;
    around.anchor = plan.anchor.own ? world::default_anchor(instance) : plan.anchor.site;
    around.capacity = std::max<std::uint64_t>(1, instance.capacity());
    around.verify = plan.verify.value.value_or(usual_verify(sites));
    around.look = std::max<std::uint64_t>(1, plan.verify.value.value_or(sites / 8));

    Parameters header = parameters;
    if (around.founders < sites) header["founders"] = std::to_string(around.founders);
    header["trust"] = enum_name(plan.trust);
    header["anchor"] = around.anchor ? std::to_string(*around.anchor) : "none";
    header["links"] = enum_name(around.links);
    // In a simulation a timer fires when it is due, whatever is in flight.
    if (facts.replaces_messages) header["copies"] = "1000000";
    around.header = world::header_line(facts.name, header);
    return around;
}

}  // namespace

Figures Simulation::run(std::uint64_t seed, const Observer& observer) const {
    return Run(*instance_, plan_, surroundings_, seed, observer).go();
}

Result<std::unique_ptr<Simulation>> make_simulation(const world::Entry& entry, const Parameters& parameters,
                                                    const Plan& plan) {
    Parameters left = parameters;
    // A protocol that must know its founders has a parameter of that name.
    if (entry.names_founders && plan.founders > 0) left["founders"] = std::to_string(plan.founders);
    auto instance = entry.make_instance(left);
    if (!instance) return Error{instance.error()};
    if (!left.empty()) return world::unknown_parameter(entry, left);
    if (auto error = values_error(plan, (*instance)->sites())) return Error{std::move(*error)};
    Surroundings around = surroundings_of(**instance, plan, parameters);
    if (auto error = plan_error(**instance, plan, around)) return Error{std::move(*error)};
    return std::make_unique<Simulation>(std::move(*instance), plan, std::move(around));
}

}  // namespace allot::sim
