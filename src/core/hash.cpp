#include "core/hash.hpp"

#include <xxhash.h>

namespace allot {

// XXH3's result is specified and independent of byte order, unlike std::hash.
std::uint64_t hash_bytes(const void* data, std::size_t size) {
    return XXH3_64bits(data, size);
}

}  // namespace allot
