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

// Clocks, disks, cuts and pauses that the protocol does not know.
std::optional<std::string> hardware_error(const world::Facts& facts, const Plan& plan) {
    if (plan.drift.millionths > 0 && !facts.ticks && !facts.has_timers)
        return fmt::format("--drift {}: {} has neither clock nor timers", plan.drift.text(), facts.name);
    if (plan.syncs_late() && !facts.durable)
        return fmt::format("--fsync {}: a site of {} keeps nothing on a disk", plan.fsync.text(), facts.name);
    if ((plan.pauses > 0 || !plan.pause.items.empty()) && !facts.ticks)
        return fmt::format("--{}: a site of {} has no clock, so a pause is only a delay",
                           plan.pauses > 0 ? "pauses" : "pause", facts.name);
    if (plan.restart_after.after && !facts.sites_return)
        return fmt::format("--restart-after {}: a site that is gone from {} does not come back",
                           plan.restart_after.text(), facts.name);
    return std::nullopt;
}

// The most ticks by which two clocks differ: they begin within one tick, and then drift apart.
std::uint64_t most_skew(const Plan& plan, Time tick) {
    constexpr std::uint64_t million = 1'000'000;
    const std::uint64_t counted = plan.time.value / tick + 1;
    const std::uint64_t fast = million - plan.drift.millionths;
    return std::min<std::uint64_t>(2 + counted * 2 * plan.drift.millionths / fast, world::most_faults);
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
    if (auto error = hardware_error(facts, plan)) return error;
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
    around.tick = plan.tick.value.value_or(facts.ticks ? 100 * millisecond : millisecond);
    around.capacity = std::max<std::uint64_t>(1, instance.capacity());
    around.verify = plan.verify.value.value_or(usual_verify(sites));
    around.look = std::max<std::uint64_t>(1, plan.verify.value.value_or(sites / 8));

    Parameters header = parameters;
    if (around.founders < sites) header["founders"] = std::to_string(around.founders);
    header["trust"] = enum_name(plan.trust);
    header["anchor"] = around.anchor ? std::to_string(*around.anchor) : "none";
    header["links"] = enum_name(around.links);
    if (facts.ticks) header["skew"] = std::to_string(most_skew(plan, around.tick));
    if (plan.syncs_late()) header["writes"] = "late";
    if (!plan.property.names.empty()) header["property"] = plan.property.text();
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
    if (auto error = world::unknown_property(entry, plan.property)) return Error{std::move(*error)};
    if (auto error = values_error(plan, (*instance)->sites())) return Error{std::move(*error)};
    Surroundings around = surroundings_of(**instance, plan, parameters);
    if (auto error = plan_error(**instance, plan, around)) return Error{std::move(*error)};
    return std::make_unique<Simulation>(std::move(*instance), plan, std::move(around));
}

}  // namespace allot::sim
