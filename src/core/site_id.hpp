// SiteId: the number of a site, from 0 on. It is a type of its own, so that descriptions tell it from other
// numbers; it reads and writes like a number.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>

namespace allot {

class SiteId {
public:
    constexpr SiteId() = default;
    template <std::integral Number>
    constexpr SiteId(Number number) : number_(static_cast<std::uint32_t>(number)) {}

    constexpr operator std::uint32_t() const { return number_; }
    constexpr SiteId& operator++() {
        ++number_;
        return *this;
    }

private:
    std::uint32_t number_ = 0;
};

}  // namespace allot

template <>
struct std::hash<allot::SiteId> : std::hash<std::uint32_t> {};
