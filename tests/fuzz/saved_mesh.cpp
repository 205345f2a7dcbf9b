// What a host that was stopped in order reads when it goes on.
#include "net/saved_mesh.hpp"

#include "fuzz/round_trip.hpp"

using namespace allot;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto saved = fuzz::round_trip<net::SavedMesh>(fuzz::as_text(data, size));
    if (!saved) return 0;
    for (const auto& [name, state] : saved->links) {
        const auto link = net::Link::restored(state);
        if (!link) continue;
        fuzz::demand(link->state() == state);
        fuzz::demand(link->last() - link->first() + 1 == state.kept.size());
    }
    return 0;
}
