// The terminal that a command writes to.
#pragma once

#include <cstddef>

namespace allot::cli {

// The width of the terminal behind a descriptor; 0 if it is none, but a file or a pipe.
std::size_t columns_of(int descriptor);

}  // namespace allot::cli
