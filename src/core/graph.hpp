// A graph: the neighbours of each site. Written `path:3`, `cycle:5`, `complete:5`, `star:4`, `grid:10x10`,
// `random:200:4:SEED` (nodes, mean degree, seed) or `edges:0-1,1-2`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/types.hpp"

namespace allot {

struct Graph {
    std::string shape = "path:2";
    std::vector<std::vector<SiteId>> neighbours{{1}, {0}};  // ascending, without the site itself

    static Result<Graph> parse(std::string_view name, std::string_view text);
    std::string text() const { return shape; }
    std::uint32_t sites() const { return static_cast<std::uint32_t>(neighbours.size()); }
    bool operator==(const Graph&) const = default;
};
BOOST_DESCRIBE_STRUCT(Graph, (), (shape, neighbours))

}  // namespace allot
