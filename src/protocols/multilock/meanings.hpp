// The parameters that all protocols with several named resources share.
#pragma once

#include "core/meaning.hpp"

namespace allot::multilock {

inline constexpr Meaning resources_meaning{"resources", "number of resources, r0, r1 and so on"};
inline constexpr Meaning max_request_meaning{"max_request",
                                             "maximum of resources of one request; 0: any number"};

}  // namespace allot::multilock
