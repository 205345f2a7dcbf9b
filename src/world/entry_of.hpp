// entry_of<P>(): the registry entry of a protocol. Included once per protocol, by generated files.
#pragma once

#include "world/entry.hpp"
#include "world/instance_of.hpp"

namespace allot::world {

template <Protocol P>
Result<std::unique_ptr<Instance>> make_instance(Parameters& given) {
    if (const auto sites = given.find("sites"); sites != given.end() && sites->second == "0")
        return Error{"--sites 0: write a whole number from 1 on"};
    auto config = take_config<typename P::Config>(given);
    if (!config) return Error{config.error()};
    if (P::model.derive != nullptr) P::model.derive(*config);
    if (P::model.config_error != nullptr)
        if (auto error = P::model.config_error(*config)) return Error{std::move(*error)};
    return std::unique_ptr<Instance>(std::make_unique<InstanceOf<P>>(std::move(*config)));
}

// Flags that the laboratory's commands take themselves.
inline constexpr std::string_view command_flags[]{
    "checkpoint", "json",  "limit", "log",   "memory",  "out",   "resume", "runs",   "samples",
    "seed",       "seeds", "start", "store", "threads", "waits", "with",   "without"};

// Whether a parameter of a protocol has the name of a flag of the laboratory, which would never reach one of
// the two. `founders` may be both: a protocol that must know them names them in its model.
consteval bool takes_names_of_the_laboratory(const Type& config) {
    for (const Part& part : config.parts) {
        for (const Part& setup : type_of<Setup>.parts)
            if (part.name == setup.name && part.name != "founders") return true;
        for (const std::string_view flag : command_flags)
            if (part.name == flag) return true;
    }
    return false;
}

template <Protocol P>
Entry entry_of() {
    static_assert(reflect::has_no_undescribed_member<P>(),
                  "the description of the protocol lacks a member, or has them in another order");
    using Timer = TimerOf<P>;
    constexpr bool has_timers = takes<P, input::Timeout<Timer>>;
    static_assert(has_timers || std::same_as<Timer, NoTimer>,
                  "the protocol has timers, but its Input lacks input::Timeout<Timer>");
    static_assert(!has_timers || reflect::DescribedEnum<Timer>, "timers need names");
    static_assert(type_of<Timer>.enumerators.size() <= 32, "a protocol has at most 32 timers");
    static_assert(
        !takes_names_of_the_laboratory(type_of<typename P::Config>),
        "a member of Config has the name of a flag of the laboratory (world/setup.hpp, command_flags)");
    static_assert(explains_everything(type_of<typename P::Config>),
                  "a parameter or a repair has no meaning: add it to the table `meanings` beside it");
    const typename P::Config defaults;
    Entry entry{InstanceOf<P>::facts()};
    entry.parameters = parameters_of(type_of<typename P::Config>, &defaults);
    entry.repairs = repairs_of(type_of<typename P::Config>, &defaults);
    entry.make_instance = &make_instance<P>;
    entry.draw_parameters = P::model.sample;
    return entry;
}

}  // namespace allot::world
