// What holds for ever: a site that is stuck where nothing more happens, or starves on a loop that repeats.
#pragma once

#include <optional>
#include <string>

#include "play/stage.hpp"

namespace allot::play {

// Each gives the reason why it is not so, or nothing if it is.

// The site waits, and no fair step leads to another world.
std::optional<std::string> why_not_stuck(Stage& stage, SiteId site);
// The loop repeats and is weakly fair, and the site waits all the while.
std::optional<std::string> why_not_starving(Stage& stage, SiteId site);
// A legitimate world is never reached: neither on the loop, nor, without one, where nothing more happens.
std::optional<std::string> why_not_diverging(Stage& stage);
// The last step left the legitimate worlds.
std::optional<std::string> why_not_leaving_legitimate(Stage& stage);

}  // namespace allot::play
