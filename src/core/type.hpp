// Type: a table that describes a reflectable type at run time.
//
// JSON, corruption and the renaming of stamps walk these tables, so each of them is compiled once and not
// once per type. type_of<T> (core/type_of.hpp) is the table of T, made from its one description; canonical
// bytes stay templates (core/bytes.hpp), because every frame goes through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/function_ref.hpp"

namespace allot {

enum class Form : std::uint8_t {
    boolean,
    integer,
    enumeration,
    stamp,
    string,
    optional,
    pair,
    array,
    sequence,
    set,
    map,
    variant,
    structure,
};

struct Type;

struct Enumerator {
    std::string_view name;
    std::uint64_t number = 0;
};

// A member of a struct, one half of a pair, or an alternative of a variant.
struct Part {
    std::string_view name;
    const Type* type = nullptr;
    void* (*in)(void* whole) = nullptr;  // null for an alternative
    std::string_view meaning;            // of a parameter (core/meaning.hpp)
};

// Visits an element, or the key and the value of a map's entry. `mapped` is null but for maps.
using ReadElement = FunctionRef<void(const void* element, const void* mapped)>;
using ChangeElement = FunctionRef<void(void* element, void* mapped)>;

// The operations on a container (optional, array, sequence, set or map).
struct Elements {
    std::size_t (*size)(const void* container) = nullptr;
    void (*read)(const void* container, ReadElement read) = nullptr;
    // Visits each element for a change. Sets are rebuilt afterwards, and so are maps where `keys` is true; if
    // a change makes two keys equal, the first entry stays. Where it is false, `element` is null for maps.
    void (*change)(void* container, bool keys, ChangeElement change) = nullptr;
    // Changes the element at an index. Null for sets and maps.
    void (*change_at)(void* container, std::size_t index, ChangeElement change) = nullptr;
    void (*clear)(void* container) = nullptr;  // null for arrays
    // Adds a default element after `fill` has changed it. False if a set or map has such a key already. Null
    // for arrays.
    bool (*add)(void* container, ChangeElement fill) = nullptr;
    void (*resize)(void* container, std::size_t size) = nullptr;  // only sequences
    // The value of a key, made if there is none. Only maps whose keys have Form::string.
    void* (*at_key)(void* container, std::string_view key) = nullptr;
};

struct Type {
    Form form{};
    std::string_view name;                 // unqualified
    bool has_stamps = false;               // anywhere within
    bool is_site = false;                  // SiteId
    void (*reset)(void* value) = nullptr;  // to its default

    // bool, integers, enums and stamps: the number, sign-extended to 64 bits.
    std::uint64_t (*number)(const void* value) = nullptr;
    void (*set_number)(void* value, std::uint64_t number) = nullptr;
    std::int64_t least = 0;
    std::uint64_t greatest = 0;
    std::span<const Enumerator> enumerators;  // of a described enum

    // Strings, and ids of resources, which are written as their names.
    std::string_view (*string)(const void* value) = nullptr;
    void (*set_string)(void* value, std::string_view string) = nullptr;

    std::span<const Part> parts;         // structs, pairs, variants
    const Elements* elements = nullptr;  // containers
    const Type* element = nullptr;       // containers; of a map: its keys
    const Type* mapped = nullptr;        // maps

    // Variants: which alternative there is, where it is, and how to make it another one.
    std::size_t (*alternative)(const void* variant) = nullptr;
    void* (*content)(void* variant) = nullptr;
    void (*become)(void* variant, std::size_t alternative) = nullptr;

    // Structs that are written as one word, as a parameter: T::parse(name, text) and value.text(). `parse`
    // returns what was wrong, if something was.
    std::optional<std::string> (*parse)(void* value, std::string_view name, std::string_view text) = nullptr;
    std::string (*text)(const void* value) = nullptr;

    bool is_signed() const { return least < 0; }
    bool is_number() const { return number != nullptr; }
    // The place of a part within a value.
    void* part_of(void* whole, const Part& part) const { return part.in(whole); }
    const void* part_of(const void* whole, const Part& part) const {
        return part.in(const_cast<void*>(whole));
    }
    const void* content_of(const void* variant) const { return content(const_cast<void*>(variant)); }
};

}  // namespace allot
