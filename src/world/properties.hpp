// The properties that every protocol is judged by, beside its own.
#pragma once

#include <array>

#include "core/types.hpp"

namespace allot::world {

inline constexpr PropertyName contract{"contract",
                                       "grants, releases and phases agree with what the application asked"};
inline constexpr PropertyName assertion{"assertion", "no assertion inside a handler fails"};
inline constexpr PropertyName deadlock{"deadlock",
                                       "no live site waits in a world where nothing more will happen"};
inline constexpr PropertyName servable{"servable",
                                       "from every world each live site that waits can still be served"};
inline constexpr PropertyName starvation{"starvation",
                                         "under weak fairness every live site that waits is served"};
// These two only from arbitrary starts.
inline constexpr PropertyName closure{"closure", "a legitimate world leads to legitimate worlds only"};
inline constexpr PropertyName convergence{"convergence",
                                          "under weak fairness every run reaches legitimate worlds"};

inline constexpr std::array common_properties{contract, assertion, deadlock, servable, starvation};
inline constexpr std::array properties_from_anywhere{closure, convergence};

}  // namespace allot::world
