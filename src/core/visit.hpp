// for_each_of<Leaf>: visits every Leaf anywhere within a value: every stamp, say, or every id.
//
// A mutable visit may change leaves. If it renames them in order (a < b keeps f(a) < f(b)), as ranking does,
// every set and map keeps its size; if it makes keys equal, only the first of them stays.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/reflect.hpp"

namespace allot {

namespace visit_detail {

template <class Leaf, class T>
consteval bool within();

template <class Leaf, class... Ts>
consteval bool within_any(boost::mp11::mp_list<Ts...>) {
    return (within<Leaf, Ts>() || ... || false);
}

template <class Leaf, class T>
consteval bool within() {
    if constexpr (std::same_as<T, Leaf>) {
        return true;
    } else if constexpr (reflect::Pair<T> || reflect::Variant<T>) {
        return within_any<Leaf>(boost::mp11::mp_rename<T, boost::mp11::mp_list>());
    } else if constexpr (reflect::Map<T>) {
        return within<Leaf, typename T::key_type>() || within<Leaf, typename T::mapped_type>();
    } else if constexpr (reflect::Optional<T> || reflect::FixedArray<T> || reflect::Sequence<T> ||
                         reflect::Set<T>) {
        return within<Leaf, typename T::value_type>();
    } else if constexpr (reflect::Struct<T>) {
        return within_any<Leaf>(boost::mp11::mp_rename<reflect::MemberTypes<T>, boost::mp11::mp_list>());
    } else {
        return false;
    }
}

}  // namespace visit_detail

template <class Leaf, class T>
constexpr bool has_any_of = visit_detail::within<Leaf, std::remove_const_t<T>>();

template <class Leaf, Reflectable T, class F>
void for_each_of(T& value, F&& f);

namespace visit_detail {

// The keys of a set are constant because its order hangs on them, so the set is filled again.
template <class Leaf, reflect::Set T, class F>
void visit_set(T& set, F& f) {
    std::vector<typename T::key_type> keys(set.begin(), set.end());
    set.clear();
    for (auto& key : keys) {
        for_each_of<Leaf>(key, f);
        set.insert(set.end(), std::move(key));
    }
}

template <class Leaf, reflect::Map T, class F>
void visit_map(T& map, F& f) {
    using Entry = std::pair<typename T::key_type, typename T::mapped_type>;
    std::vector<Entry> entries;
    entries.reserve(map.size());
    for (auto& [key, mapped] : map) entries.emplace_back(key, std::move(mapped));
    map.clear();
    for (auto& [key, mapped] : entries) {
        for_each_of<Leaf>(key, f);
        for_each_of<Leaf>(mapped, f);
        map.emplace_hint(map.end(), std::move(key), std::move(mapped));
    }
}

template <class Leaf, class T, class F>
void visit_entries(T& map, F& f) {
    for (auto& [key, mapped] : map) {
        for_each_of<Leaf>(std::as_const(key), f);
        for_each_of<Leaf>(mapped, f);
    }
}

}  // namespace visit_detail

// Calls f(Leaf&), or f(const Leaf&) if the value is constant, in the canonical order of the value.
template <class Leaf, Reflectable T, class F>
void for_each_of(T& value, F&& f) {
    using Value = std::remove_const_t<T>;
    if constexpr (!has_any_of<Leaf, T>) {
        return;
    } else if constexpr (std::same_as<Value, Leaf>) {
        f(value);
    } else if constexpr (reflect::Optional<Value>) {
        if (value) for_each_of<Leaf>(*value, f);
    } else if constexpr (reflect::Pair<Value>) {
        for_each_of<Leaf>(value.first, f);
        for_each_of<Leaf>(value.second, f);
    } else if constexpr (reflect::Set<Value> && !std::is_const_v<T>) {
        visit_detail::visit_set<Leaf>(value, f);
    } else if constexpr (reflect::Map<Value>) {
        if constexpr (!std::is_const_v<T> && has_any_of<Leaf, typename Value::key_type>) {
            visit_detail::visit_map<Leaf>(value, f);
        } else {
            visit_detail::visit_entries<Leaf>(value, f);
        }
    } else if constexpr (reflect::Variant<Value>) {
        std::visit([&](auto& alternative) { for_each_of<Leaf>(alternative, f); }, value);
    } else if constexpr (reflect::Struct<Value>) {
        for_each_member(value, [&](std::string_view, auto& member) { for_each_of<Leaf>(member, f); });
    } else {
        for (auto& element : value) for_each_of<Leaf>(element, f);
    }
}

}  // namespace allot
