// Hashes: 64 bits of a value's canonical bytes, the same on every host and in every run.
//
// Not a defence against someone who chooses the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bytes.hpp"

namespace allot {

std::uint64_t hash_bytes(const void* data, std::size_t size);

inline std::uint64_t hash_bytes(std::string_view bytes) {
    return hash_bytes(bytes.data(), bytes.size());
}

template <Reflectable T>
std::uint64_t hash_of(const T& value) {
    return hash_bytes(to_bytes(value));
}

}  // namespace allot
