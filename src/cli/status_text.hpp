// The status of a cluster, for people.
#pragma once

#include <cstddef>
#include <string>

#include "session/status.hpp"

namespace allot::cli {

// It fits a terminal with this many columns; 0 is no terminal, and then lines have any length.
std::string status_text(const session::Status& status, std::size_t columns = 0);

}  // namespace allot::cli
