// The status of a cluster, for people.
#pragma once

#include <string>

#include "session/status.hpp"

namespace allot::cli {

std::string status_text(const session::Status& status);

}  // namespace allot::cli
