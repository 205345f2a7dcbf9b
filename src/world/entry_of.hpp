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

template <Protocol P>
Entry entry_of() {
    static_assert(!takes<P, input::Timeout<TimerOf<P>>> || reflect::DescribedEnum<TimerOf<P>>,
                  "timers need names");
    const typename P::Config defaults;
    Entry entry{InstanceOf<P>::facts()};
    entry.parameters = parameters_of(type_of<typename P::Config>, &defaults, {});
    entry.repairs = repairs_of(type_of<typename P::Config>, &defaults);
    entry.make_instance = &make_instance<P>;
    entry.draw_parameters = P::model.sample;
    return entry;
}

}  // namespace allot::world
