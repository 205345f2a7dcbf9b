// The parts of a model that all protocols of the broker share. P::manner(config) says what a request of
// protocol P may name.
#pragma once

#include "core/model.hpp"
#include "protocols/broker/group.hpp"

namespace allot::broker {

// Clients ask, and resources serve them.
template <class P>
constexpr RequestModel<P> client_requests() {
    using Config = typename P::Config;
    using Context = ContextOf<P>;
    return {
        .asks = [](const Context& ctx) { return ctx.config.is_client(ctx.self); },
        .demands = [](const Context& ctx) { return demands(ctx.config, P::manner(ctx.config), ctx.self); },
        .unlisted = [](const Config& config) { return unlisted(config, P::manner(config)); },
        .draw =
            [](const Context& ctx, Random& random) {
                return draw_demand(ctx.config, P::manner(ctx.config), ctx.self, random);
            },
        .demand_error = [](const Config& config,
                           const Demand& demand) { return demand_error(config, P::manner(config), demand); },
        .capacity = [](const Config& config) -> std::uint64_t { return config.resources; },
        .resources = [](const Config& config) { return config.resources; },
    };
}

// Resources stay; clients vanish and do not return, and the resources that keep state about them are told.
template <class P>
constexpr FaultModel<P> vanishing_clients() {
    return {
        .hears = {Detection::departed},
        .mortal = [](const ContextOf<P>& ctx) { return ctx.config.is_client(ctx.self); },
        .watches = &P::watches,
        .sites_return = false,
    };
}

template <class P>
std::uint32_t sites_of(const typename P::Config& config) {
    return config.sites();
}
template <class P>
std::uint32_t founders_of(const typename P::Config& config) {
    return config.founders;
}

}  // namespace allot::broker
