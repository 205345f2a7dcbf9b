// Arbitrary worlds: sites and channels drawn anew, for protocols that mend themselves from any state.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <vector>

#include "core/corrupt.hpp"
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

// Every local variable of the site; its application finds itself where the protocol believes it to be.
template <HasDomains P>
void draw_site(const ContextOf<P>& ctx, Site<P>& site, Random& random) {
    corrupt(site.protocol, random, [&](std::string_view member) { return P::domain(ctx, member); });
    if constexpr (requires { site.protocol.confine(ctx); }) site.protocol.confine(ctx);
    site.application.phase = site.protocol.phase();
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
