// Interner: keeps each distinct value once. Equal values have equal canonical bytes, so bytes are the key.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>

#include "base/stable_vector.hpp"
#include "core/hash.hpp"

namespace allot::walk {

template <class Value>
class Interner {
public:
    const Value& operator[](std::size_t id) const { return values_[id]; }
    std::size_t size() const { return values_.size(); }

    // `make` makes the value of a key that was not there.
    template <class Make>
    std::uint32_t intern(const std::string& key, Make&& make) {
        const auto [place, fresh] = ids_.try_emplace(key, static_cast<std::uint32_t>(values_.size()));
        const std::uint32_t id = place->second;
        if (fresh) values_.push_back(make());
        return id;
    }

    // Leaves the first `size` values, and hands the others over: take(value). Their ids are given again.
    template <class Take>
    void truncate(std::size_t size, Take&& take) {
        boost::unordered::erase_if(ids_, [size](const auto& entry) { return entry.second >= size; });
        while (values_.size() > size) take(values_.pop_back());
    }

private:
    struct BytesHash {
        using is_avalanching = void;
        std::size_t operator()(const std::string& bytes) const noexcept { return hash_bytes(bytes); }
    };
    boost::unordered_flat_map<std::string, std::uint32_t, BytesHash> ids_;
    StableVector<Value> values_;
};

}  // namespace allot::walk
