// Stamps: visits every Stamp anywhere within a value.
//
// A mutable visit may change stamps. If it renames them in order (a < b keeps f(a) < f(b)), as ranking does,
// every set and map keeps its size; if it makes keys equal, only the first of them stays.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/reflect.hpp"

namespace allot {

namespace stamps_detail {

template <class T>
consteval bool within();

template <class... Ts>
consteval bool within_any(boost::mp11::mp_list<Ts...>) {
    return (within<Ts>() || ... || false);
}

template <class T>
consteval bool within() {
    if constexpr (reflect::IsStamp<T>) {
        return true;
    } else if constexpr (reflect::Pair<T> || reflect::Variant<T>) {
        return within_any(boost::mp11::mp_rename<T, boost::mp11::mp_list>());
    } else if constexpr (reflect::Map<T>) {
        return within<typename T::key_type>() || within<typename T::mapped_type>();
    } else if constexpr (reflect::Optional<T> || reflect::FixedArray<T> || reflect::Sequence<T> ||
                         reflect::Set<T>) {
        return within<typename T::value_type>();
    } else if constexpr (reflect::Struct<T>) {
        return within_any(boost::mp11::mp_rename<reflect::MemberTypes<T>, boost::mp11::mp_list>());
    } else {
        return false;
    }
}

}  // namespace stamps_detail

template <class T>
constexpr bool has_stamps = stamps_detail::within<std::remove_const_t<T>>();

template <Reflectable T, class F>
void for_each_stamp(T& value, F&& f);

namespace stamps_detail {

// The keys of a set are constant because its order hangs on them, so the set is filled anew.
template <reflect::Set T, class F>
void visit_set(T& set, F& f) {
    std::vector<typename T::key_type> keys(set.begin(), set.end());
    set.clear();
    for (auto& key : keys) {
        for_each_stamp(key, f);
        set.insert(set.end(), std::move(key));
    }
}

template <reflect::Map T, class F>
void visit_map(T& map, F& f) {
    using Entry = std::pair<typename T::key_type, typename T::mapped_type>;
    std::vector<Entry> entries;
    entries.reserve(map.size());
    for (auto& [key, mapped] : map) entries.emplace_back(key, std::move(mapped));
    map.clear();
    for (auto& [key, mapped] : entries) {
        for_each_stamp(key, f);
        for_each_stamp(mapped, f);
        map.emplace_hint(map.end(), std::move(key), std::move(mapped));
    }
}

template <class T, class F>
void visit_entries(T& map, F& f) {
    for (auto& [key, mapped] : map) {
        for_each_stamp(std::as_const(key), f);
        for_each_stamp(mapped, f);
    }
}

}  // namespace stamps_detail

// Calls f(Stamp&), or f(const Stamp&) if the value is constant, in the canonical order of the value.
template <Reflectable T, class F>
void for_each_stamp(T& value, F&& f) {
    using Value = std::remove_const_t<T>;
    if constexpr (!has_stamps<T>) {
        return;
    } else if constexpr (reflect::IsStamp<Value>) {
        f(value);
    } else if constexpr (reflect::Optional<Value>) {
        if (value) for_each_stamp(*value, f);
    } else if constexpr (reflect::Pair<Value>) {
        for_each_stamp(value.first, f);
        for_each_stamp(value.second, f);
    } else if constexpr (reflect::Set<Value> && !std::is_const_v<T>) {
        stamps_detail::visit_set(value, f);
    } else if constexpr (reflect::Map<Value>) {
        if constexpr (!std::is_const_v<T> && has_stamps<typename Value::key_type>) {
            stamps_detail::visit_map(value, f);
        } else {
            stamps_detail::visit_entries(value, f);
        }
    } else if constexpr (reflect::Variant<Value>) {
        std::visit([&](auto& alternative) { for_each_stamp(alternative, f); }, value);
    } else if constexpr (reflect::Struct<Value>) {
        for_each_member(value, [&](std::string_view, auto& member) { for_each_stamp(member, f); });
    } else {
        for (auto& element : value) for_each_stamp(element, f);
    }
}

}  // namespace allot
