// Recovery of a token protocol that has no function of its own for it (specs: views, section 4). In a new
// epoch a token is at the site that uses it, else where it is at the start. All else is as at the start, and
// all that wait ask again. That is safe, and everybody is served; but those that wait lose their order, and
// each request costs its messages once more.
//
// A protocol P derives from Fallback<P> and offers
//     P::at_start(ctx, users)       the state of site ctx.self before any request, if these sites have tokens
//     for_each_token(f)             calls f(resource) for each token of this site ...
//     P::for_each_token(message, f) ... and in that message; both are for properties only
// A request for tokens that are all here must be granted in its step, without a message.
#pragma once

#include <boost/container/flat_map.hpp>
#include <span>

#include "base/ensure.hpp"
#include "protocols/agreement/recovery.hpp"

namespace allot::agreement {

// The place of the host that uses a resource, for each that is in use.
using Users = boost::container::flat_map<ResourceId, SiteId>;

Users users_of(std::span<const Claim> claims);

template <class P>
class Fallback {
public:
    // Epochs knows the request of the program, and makes it again.
    template <class Context>
    Holdings holdings(const Context&) const {
        return {};
    }

    // A user asks for the tokens that it has, which brings its site to where it was. Its program knows
    // already what it holds.
    template <class Context, class Effects>
    static P rebuild(const Context& ctx, const Before<P>&, std::span<const Claim> claims, Effects&) {
        P site = P::at_start(ctx, users_of(claims));
        for (const Claim& claim : claims) {
            if (claim.phase != Phase::holding || claim.host != ctx.self) continue;
            Effects known;
            site.request(ctx, claim.demand, known);
            ensure(site.phase() == Phase::holding && known.sends().empty(),
                   "a request for tokens that are here is granted at once");
        }
        return site;
    }

    template <class Config>
    static Config among(const Config& config, std::uint32_t sites, std::uint32_t) {
        Config fewer = config;
        fewer.sites = sites;
        return fewer;
    }

    template <class Config>
    void forget_epoch(const Config&) {
        static_cast<P&>(*this) = P{};
    }

    static constexpr bool has_seats = false;
    static constexpr bool keeps_queues = false;

    bool operator==(const Fallback&) const = default;
};

}  // namespace allot::agreement
