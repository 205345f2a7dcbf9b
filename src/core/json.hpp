// JSON of described values, for people and scenario files.
//
// A struct is an object in the order of its description, an enum its name, a stamp its number, a variant
// {"Kind": {...}}, an optional null or its value, a pair [first, second], a map with string keys an object
// and any other map an array of [key, value]; every other container is an array.
//
// merge_json changes only what the partial value names; an array replaces a container whole, while an object
// with indices as names ({"2": 5}) changes only those elements. json_contains asks whether a partial value,
// written the same way, agrees with a whole one. This is the only header that includes Boost.JSON.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/reflect.hpp"

namespace allot {

namespace json_detail {

// Boost.JSON writes 1.5 as 1.5E0, which is not what a person wrote.
inline std::string text_of(double number) {
    if (!std::isfinite(number)) return "null";
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string text(buffer.data(), end);
    const bool looks_whole = text.find_first_of(".e") == std::string::npos;
    return looks_whole ? text + ".0" : text;
}

}  // namespace json_detail

// One line, with a space after ':' and ','.
inline std::string json_text(const boost::json::value& value) {
    std::string_view separator;
    std::string text;
    if (const auto* object = value.if_object()) {
        for (const auto& member : *object) {
            text.append(separator).append(boost::json::serialize(member.key())).append(": ");
            text.append(json_text(member.value()));
            separator = ", ";
        }
        return "{" + text + "}";
    }
    if (const auto* array = value.if_array()) {
        for (const auto& element : *array) {
            text.append(separator).append(json_text(element));
            separator = ", ";
        }
        return "[" + text + "]";
    }
    if (const auto* number = value.if_double()) return json_detail::text_of(*number);
    return boost::json::serialize(value);
}

namespace json_detail {

using Error = std::optional<std::string>;

inline Error not_expected(const std::string& path, const boost::json::value& found,
                          const std::string& expected) {
    return path + ": " + json_text(found) + " is not " + expected;
}

template <class Names>
std::string listed(const Names& names) {
    std::string text;
    for (const std::string_view name : names) {
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

// The index an object's member names, such as the 2 of {"2": 5}; nothing for "02", "-1" or "two".
inline std::optional<std::size_t> index_from(std::string_view name) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool canonical = name.size() == 1 || (!name.empty() && name.front() != '0');
    if (error != std::errc() || end != name.data() + name.size() || !canonical) return std::nullopt;
    return index;
}

template <reflect::Integer T>
std::optional<T> whole_number(const boost::json::value& value) {
    if (const auto* number = value.if_int64()) {
        return std::in_range<T>(*number) ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
    }
    if (const auto* number = value.if_uint64()) {
        return std::in_range<T>(*number) ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
    }
    return std::nullopt;
}

template <reflect::Integer T>
std::string whole_number_range() {
    using Limits = std::numeric_limits<T>;
    return "a whole number from " + std::to_string(Limits::min()) + " to " + std::to_string(Limits::max());
}

template <reflect::Integer T>
boost::json::value number(T value) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<Wide>(value);
}

}  // namespace json_detail

template <Reflectable T>
boost::json::value to_json(const T& value);

namespace json_detail {

template <class T>
boost::json::value from_elements(const T& container) {
    boost::json::array array;
    for (const typename T::value_type& element : container) array.push_back(to_json(element));
    return array;
}

template <reflect::Map T>
boost::json::value from_map(const T& map) {
    if constexpr (reflect::String<typename T::key_type>) {
        boost::json::object object;
        for (const auto& [key, mapped] : map) object.emplace(key, to_json(mapped));
        return object;
    } else {
        boost::json::array array;
        for (const auto& [key, mapped] : map) {
            array.push_back(boost::json::array{to_json(key), to_json(mapped)});
        }
        return array;
    }
}

template <reflect::Variant T>
boost::json::value from_variant(const T& variant) {
    boost::json::object object;
    std::visit([&](const auto& value) { object.emplace(kind_name(variant), to_json(value)); }, variant);
    return object;
}

template <reflect::Struct T>
boost::json::value from_struct(const T& value) {
    boost::json::object object;
    for_each_member(
        value, [&](std::string_view name, const auto& member) { object.emplace(name, to_json(member)); });
    return object;
}

template <reflect::Enum T>
boost::json::value from_enum(T value) {
    if constexpr (reflect::DescribedEnum<T>) {
        if (const auto name = enum_name(value); !name.empty()) return boost::json::string(name);
    }
    return number(static_cast<std::underlying_type_t<T>>(value));
}

}  // namespace json_detail

template <Reflectable T>
boost::json::value to_json(const T& value) {
    if constexpr (reflect::Bool<T>) {
        return boost::json::value(value);
    } else if constexpr (reflect::Integer<T>) {
        return json_detail::number(value);
    } else if constexpr (reflect::Enum<T>) {
        return json_detail::from_enum(value);
    } else if constexpr (reflect::IsStamp<T>) {
        return json_detail::number(StampAccess::value(value));
    } else if constexpr (reflect::String<T>) {
        return boost::json::string(value);
    } else if constexpr (reflect::Optional<T>) {
        return value ? to_json(*value) : boost::json::value(nullptr);
    } else if constexpr (reflect::Pair<T>) {
        return boost::json::array{to_json(value.first), to_json(value.second)};
    } else if constexpr (reflect::Map<T>) {
        return json_detail::from_map(value);
    } else if constexpr (reflect::FixedArray<T> || reflect::Sequence<T> || reflect::Set<T>) {
        return json_detail::from_elements(value);
    } else if constexpr (reflect::Variant<T>) {
        return json_detail::from_variant(value);
    } else {
        return json_detail::from_struct(value);
    }
}

namespace json_detail {

// Merges in place and may leave the target half merged on error; merge_json below repairs that.
template <class T>
Error merge(T& target, const boost::json::value& partial, const std::string& path);

template <class T>
Error merge_fresh(T& target, const boost::json::value& whole, const std::string& path) {
    target = T{};
    return merge(target, whole, path);
}

inline std::string at(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
}

inline std::string at(const std::string& path, std::string_view name) {
    return path + "." + std::string(name);
}

template <reflect::Integer T>
Error merge_integer(T& target, const boost::json::value& partial, const std::string& path) {
    const auto read = whole_number<T>(partial);
    if (!read) return not_expected(path, partial, whole_number_range<T>());
    target = *read;
    return std::nullopt;
}

inline Error merge_bool(bool& target, const boost::json::value& partial, const std::string& path) {
    if (!partial.is_bool()) return not_expected(path, partial, "true or false");
    target = partial.get_bool();
    return std::nullopt;
}

inline Error merge_stamp(Stamp& target, const boost::json::value& partial, const std::string& path) {
    std::uint64_t number = 0;
    if (auto error = merge_integer(number, partial, path)) return error;
    target = StampAccess::make(number);
    return std::nullopt;
}

inline Error merge_string(std::string& target, const boost::json::value& partial, const std::string& path) {
    if (!partial.is_string()) return not_expected(path, partial, "a string");
    target.assign(partial.get_string().begin(), partial.get_string().end());
    return std::nullopt;
}

template <reflect::Enum T>
Error merge_enum(T& target, const boost::json::value& partial, const std::string& path) {
    if constexpr (reflect::DescribedEnum<T>) {
        std::optional<T> named;
        if (const auto* name = partial.if_string()) named = enum_from<T>({name->data(), name->size()});
        if (!named) return not_expected(path, partial, "one of " + listed(enum_names<T>()));
        target = *named;
        return std::nullopt;
    } else {
        std::underlying_type_t<T> number{};
        if (auto error = merge_integer(number, partial, path)) return error;
        target = static_cast<T>(number);
        return std::nullopt;
    }
}

template <reflect::Optional T>
Error merge_optional(T& target, const boost::json::value& partial, const std::string& path) {
    if (partial.is_null()) {
        target.reset();
        return std::nullopt;
    }
    if (!target) target.emplace();
    return merge(*target, partial, path);
}

template <class First, class Second>
Error merge_pair(First& first, Second& second, const boost::json::value& whole, const std::string& path,
                 const std::string& expected) {
    const auto* array = whole.if_array();
    if (array == nullptr || array->size() != 2) return not_expected(path, whole, expected);
    if (auto error = merge_fresh(first, (*array)[0], at(path, 0))) return error;
    return merge_fresh(second, (*array)[1], at(path, 1));
}

// Goes through a copy of the element, because those of std::vector<bool> can't be referred to.
template <class T>
Error merge_element(T& container, std::string_view name, const boost::json::value& partial,
                    const std::string& path) {
    if (container.size() == 0) return path + ": \"" + std::string(name) + "\" is not an index: it is empty";
    const auto index = index_from(name);
    if (!index || *index >= container.size()) {
        return path + ": \"" + std::string(name) + "\" is not an index from 0 to " +
               std::to_string(container.size() - 1);
    }
    typename T::value_type element = container[*index];
    if (auto error = merge(element, partial, at(path, *index))) return error;
    container[*index] = std::move(element);
    return std::nullopt;
}

template <class T>
Error merge_elements(T& container, const boost::json::object& named, const std::string& path) {
    for (const auto& member : named) {
        if (auto error = merge_element(container, member.key(), member.value(), path)) return error;
    }
    return std::nullopt;
}

template <reflect::FixedArray T>
Error merge_array(T& target, const boost::json::value& partial, const std::string& path) {
    if (const auto* object = partial.if_object()) return merge_elements(target, *object, path);
    const auto* array = partial.if_array();
    if (array == nullptr || array->size() != target.size()) {
        return not_expected(path, partial,
                            "an array of " + std::to_string(target.size()) + ", or an object of its indices");
    }
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (auto error = merge_fresh(target[i], (*array)[i], at(path, i))) return error;
    }
    return std::nullopt;
}

template <reflect::Sequence T>
Error merge_sequence(T& target, const boost::json::value& partial, const std::string& path) {
    if (const auto* object = partial.if_object()) return merge_elements(target, *object, path);
    const auto* array = partial.if_array();
    if (array == nullptr) return not_expected(path, partial, "an array, or an object of its indices");
    target.clear();
    for (const auto& value : *array) {
        typename T::value_type element{};
        if (auto error = merge(element, value, at(path, target.size()))) return error;
        target.push_back(std::move(element));
    }
    return std::nullopt;
}

template <reflect::Set T>
Error merge_set(T& target, const boost::json::value& whole, const std::string& path) {
    const auto* array = whole.if_array();
    if (array == nullptr) return not_expected(path, whole, "an array");
    target.clear();
    for (const auto& value : *array) {
        typename T::key_type key{};
        const std::string place = at(path, target.size());
        if (auto error = merge(key, value, place)) return error;
        if (!target.insert(std::move(key)).second) return place + ": " + json_text(value) + " is there twice";
    }
    return std::nullopt;
}

template <reflect::Map T>
Error merge_string_map(T& target, const boost::json::value& partial, const std::string& path) {
    const auto* object = partial.if_object();
    if (object == nullptr) return not_expected(path, partial, "an object");
    for (const auto& member : *object) {
        const std::string key(member.key());
        if (auto error = merge(target[key], member.value(), at(path, key))) return error;
    }
    return std::nullopt;
}

template <reflect::Map T>
Error merge_map(T& target, const boost::json::value& whole, const std::string& path) {
    const auto* array = whole.if_array();
    if (array == nullptr) return not_expected(path, whole, "an array of [key, value]");
    target.clear();
    for (const auto& entry : *array) {
        typename T::key_type key{};
        typename T::mapped_type mapped{};
        const std::string place = at(path, target.size());
        if (auto error = merge_pair(key, mapped, entry, place, "[key, value]")) return error;
        const bool added = target.emplace(std::move(key), std::move(mapped)).second;
        if (!added) return place + ": " + json_text(entry.at(0)) + " is a key twice";
    }
    return std::nullopt;
}

// A partial value of the kind that is there already merges into it; another kind starts from its default.
template <reflect::Variant T>
Error merge_variant(T& target, const boost::json::value& partial, const std::string& path) {
    const auto* object = partial.if_object();
    if (object == nullptr || object->size() != 1) {
        return not_expected(path, partial, "{\"KIND\": value} with KIND one of " + listed(kind_names<T>()));
    }
    const std::string_view kind = object->begin()->key();
    Error error = path + ": \"" + std::string(kind) + "\" is not one of " + listed(kind_names<T>());
    boost::mp11::mp_for_each<boost::mp11::mp_iota_c<std::variant_size_v<T>>>([&](auto i) {
        if (kind != kind_names<T>()[i]) return;
        if (target.index() != i) target.template emplace<i>();
        error = merge(std::get<i>(target), object->begin()->value(), at(path, kind));
    });
    return error;
}

template <reflect::Struct T>
std::string member_list(const T& value) {
    std::vector<std::string_view> names;
    for_each_member(value, [&](std::string_view name, const auto&) { names.push_back(name); });
    return names.empty() ? "it has no members" : "its members are " + listed(names);
}

template <reflect::Struct T>
Error merge_member(T& target, std::string_view named, const boost::json::value& partial,
                   const std::string& path) {
    bool found = false;
    Error error;
    for_each_member(target, [&](std::string_view name, auto& member) {
        if (named != name) return;
        found = true;
        error = merge(member, partial, at(path, named));
    });
    if (!found) return path + ": \"" + std::string(named) + "\" is not a member; " + member_list(target);
    return error;
}

template <reflect::Struct T>
Error merge_struct(T& target, const boost::json::value& partial, const std::string& path) {
    const auto* object = partial.if_object();
    if (object == nullptr) return not_expected(path, partial, "an object; " + member_list(target));
    for (const auto& member : *object) {
        if (auto error = merge_member(target, member.key(), member.value(), path)) return error;
    }
    return std::nullopt;
}

template <class T>
Error merge(T& target, const boost::json::value& partial, const std::string& path) {
    if constexpr (reflect::Bool<T>) {
        return merge_bool(target, partial, path);
    } else if constexpr (reflect::Integer<T>) {
        return merge_integer(target, partial, path);
    } else if constexpr (reflect::Enum<T>) {
        return merge_enum(target, partial, path);
    } else if constexpr (reflect::IsStamp<T>) {
        return merge_stamp(target, partial, path);
    } else if constexpr (reflect::String<T>) {
        return merge_string(target, partial, path);
    } else if constexpr (reflect::Optional<T>) {
        return merge_optional(target, partial, path);
    } else if constexpr (reflect::Pair<T>) {
        return merge_pair(target.first, target.second, partial, path, "an array of 2");
    } else if constexpr (reflect::FixedArray<T>) {
        return merge_array(target, partial, path);
    } else if constexpr (reflect::Sequence<T>) {
        return merge_sequence(target, partial, path);
    } else if constexpr (reflect::Map<T>) {
        if constexpr (reflect::String<typename T::key_type>) {
            return merge_string_map(target, partial, path);
        } else {
            return merge_map(target, partial, path);
        }
    } else if constexpr (reflect::Set<T>) {
        return merge_set(target, partial, path);
    } else if constexpr (reflect::Variant<T>) {
        return merge_variant(target, partial, path);
    } else {
        return merge_struct(target, partial, path);
    }
}

}  // namespace json_detail

