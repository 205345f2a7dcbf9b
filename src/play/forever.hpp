// Judges what holds forever: a site is stuck because nothing more happens, or starves on a loop that repeats.
#pragma once

#include <optional>
#include <string>

#include "play/stage.hpp"

namespace allot::play {

// Each function returns why the statement is false, or nothing if it is true.

// The site waits, and no fair step leads to another world.
std::optional<std::string> why_not_stuck(Stage& stage, SiteId site);
// The loop repeats and is weakly fair, and the site waits all the while.
std::optional<std::string> why_not_starving(Stage& stage, SiteId site);
// No legitimate world is reached: neither on the loop nor, without one, where nothing more happens.
std::optional<std::string> why_not_diverging(Stage& stage);
// The last step left the legitimate worlds.
std::optional<std::string> why_not_leaving_legitimate(Stage& stage);

}  // namespace allot::play
