#include "miniatures/entries.hpp"

#include <array>

#include "miniatures/landlord.hpp"
#include "miniatures/one_in.hpp"
#include "miniatures/phoenix.hpp"
#include "miniatures/token_ring.hpp"
#include "miniatures/two_locks.hpp"
#include "miniatures/vanishing_client.hpp"
#include "world/entry_of.hpp"

namespace allot::miniatures {

std::span<const world::Entry> entries() {
    static const std::array all{world::entry_of<TokenRing>(), world::entry_of<VanishingClient>(),
                                world::entry_of<OneIn>(),     world::entry_of<TwoLocks>(),
                                world::entry_of<Phoenix>(),   world::entry_of<Landlord>()};
    return all;
}

}  // namespace allot::miniatures
