// Ids that only their owner makes: the requests of a client, say. An id is compared only with ids of the same
// owner, so how many another owner has made makes no difference; and only those that are still somewhere in
// the world count. A protocol that `normalise`s with `rename_ids` may make any number of them, and its worlds
// stay finite.
#pragma once

#include <boost/container/small_vector.hpp>

#include "core/view.hpp"
#include "core/visit.hpp"

namespace allot {

struct OwnId {
    SiteId owner = 0;
    Stamp number;

    OwnId next() const { return {owner, number.next()}; }
    auto operator<=>(const OwnId&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnId, (), (owner, number))

// Of each owner, numbers the ids that there are 0, 1, 2 and so on, in their order.
template <class P>
void rename_ids(MutableView<P>& world) {
    boost::container::small_vector<OwnId, 64> ids;
    const auto visit = [&](auto&& f) {
        for (auto& site : world.sites)
            if (site.up()) for_each_of<OwnId>(site.protocol, f);  // what is gone has no state left
        for (auto& envelope : world.flight) for_each_of<OwnId>(envelope.message, f);
    };
    visit([&](OwnId& id) { ids.push_back(id); });
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    visit([&](OwnId& id) {
        const auto first = std::ranges::lower_bound(ids, OwnId{id.owner, Stamp{}});
        const auto rank = std::ranges::lower_bound(ids, id) - first;
        id.number = StampAccess::make(static_cast<std::uint64_t>(rank));
    });
}

}  // namespace allot
