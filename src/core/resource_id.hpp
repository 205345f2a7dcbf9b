// ResourceId: a resource with a name, as protocols handle it: a small number that stands for the name.
//
// Numbers are given as names appear, so they mean something within one process only. Whatever leaves it
// (frames, files, JSON) carries the name, and ids are ordered by their names: all hosts see one order.
//
// A name stays known until the process ends, or forgets it (resource_names.hpp).
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace allot {

class ResourceId {
public:
    ResourceId() = default;  // the empty name
    template <std::convertible_to<std::string_view> Name>
    ResourceId(const Name& name) : begin_(begin_of(name)), number_(number_of(name)) {}

    const std::string& name() const;

    friend bool operator==(ResourceId a, ResourceId b) { return a.number_ == b.number_; }
    friend std::strong_ordering operator<=>(ResourceId a, ResourceId b) {
        if (a.begin_ != b.begin_) return a.begin_ <=> b.begin_;
        return a == b ? std::strong_ordering::equal : a.name() <=> b.name();
    }

private:
    static std::uint32_t number_of(std::string_view name);
    static constexpr std::uint64_t begin_of(std::string_view name) {
        std::uint64_t begin = 0;
        for (std::size_t i = 0; i < 8; ++i)
            begin = begin << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0u);
        return begin;
    }

    friend std::hash<ResourceId>;

    std::uint64_t begin_ = 0;  // the first letters of the name: most comparisons need no more
    std::uint32_t number_ = 0;
};

}  // namespace allot

template <>
struct std::hash<allot::ResourceId> {
    std::size_t operator()(allot::ResourceId resource) const { return resource.number_; }
};
