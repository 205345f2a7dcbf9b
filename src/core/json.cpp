#include "core/json.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <vector>

namespace allot {

namespace {

namespace json = boost::json;

// Boost.JSON writes 1.5 as 1.5E0, which is not what a person wrote.
std::string text_of(double number) {
    if (!std::isfinite(number)) return "null";
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string text(buffer.data(), end);
    const bool looks_whole = text.find_first_of(".e") == std::string::npos;
    return looks_whole ? text + ".0" : text;
}

json::value from_number(const Type& type, std::uint64_t number) {
    if (type.is_signed()) return static_cast<std::int64_t>(number);
    return number;
}

json::value from_enum(const Type& type, std::uint64_t number) {
    for (const Enumerator& one : type.enumerators)
        if (one.number == number) return json::string(one.name);
    return from_number(type, number);
}

json::value from_map(const Type& type, const void* map) {
    if (type.element->form == Form::string) {
        json::object object;
        type.elements->read(map, [&](const void* key, const void* mapped) {
            object.emplace(type.element->string(key), to_json(*type.mapped, mapped));
        });
        return object;
    }
    json::array array;
    type.elements->read(map, [&](const void* key, const void* mapped) {
        array.push_back(json::array{to_json(*type.element, key), to_json(*type.mapped, mapped)});
    });
    return array;
}

json::value from_elements(const Type& type, const void* container) {
    json::array array;
    type.elements->read(container, [&](const void* element, const void*) {
        array.push_back(to_json(*type.element, element));
    });
    return array;
}

json::value from_struct(const Type& type, const void* value) {
    json::object object;
    for (const Part& part : type.parts)
        object.emplace(part.name, to_json(*part.type, type.part_of(value, part)));
    return object;
}

}  // namespace

std::string json_text(const json::value& value) {
    std::string_view separator;
    std::string text;
    if (const auto* object = value.if_object()) {
        for (const auto& member : *object) {
            text.append(separator).append(json::serialize(member.key())).append(": ");
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
    if (const auto* number = value.if_double()) return text_of(*number);
    return json::serialize(value);
}

json::value to_json(const Type& type, const void* value) {
    switch (type.form) {
        case Form::boolean:
            return *static_cast<const bool*>(value);
        case Form::integer:
        case Form::stamp:
            return from_number(type, type.number(value));
        case Form::enumeration:
            return from_enum(type, type.number(value));
        case Form::string:
            return json::string(type.string(value));
        case Form::optional: {
            json::value content = nullptr;
            type.elements->read(
                value, [&](const void* element, const void*) { content = to_json(*type.element, element); });
            return content;
        }
        case Form::pair:
            return json::array{to_json(*type.parts[0].type, type.part_of(value, type.parts[0])),
                               to_json(*type.parts[1].type, type.part_of(value, type.parts[1]))};
        case Form::map:
            return from_map(type, value);
        case Form::array:
        case Form::sequence:
        case Form::set:
            return from_elements(type, value);
        case Form::variant: {
            const Part& kind = type.parts[type.alternative(value)];
            json::object object;
            object.emplace(kind.name, to_json(*kind.type, type.content_of(value)));
            return object;
        }
        case Form::structure:
            return from_struct(type, value);
    }
    return nullptr;
}

namespace {

using Problem = std::optional<std::string>;

Problem not_expected(const std::string& path, const json::value& found, const std::string& expected) {
    return path + ": " + json_text(found) + " is not " + expected;
}

template <class Named>
std::string names_of(const Named& all) {
    std::string text;
    for (const auto& one : all) {
        if (!text.empty()) text += ", ";
        text += one.name;
    }
    return text;
}

// The index an object's member names, such as the 2 of {"2": 5}; nothing for "02", "-1" or "two".
std::optional<std::size_t> index_from(std::string_view name) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool canonical = name.size() == 1 || (!name.empty() && name.front() != '0');
    if (error != std::errc() || end != name.data() + name.size() || !canonical) return std::nullopt;
    return index;
}

std::string at(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
}

std::string at(const std::string& path, std::string_view name) {
    return path + "." + std::string(name);
}

// Merges in place and may leave the target half merged on error.
Problem merge(const Type& type, void* target, const json::value& partial, const std::string& path);

Problem merge_bool(void* target, const json::value& partial, const std::string& path) {
    if (!partial.is_bool()) return not_expected(path, partial, "true or false");
    *static_cast<bool*>(target) = partial.get_bool();
    return std::nullopt;
}

std::optional<std::uint64_t> whole_number(const Type& type, const json::value& value) {
    if (const auto* number = value.if_int64()) {
        const bool fits =
            *number >= type.least && (*number < 0 || std::cmp_less_equal(*number, type.greatest));
        return fits ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
    }
    if (const auto* number = value.if_uint64())
        return *number <= type.greatest ? std::optional(*number) : std::nullopt;
    return std::nullopt;
}

Problem merge_number(const Type& type, void* target, const json::value& partial, const std::string& path) {
    const auto read = whole_number(type, partial);
    if (!read)
        return not_expected(
            path, partial,
            "a whole number from " + std::to_string(type.least) + " to " + std::to_string(type.greatest));
    type.set_number(target, *read);
    return std::nullopt;
}

Problem merge_enum(const Type& type, void* target, const json::value& partial, const std::string& path) {
    if (type.enumerators.empty()) return merge_number(type, target, partial, path);
    if (const auto* name = partial.if_string())
        for (const Enumerator& one : type.enumerators)
            if (one.name == std::string_view(name->data(), name->size())) {
                type.set_number(target, one.number);
                return std::nullopt;
            }
    return not_expected(path, partial, "one of " + names_of(type.enumerators));
}

Problem merge_string(const Type& type, void* target, const json::value& partial, const std::string& path) {
    if (!partial.is_string()) return not_expected(path, partial, "a string");
    type.set_string(target, partial.get_string());
    return std::nullopt;
}

Problem merge_optional(const Type& type, void* target, const json::value& partial, const std::string& path) {
    if (partial.is_null()) {
        type.elements->clear(target);
        return std::nullopt;
    }
    Problem error;
    const auto fill = [&](void* content, void*) { error = merge(*type.element, content, partial, path); };
    if (type.elements->size(target) > 0)
        type.elements->change(target, false, fill);
    else
        type.elements->add(target, fill);
    return error;
}

// A value that is replaced as a whole starts from its default.
Problem merge_whole(const Type& type, void* value, const json::value& whole, const std::string& path) {
    type.reset(value);
    return merge(type, value, whole, path);
}

Problem merge_pair(const Type& type, void* target, const json::value& whole, const std::string& path) {
    const auto* array = whole.if_array();
    if (array == nullptr || array->size() != 2) return not_expected(path, whole, "an array of 2");
    for (std::size_t i = 0; i < 2; ++i) {
        const Part& part = type.parts[i];
        if (auto error = merge_whole(*part.type, type.part_of(target, part), (*array)[i], at(path, i)))
            return error;
    }
    return std::nullopt;
}

Problem merge_elements(const Type& type, void* target, const json::object& named, const std::string& path) {
    const std::size_t size = type.elements->size(target);
    for (const auto& member : named) {
        const std::string name(member.key());
        if (size == 0) return path + ": \"" + name + "\" is not an index: it is empty";
        const auto index = index_from(name);
        if (!index || *index >= size)
            return path + ": \"" + name + "\" is not an index from 0 to " + std::to_string(size - 1);
        Problem error;
        type.elements->change_at(target, *index, [&](void* element, void*) {
            error = merge(*type.element, element, member.value(), at(path, *index));
        });
        if (error) return error;
    }
    return std::nullopt;
}

Problem merge_array(const Type& type, void* target, const json::value& partial, const std::string& path) {
    if (const auto* object = partial.if_object()) return merge_elements(type, target, *object, path);
    const auto* array = partial.if_array();
    const std::size_t size = type.elements->size(target);
    if (array == nullptr || array->size() != size)
        return not_expected(path, partial,
                            "an array of " + std::to_string(size) + ", or an object of its indices");
    Problem error;
    std::size_t i = 0;
    type.elements->change(target, false, [&](void* element, void*) {
        if (!error) error = merge_whole(*type.element, element, (*array)[i], at(path, i));
        ++i;
    });
    return error;
}

Problem merge_sequence(const Type& type, void* target, const json::value& partial, const std::string& path) {
    if (const auto* object = partial.if_object()) return merge_elements(type, target, *object, path);
    const auto* array = partial.if_array();
    if (array == nullptr) return not_expected(path, partial, "an array, or an object of its indices");
    type.elements->clear(target);
    for (std::size_t i = 0; i < array->size(); ++i) {
        Problem error;
        type.elements->add(target, [&](void* element, void*) {
            error = merge(*type.element, element, (*array)[i], at(path, i));
        });
        if (error) return error;
    }
    return std::nullopt;
}

Problem merge_set(const Type& type, void* target, const json::value& whole, const std::string& path) {
    const auto* array = whole.if_array();
    if (array == nullptr) return not_expected(path, whole, "an array");
    type.elements->clear(target);
    for (const auto& value : *array) {
        const std::string place = at(path, type.elements->size(target));
        Problem error;
        const bool added = type.elements->add(
            target, [&](void* key, void*) { error = merge(*type.element, key, value, place); });
        if (error) return error;
        if (!added) return place + ": " + json_text(value) + " is there twice";
    }
    return std::nullopt;
}

Problem merge_string_map(const Type& type, void* target, const json::value& partial,
                         const std::string& path) {
    const auto* object = partial.if_object();
    if (object == nullptr) return not_expected(path, partial, "an object");
    for (const auto& member : *object)
        if (auto error = merge(*type.mapped, type.elements->at_key(target, member.key()), member.value(),
                               at(path, member.key())))
            return error;
    return std::nullopt;
}

Problem merge_map(const Type& type, void* target, const json::value& whole, const std::string& path) {
    const auto* array = whole.if_array();
    if (array == nullptr) return not_expected(path, whole, "an array of [key, value]");
    type.elements->clear(target);
    for (const auto& entry : *array) {
        const std::string place = at(path, type.elements->size(target));
        const auto* both = entry.if_array();
        if (both == nullptr || both->size() != 2) return not_expected(place, entry, "[key, value]");
        Problem error;
        const bool added = type.elements->add(target, [&](void* key, void* mapped) {
            error = merge(*type.element, key, (*both)[0], at(place, 0));
            if (!error) error = merge(*type.mapped, mapped, (*both)[1], at(place, 1));
        });
        if (error) return error;
        if (!added) return place + ": " + json_text((*both)[0]) + " is a key twice";
    }
    return std::nullopt;
}

// A partial value of the kind that is there already merges into it; another kind starts from its default.
Problem merge_variant(const Type& type, void* target, const json::value& partial, const std::string& path) {
    const auto* object = partial.if_object();
    if (object == nullptr || object->size() != 1)
        return not_expected(path, partial, "{\"KIND\": value} with KIND one of " + names_of(type.parts));
    const std::string_view kind = object->begin()->key();
    for (std::size_t i = 0; i < type.parts.size(); ++i) {
        if (kind != type.parts[i].name) continue;
        if (type.alternative(target) != i) type.become(target, i);
        return merge(*type.parts[i].type, type.content(target), object->begin()->value(), at(path, kind));
    }
    return path + ": \"" + std::string(kind) + "\" is not one of " + names_of(type.parts);
}

Problem merge_struct(const Type& type, void* target, const json::value& partial, const std::string& path) {
    const auto known = [&] {
        return type.parts.empty() ? "it has no members" : "its members are " + names_of(type.parts);
    };
    const auto* object = partial.if_object();
    if (object == nullptr) return not_expected(path, partial, "an object; " + known());
    for (const auto& member : *object) {
        const std::string_view name = member.key();
        const auto part = std::find_if(type.parts.begin(), type.parts.end(),
                                       [&](const Part& one) { return one.name == name; });
        if (part == type.parts.end())
            return path + ": \"" + std::string(name) + "\" is not a member; " + known();
        if (auto error = merge(*part->type, type.part_of(target, *part), member.value(), at(path, name)))
            return error;
    }
    return std::nullopt;
}

Problem merge(const Type& type, void* target, const json::value& partial, const std::string& path) {
    switch (type.form) {
        case Form::boolean:
            return merge_bool(target, partial, path);
        case Form::integer:
        case Form::stamp:
            return merge_number(type, target, partial, path);
        case Form::enumeration:
            return merge_enum(type, target, partial, path);
        case Form::string:
            return merge_string(type, target, partial, path);
        case Form::optional:
            return merge_optional(type, target, partial, path);
        case Form::pair:
            return merge_pair(type, target, partial, path);
        case Form::array:
            return merge_array(type, target, partial, path);
        case Form::sequence:
            return merge_sequence(type, target, partial, path);
        case Form::set:
            return merge_set(type, target, partial, path);
        case Form::map:
            return type.element->form == Form::string ? merge_string_map(type, target, partial, path)
                                                      : merge_map(type, target, partial, path);
        case Form::variant:
            return merge_variant(type, target, partial, path);
        case Form::structure:
            return merge_struct(type, target, partial, path);
    }
    return std::nullopt;
}

const json::value* find(const json::value& whole, std::string_view name) {
    if (const auto* object = whole.if_object()) return object->if_contains(name);
    const auto* array = whole.if_array();
    const auto index = index_from(name);
    return array != nullptr && index ? array->if_contains(*index) : nullptr;
}

}  // namespace

std::optional<std::string> merge_json(const Type& type, void* value, const json::value& partial,
                                      std::string_view root) {
    return merge(type, value, partial, std::string(root));
}

bool json_contains(const json::value& whole, const json::value& partial) {
    const auto* named = partial.if_object();
    if (named == nullptr) return whole == partial;
    if (!whole.is_object() && !whole.is_array()) return false;
    for (const auto& member : *named) {
        const auto* found = find(whole, member.key());
        if (found == nullptr || !json_contains(*found, member.value())) return false;
    }
    return true;
}

}  // namespace allot