// Merges `partial` into `target`. On error returns a sentence that says where (a path that starts with
// `root`), what was found and what is expected, and leaves the target as it was.
template <Reflectable T>
[[nodiscard]] std::optional<std::string> merge_json(T& target, const boost::json::value& partial,
                                                    std::string_view root = "state") {
    T merged = target;
    if (auto error = json_detail::merge(merged, partial, std::string(root))) return error;
    target = std::move(merged);
    return std::nullopt;
}

namespace json_detail {

inline const boost::json::value* find(const boost::json::value& whole, std::string_view name) {
    if (const auto* object = whole.if_object()) return object->if_contains(name);
    const auto* array = whole.if_array();
    const auto index = index_from(name);
    return array != nullptr && index ? array->if_contains(*index) : nullptr;
}

}  // namespace json_detail

// An object agrees if each member it names does; everything else must be equal. As in merge_json, an object
// may name elements of an array by their indices. Numbers are compared by value, not by signedness.
inline bool json_contains(const boost::json::value& whole, const boost::json::value& partial) {
    const auto* named = partial.if_object();
    if (named == nullptr) return whole == partial;
    if (!whole.is_object() && !whole.is_array()) return false;
    for (const auto& member : *named) {
        const auto* found = json_detail::find(whole, member.key());
        if (found == nullptr || !json_contains(*found, member.value())) return false;
    }
    return true;
}

}  // namespace allot
