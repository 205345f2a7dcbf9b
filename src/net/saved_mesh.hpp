// The content of Mesh::saved(): this end of all links of a host, in canonical bytes (core/bytes.hpp).
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <utility>
#include <vector>

#include "net/link.hpp"
#include "net/link_frames.hpp"

namespace allot::net {

struct SavedMesh {
    std::uint32_t version = link_version;
    std::string self;
    std::uint64_t agreement = 0;
    std::vector<std::pair<std::string, LinkState>> links;  // by the name of the other host
    bool operator==(const SavedMesh&) const = default;
};
BOOST_DESCRIBE_STRUCT(SavedMesh, (), (version, self, agreement, links))

}  // namespace allot::net
