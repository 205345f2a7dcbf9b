// The words every part shares: who a site is, what it asks for, and how far its request has come.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/meaning.hpp"
#include "core/resource_id.hpp"
#include "core/site_id.hpp"
#include "core/stamp.hpp"

namespace allot {

// Comes with the grant of a resource and only grows for that resource. It is made and compared like a
// Lamport time, so it is one.
using Fence = Stamp;

// One life of a site: a restarted site keeps its id and gets a higher incarnation.
struct Peer {
    SiteId site = 0;
    std::uint32_t incarnation = 0;
    auto operator<=>(const Peer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Peer, (), (site, incarnation))

// The participants, as all of them agree: views have the numbers 0, 1, 2 and so on.
struct AgreedView {
    std::uint32_t number = 0;
    std::vector<Peer> members;    // by site
    std::vector<Peer> certified;  // members of the view before whose programs need no waiting for
    bool has(const Peer& peer) const { return std::ranges::find(members, peer) != members.end(); }
    bool certifies(const Peer& peer) const { return std::ranges::find(certified, peer) != certified.end(); }
    bool operator==(const AgreedView&) const = default;
};
BOOST_DESCRIBE_STRUCT(AgreedView, (), (number, members, certified))

// A way in which a view differs from the one before it: a member goes, a site comes, or the newest
// incarnation of a site takes the place of an earlier one.
enum class ViewChange : std::uint8_t { remove, add, replace };
BOOST_DESCRIBE_ENUM(ViewChange, remove, add, replace)

// The content of a request: interchangeable units, or named resources in the caller's order.
struct Demand {
    std::uint32_t units = 1;
    std::vector<ResourceId> resources;
    // How much is asked for, either way.
    std::uint64_t size() const { return resources.empty() ? units : resources.size(); }
    auto operator<=>(const Demand&) const = default;
};
BOOST_DESCRIBE_STRUCT(Demand, (), (units, resources))

enum class Phase : std::uint8_t { idle, waiting, holding, leaving };
BOOST_DESCRIBE_ENUM(Phase, idle, waiting, holding, leaving)

// The order that a protocol needs from the links between two sites; both kinds deliver exactly once.
enum class Links : std::uint8_t { fifo, unordered };
BOOST_DESCRIBE_ENUM(Links, fifo, unordered)

// The disk of a site after a crash has everything that was synced (kept); also a write that was not synced
// yet (torn); nothing (lost); or an older image that somebody restored.
enum class Disk : std::uint8_t { kept, torn, lost, restored };
BOOST_DESCRIBE_ENUM(Disk, kept, torn, lost, restored)

struct PropertyName {
    std::string_view name;
    std::string_view meaning;
};

}  // namespace allot
