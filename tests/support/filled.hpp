// A value whose members all differ from their defaults, for tests of formats: numbers count up, texts are
// named after them, and containers have one element.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>
#include <string>
#include <utility>
#include <variant>

#include "core/reflect.hpp"

namespace allot::test {

class Filler {
public:
    template <Reflectable T>
    void fill(T& value) {
        if constexpr (reflect::Bool<T>) {
            value = true;
        } else if constexpr (reflect::Integer<T>) {
            value = static_cast<T>(next());
        } else if constexpr (reflect::DescribedEnum<T>) {
            boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
                [&](auto one) { value = one.value; });
        } else if constexpr (reflect::IsStamp<T>) {
            value = StampAccess::make(next());
        } else if constexpr (reflect::IsSiteId<T>) {
            value = static_cast<std::uint32_t>(next());
        } else if constexpr (reflect::String<T> || reflect::IsResourceId<T>) {
            value = "text" + std::to_string(next());
        } else if constexpr (reflect::Variant<T>) {
            std::visit([&](auto& alternative) { fill(alternative); }, value);
        } else if constexpr (reflect::Optional<T>) {
            fill(value.emplace());
        } else if constexpr (reflect::Pair<T>) {
            fill(value.first);
            fill(value.second);
        } else if constexpr (reflect::Map<T>) {
            std::pair<typename T::key_type, typename T::mapped_type> entry;
            fill(entry);
            value.insert(std::move(entry));
        } else if constexpr (reflect::Set<T>) {
            typename T::key_type key{};
            fill(key);
            value.insert(std::move(key));
        } else if constexpr (reflect::Sequence<T>) {
            typename T::value_type element{};
            fill(element);
            value.push_back(std::move(element));
        } else if constexpr (reflect::FixedArray<T>) {
            for (auto& element : value) fill(element);
        } else if constexpr (reflect::Struct<T>) {
            // An edition is no arbitrary number.
            for_each_member(value, [&](std::string_view name, auto& member) {
                if (name != "agreed_edition") fill(member);
            });
        }
    }

private:
    // From numbers of one byte to those of two, in every type.
    std::uint64_t next() { return number_ = number_ % 127 + 1; }

    std::uint64_t number_ = 0;
};

template <Reflectable T>
T filled() {
    T value{};
    Filler().fill(value);
    return value;
}

}  // namespace allot::test
