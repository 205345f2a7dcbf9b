// Arbitrary worlds: sites and channels drawn at random, for protocols that recover from any state.
#pragma once

#include <vector>

#include "core/random.hpp"
#include "world/instance.hpp"

namespace allot::world {

// The program finds itself where the protocol believes it to be; nobody has told it to stop.
void renew_application(const Instance& instance, Site& site);

// Draws every local variable of the site, and what its program believes.
void draw_site(const Instance& instance, SiteId self, Site& site, Random& random);

// Why no fault could lead to this state, with the value to write instead.
MaybeError never_drawn(const Instance& instance, SiteId self, const Site& site);

// Draws up to `noise` messages on each channel from this site.
void draw_messages(const Instance& instance, SiteId self, const Site& site, std::uint32_t noise,
                   Random& random, std::vector<Box<Envelope>>& drawn);

}  // namespace allot::world
