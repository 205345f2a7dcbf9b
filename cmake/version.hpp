#pragma once

#include <string_view>

namespace allot {

// The version that CMakeLists.txt names, such as "0.1.0".
extern const std::string_view version;

}  // namespace allot
