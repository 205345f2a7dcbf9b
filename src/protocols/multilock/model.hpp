// The part of a model that all protocols with several named resources share.
#pragma once

#include "core/model.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot::multilock {

template <class P>
std::vector<Demand> demands_of(const ContextOf<P>& ctx) {
    return demands(resources_of(ctx.config), ctx.self);
}

// Requests for sets of resources. `demands` lists them for the checker.
template <class P>
constexpr RequestModel<P> named_requests(
    std::vector<Demand> (*demands)(const ContextOf<P>&) = &demands_of<P>) {
    using Config = typename P::Config;
    return {
        .demands = demands,
        .draw = [](const ContextOf<P>& ctx,
                   Random& random) { return draw_demand(resources_of(ctx.config), random); },
        .capacity = [](const Config& config) -> std::uint64_t { return config.resources; },
        .resources = [](const Config& config) { return config.resources; },
    };
}

}  // namespace allot::multilock
