// entry_of<P>(): the registry entry of a protocol. Included once per protocol, by generated files.
#pragma once

#include <algorithm>

#include "core/draw.hpp"
#include "core/stamps.hpp"
#include "world/entry.hpp"
#include "world/machine_of.hpp"

namespace allot::world {

template <Protocol P>
Result<std::unique_ptr<Machine>> make_machine(const Entry& entry, const Parameters& parameters) {
    Parameters left = parameters;
    auto config = take_config<typename P::Config>(left);
    if (!config) return Error{config.error()};
    if (const auto wrong = wrong_config<P>(*config)) return Error{*wrong};
    if constexpr (ReplacesMessages<P>) left.try_emplace("copies", "1");
    if (always_asks<P>()) left.try_emplace("requests", "any");
    auto setup = take_setup(left, sites_of(*config), P::links, default_anchor<P>(*config));
    if (!setup) return Error{setup.error()};
    // Where there are no stamps, there is nothing to rename.
    if (!has_stamps<P> && !has_stamps<typename P::Message>) setup->ranks = false;
    // A protocol whose sites must know who was there from the start has a member for it.
    if constexpr (requires { config->founders; })
        if (config->founders > 0) setup->founders = config->founders;
    if (setup->trust == Trust::anchor && !setup->anchor)
        return Error{"--trust anchor: write --anchor SITE with it"};
    if (setup->cancel && !Cancels<P>) return Error{"--cancel: " + std::string(P::name) + " has no cancel"};
    if (setup->leaves > 0 && !Leaves<P>)
        return Error{"--leaves: a site of " + std::string(P::name) + " cannot leave"};
    if (setup->crashes > 0 && !some_mortal<P>(*config))
        return Error{"--crashes " + std::to_string(setup->crashes) + ": no site of " + std::string(P::name) +
                     " may crash; leave the flag out"};
    if (setup->restarts > 0 && !sites_return<P>())
        return Error{"--restarts " + std::to_string(setup->restarts) + ": who is gone from " +
                     std::string(P::name) + " does not come back; for newcomers write --founders"};
    if (!left.empty()) return unknown_parameter(entry, left);
    if (const auto wrong = unknown_property(entry, *setup)) return Error{*wrong};
    auto machine = std::make_unique<MachineOf<P>>(*config, *setup);
    // A scenario has no anchor unless it says so.
    Parameters said = parameters;
    if (setup->anchor) said.try_emplace("anchor", std::to_string(*setup->anchor));
    // Nor has it timers that are in less of a hurry than it needs.
    if (ReplacesMessages<P>) said.try_emplace("copies", std::to_string(setup->copies));
    machine->set_header(header_line(P::name, said));
    return std::unique_ptr<Machine>(std::move(machine));
}

// Where the protocol says nothing of faults, there are none.
template <Protocol P>
void sample(Draw& draw) {
    if constexpr (Samples<P>) P::sample(draw);
    // Where a graph says how many sites there are, there is no such parameter.
    const auto parameters = parameters_of<typename P::Config>();
    if (std::ranges::any_of(parameters, [](const ParameterInfo& one) { return one.name == "sites"; }))
        draw.number("sites", 2, 5);
    if (always_asks<P>())
        draw.choice("requests", {"any"});
    else
        draw.requests(4);
}

template <Protocol P>
Entry entry_of() {
    Entry entry;
    entry.name = P::name;
    entry.problem = P::problem;
    entry.summary = P::summary;
    entry.links = P::links;
    entry.parameters = parameters_of<typename P::Config>();
    entry.repairs = repairs_of<typename P::Config>();
    entry.properties.assign(P::properties.begin(), P::properties.end());
    entry.make = [entry](const Parameters& parameters) { return make_machine<P>(entry, parameters); };
    entry.sample = sample<P>;
    return entry;
}

}  // namespace allot::world
