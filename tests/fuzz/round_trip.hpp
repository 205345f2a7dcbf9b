// What every target demands of a decoder: it takes any bytes without harm, and what it accepts is exactly
// what encoding gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/bytes.hpp"

namespace allot::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

inline void demand(bool holds) {
    if (!holds) std::abort();
}

template <class T>
std::optional<T> round_trip(std::string_view bytes) {
    auto value = from_bytes<T>(bytes, newest_edition);
    if (value) demand(to_bytes(*value, newest_edition) == bytes);
    return value;
}

}  // namespace allot::fuzz
