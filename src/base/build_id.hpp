// The id of the running program's build, which the linker computes from its content.
#pragma once

#include <string>

namespace allot {

// In hexadecimal digits; empty if the linker gave none.
std::string build_id();

}  // namespace allot
