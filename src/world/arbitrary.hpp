// Arbitrary worlds: sites and channels drawn anew, for protocols that mend themselves from any state.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/corrupt.hpp"
#include "core/json.hpp"
#include "core/random.hpp"
#include "core/view.hpp"

namespace allot::world {

// Optional hooks: the range of a member, and whom a site may send to.
template <class P>
concept HasDomains = requires(const ContextOf<P>& ctx, std::string_view member) {
    { P::domain(ctx, member) } -> std::same_as<std::optional<Domain>>;
};
template <class P>
concept HasChannels = requires(const ContextOf<P>& ctx) {
    { P::channels(ctx) } -> std::same_as<std::vector<SiteId>>;
};

// The program finds itself where the protocol believes it to be; nobody has told it to stop.
template <class P>
void renew_application(Site<P>& site) {
    Application renewed{site.protocol.phase(), site.application.requests_left};
    if (renewed.phase != Phase::idle) {
        renewed.demand = site.application.demand;
        if constexpr (requires { site.protocol.demand(); }) renewed.demand = site.protocol.demand();
    }
    site.application = std::move(renewed);
}

// Every local variable of the site, and what its program believes.
template <HasDomains P>
void draw_site(const ContextOf<P>& ctx, Site<P>& site, Random& random) {
    corrupt(site.protocol, random, [&](std::string_view member) { return P::domain(ctx, member); });
    if constexpr (requires { site.protocol.confine(ctx); }) site.protocol.confine(ctx);
    renew_application(site);
}

// What to write instead, where a fault could never lead to this state.
template <HasDomains P>
std::optional<std::string> never_drawn(const ContextOf<P>& ctx, const P& state) {
    if (auto why = outside(state, [&](std::string_view member) { return P::domain(ctx, member); }))
        return why;
    if constexpr (requires(P & drawn) { drawn.confine(ctx); }) {
        P confined = state;
        confined.confine(ctx);
        const boost::json::value written = to_json(state);
        const boost::json::value right = to_json(confined);
        for (const auto& [member, value] : right.as_object())
            if (written.at(member) != value) return std::string(member) + ": write " + json_text(value);
    }
    return std::nullopt;
}

// Up to `noise` messages on each channel from this site.
template <HasDomains P>
void draw_messages(const ContextOf<P>& ctx, std::uint32_t noise, Random& random,
                   std::vector<Envelope<typename P::Message>>& drawn) {
    if constexpr (HasChannels<P>)
        for (const SiteId to : P::channels(ctx))
            for (auto count = random(std::uint64_t{noise} + 1); count > 0; --count) {
                Envelope<typename P::Message> envelope{ctx.self, to, {}};
                corrupt(envelope.message, random,
                        [&](std::string_view member) { return P::domain(ctx, member); });
                drawn.push_back(std::move(envelope));
            }
}

}  // namespace allot::world
