// The graph of all worlds of a small instance, as `check --worlds` writes it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "core/parameters.hpp"
#include "world/entry.hpp"

namespace allot::cli {

// The content of the file; its name says whether it is a page (.html) or for Graphviz (.dot). The error says
// why there is none. Throws stop::Due.
Result<std::string> graph_file(const world::Entry& entry, const Parameters& parameters,
                               const std::string& path);

}  // namespace allot::cli
