// JSON of described values, for people and scenario files.
//
// A struct is an object in the order of its description, an enum its name, a stamp its number, a variant
// {"Kind": {...}}, an optional null or its value, a pair [first, second], a map with string keys an object
// and any other map an array of [key, value]; every other container is an array.
//
// merge_json changes only what the partial value names; an array replaces a container whole, while an object
// with indices as names ({"2": 5}) changes only those elements. json_contains asks whether a partial value,
// written the same way, agrees with a whole one.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/type_of.hpp"

namespace allot {

// One line, with a space after ':' and ','.
std::string json_text(const boost::json::value& value);

boost::json::value to_json(const Type& type, const void* value);

template <Reflectable T>
boost::json::value to_json(const T& value) {
    return to_json(type_of<T>, &value);
}

// Merges `partial` into a value. On error returns a sentence that says where (a path that starts with
// `root`), what was found and what is expected; the value may be half merged then.
[[nodiscard]] std::optional<std::string> merge_json(const Type& type, void* value,
                                                    const boost::json::value& partial, std::string_view root);

// The same, but on error the target stays as it was.
template <Reflectable T>
[[nodiscard]] std::optional<std::string> merge_json(T& target, const boost::json::value& partial,
                                                    std::string_view root = "state") {
    T merged = target;
    if (auto error = merge_json(type_of<T>, &merged, partial, root)) return error;
    target = std::move(merged);
    return std::nullopt;
}

// An object agrees if each member it names does; everything else must be equal. As in merge_json, an object
// may name elements of an array by their indices. Numbers are compared by value, not by signedness.
bool json_contains(const boost::json::value& whole, const boost::json::value& partial);

}  // namespace allot
