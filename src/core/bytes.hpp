// Canonical bytes, which are also the wire format.
//
// Two values of a type are equal if and only if their bytes are. Integers and stamps are LEB128 varints
// (signed ones zigzag first), bool is one byte, an enum is its number, a string or container is its count and
// then its elements, an optional is 0 or 1 and the value, a variant is the index of its alternative and the
// value, and a struct, pair or array is just its parts in order.
//
// Decoding accepts exactly what encoding produces. It is total on hostile input: it never throws, refuses
// whatever is not canonical (overlong or out of range numbers, unnamed enumerators, unsorted sets), and holds
// no more memory than the bytes it has consumed justify; only names of resources stay known (ResourceId).
// After a refusal `out` is some valid value.
//
// Bytes that leave the process have an edition (core/edition.hpp): a member of a struct is written and read
// only if the edition has it, and has its default value otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/edition.hpp"
#include "core/reflect.hpp"

namespace allot {

namespace bytes_detail {

// Collects bytes and appends them to a string in large pieces. A step of an exploration encodes hundreds of
// small numbers, and to append each of them would cost several times as much.
class Writer {
public:
    Writer(std::string& out, Edition edition) : out_(out), edition_(edition) {}

    Edition edition() const { return edition_; }
    void set_edition(Edition edition) { edition_ = edition; }

    void byte(char value) {
        if (used_ == room_.size()) flush();
        room_[used_++] = value;
    }
    void varint(std::uint64_t value) {
        if (value < 0x80) return byte(static_cast<char>(value));
        long_varint(value);
    }
    void text(std::string_view bytes) {
        if (bytes.size() > room_.size() - used_) flush();
        if (bytes.size() > room_.size()) {
            out_.append(bytes);
            return;
        }
        bytes.copy(room_.data() + used_, bytes.size());
        used_ += bytes.size();
    }
    // To be called at the end.
    [[gnu::noinline]] void flush() {
        out_.append(room_.data(), used_);
        used_ = 0;
    }

private:
    [[gnu::noinline]] void long_varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) byte(static_cast<char>(static_cast<unsigned char>(value | 0x80)));
        byte(static_cast<char>(value));
    }

    std::string& out_;
    Edition edition_;
    std::size_t used_ = 0;
    std::array<char, 512> room_;  // the first used_ count
};

// The bytes that are not read yet.
struct Reader : std::string_view {
    Edition edition = every_member;  // in which they were written
};

template <class T>
void put(const T& value, Writer& out);

template <class T>
bool take(Reader& in, T& out);

inline bool take_varint(std::string_view& in, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(in.front());
        in.remove_prefix(1);
        const bool overflows = shift == 63 && byte > 1;
        const bool overlong = shift > 0 && byte == 0;
        if (overflows || overlong) return false;
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

template <reflect::Integer T>
void put_integer(T value, Writer& out) {
    if constexpr (std::is_signed_v<T>) {
        const std::int64_t wide{value};
        out.varint((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    } else {
        out.varint(value);
    }
}

template <reflect::Integer T>
bool take_integer(std::string_view& in, T& out) {
    std::uint64_t raw = 0;
    if (!take_varint(in, raw)) return false;
    if constexpr (std::is_signed_v<T>) {
        const auto wide = static_cast<std::int64_t>((raw >> 1) ^ (0 - (raw & 1)));
        if (!std::in_range<T>(wide)) return false;
        out = static_cast<T>(wide);
    } else {
        if (!std::in_range<T>(raw)) return false;
        out = static_cast<T>(raw);
    }
    return true;
}

inline bool take_bool(std::string_view& in, bool& out) {
    if (in.empty() || static_cast<unsigned char>(in.front()) > 1) return false;
    out = in.front() == 1;
    in.remove_prefix(1);
    return true;
}

// Every element takes at least one byte, so a greater count can only be a lie.
inline bool take_count(std::string_view& in, std::size_t& count) {
    std::uint64_t raw = 0;
    if (!take_varint(in, raw) || raw > in.size()) return false;
    count = static_cast<std::size_t>(raw);
    return true;
}

template <reflect::Enum T>
bool take_enum(std::string_view& in, T& out) {
    std::underlying_type_t<T> raw{};
    if (!take_integer(in, raw)) return false;
    const auto value = static_cast<T>(raw);
    if constexpr (reflect::DescribedEnum<T>) {
        if (enum_name(value).empty()) return false;
    }
    out = value;
    return true;
}

inline bool take_stamp(std::string_view& in, Stamp& out) {
    std::uint64_t raw = 0;
    if (!take_varint(in, raw)) return false;
    out = StampAccess::make(raw);
    return true;
}

inline bool take_site(std::string_view& in, SiteId& out) {
    std::uint32_t raw = 0;
    if (!take_integer(in, raw)) return false;
    out = raw;
    return true;
}

inline bool take_string(std::string_view& in, std::string& out) {
    std::size_t count = 0;
    if (!take_count(in, count)) return false;
    out.assign(in.substr(0, count));
    in.remove_prefix(count);
    return true;
}

inline bool take_resource(std::string_view& in, ResourceId& out) {
    std::size_t count = 0;
    if (!take_count(in, count)) return false;
    out = in.substr(0, count);
    in.remove_prefix(count);
    return true;
}

template <reflect::Optional T>
bool take_optional(Reader& in, T& out) {
    bool engaged = false;
    out.reset();
    if (!take_bool(in, engaged)) return false;
    // A copy: clang 14 does not see that a nested struct with default values can be made from nothing.
    return !engaged || take(in, out.emplace(typename T::value_type()));
}

template <reflect::FixedArray T>
bool take_array(Reader& in, T& out) {
    for (auto& element : out) {
        if (!take(in, element)) return false;
    }
    return true;
}

// Nothing is reserved ahead: memory grows with the elements that have really arrived.
template <reflect::Sequence T>
bool take_sequence(Reader& in, T& out) {
    std::size_t count = 0;
    out.clear();
    if (!take_count(in, count)) return false;
    for (; count > 0; --count) {
        typename T::value_type element{};
        if (!take(in, element)) return false;
        out.push_back(std::move(element));
    }
    return true;
}

template <reflect::Set T>
bool take_set(Reader& in, T& out) {
    std::size_t count = 0;
    out.clear();
    if (!take_count(in, count)) return false;
    for (; count > 0; --count) {
        typename T::key_type key{};
        if (!take(in, key)) return false;
        if (!out.empty() && !out.key_comp()(*std::prev(out.end()), key)) return false;
        out.insert(out.end(), std::move(key));
    }
    return true;
}

template <reflect::Map T>
bool take_map(Reader& in, T& out) {
    std::size_t count = 0;
    out.clear();
    if (!take_count(in, count)) return false;
    for (; count > 0; --count) {
        typename T::key_type key{};
        typename T::mapped_type mapped{};
        if (!take(in, key) || !take(in, mapped)) return false;
        if (!out.empty() && !out.key_comp()(std::prev(out.end())->first, key)) return false;
        out.emplace_hint(out.end(), std::move(key), std::move(mapped));
    }
    return true;
}

template <reflect::Variant T>
bool take_variant(Reader& in, T& out) {
    constexpr std::size_t alternatives = std::variant_size_v<T>;
    std::uint64_t index = 0;
    if (!take_varint(in, index) || index >= alternatives) return false;
    return boost::mp11::mp_with_index<alternatives>(
        static_cast<std::size_t>(index), [&](auto i) { return take(in, out.template emplace<i>()); });
}

// Calls f(member) for the members that the edition has. The others get their default value.
template <class T, class F>
void for_each_member_of(Edition edition, T& value, F&& f) {
    boost::mp11::mp_for_each<reflect::Members<std::remove_const_t<T>>>([&](auto descriptor) {
        auto& member = value.*descriptor.pointer;
        constexpr Edition first = since<descriptor.pointer>;
        if (first == 0 || first <= edition) return f(member);
        if constexpr (first != 0 && !std::is_const_v<T>) member = T{}.*descriptor.pointer;
    });
}

template <reflect::Struct T>
bool take_members(Reader& in, T& out) {
    bool accepted = true;
    for_each_member_of(in.edition, out, [&](auto& member) { accepted = accepted && take(in, member); });
    return accepted;
}

template <reflect::Struct T>
bool take_struct(Reader& in, T& out) {
    if constexpr (HasEdition<T>) {
        if (in.edition != every_member) {
            Edition own = 0;
            if (!take_integer(in, own) || (own != 0 && !is_known(own))) return false;
            const Edition around = in.edition;
            if (own != 0) in.edition = own;
            const bool accepted = take_members(in, out);
            in.edition = around;
            return accepted && out.edition() == own;  // one form only
        }
    }
    return take_members(in, out);
}

template <reflect::Struct T>
void put_members(const T& value, Writer& out) {
    for_each_member_of(out.edition(), value, [&](const auto& member) { put(member, out); });
}

template <reflect::Struct T>
void put_struct(const T& value, Writer& out) {
    if constexpr (HasEdition<T>) {
        if (out.edition() != every_member) {
            const Edition around = out.edition();
            put_integer(value.edition(), out);
            if (value.edition() != 0) out.set_edition(value.edition());
            put_members(value, out);
            return out.set_edition(around);
        }
    }
    put_members(value, out);
}

template <class T>
void put_elements(const T& container, Writer& out) {
    out.varint(container.size());
    for (const typename T::value_type& element : container) put(element, out);
}

template <reflect::Map T>
void put_map(const T& map, Writer& out) {
    out.varint(map.size());
    for (const auto& [key, mapped] : map) {
        put(key, out);
        put(mapped, out);
    }
}

template <class T>
void put(const T& value, Writer& out) {
    if constexpr (reflect::Bool<T>) {
        out.byte(value ? '\1' : '\0');
    } else if constexpr (reflect::Integer<T>) {
        put_integer(value, out);
    } else if constexpr (reflect::Enum<T>) {
        put_integer(static_cast<std::underlying_type_t<T>>(value), out);
    } else if constexpr (reflect::IsStamp<T>) {
        out.varint(StampAccess::value(value));
    } else if constexpr (reflect::IsSiteId<T>) {
        out.varint(value);
    } else if constexpr (reflect::IsResourceId<T>) {
        put(value.name(), out);
    } else if constexpr (reflect::String<T>) {
        out.varint(value.size());
        out.text(value);
    } else if constexpr (reflect::Optional<T>) {
        put(value.has_value(), out);
        if (value) put(*value, out);
    } else if constexpr (reflect::Pair<T>) {
        put(value.first, out);
        put(value.second, out);
    } else if constexpr (reflect::FixedArray<T>) {
        for (const auto& element : value) put(element, out);
    } else if constexpr (reflect::Map<T>) {
        put_map(value, out);
    } else if constexpr (reflect::Sequence<T> || reflect::Set<T>) {
        put_elements(value, out);
    } else if constexpr (reflect::Variant<T>) {
        out.varint(value.index());
        std::visit([&](const auto& alternative) { put(alternative, out); }, value);
    } else {
        put_struct(value, out);
    }
}

template <class T>
bool take(Reader& in, T& out) {
    if constexpr (reflect::Bool<T>) {
        return take_bool(in, out);
    } else if constexpr (reflect::Integer<T>) {
        return take_integer(in, out);
    } else if constexpr (reflect::Enum<T>) {
        return take_enum(in, out);
    } else if constexpr (reflect::IsStamp<T>) {
        return take_stamp(in, out);
    } else if constexpr (reflect::IsSiteId<T>) {
        return take_site(in, out);
    } else if constexpr (reflect::IsResourceId<T>) {
        return take_resource(in, out);
    } else if constexpr (reflect::String<T>) {
        return take_string(in, out);
    } else if constexpr (reflect::Optional<T>) {
        return take_optional(in, out);
    } else if constexpr (reflect::Pair<T>) {
        return take(in, out.first) && take(in, out.second);
    } else if constexpr (reflect::FixedArray<T>) {
        return take_array(in, out);
    } else if constexpr (reflect::Sequence<T>) {
        return take_sequence(in, out);
    } else if constexpr (reflect::Map<T>) {
        return take_map(in, out);
    } else if constexpr (reflect::Set<T>) {
        return take_set(in, out);
    } else if constexpr (reflect::Variant<T>) {
        return take_variant(in, out);
    } else {
        return take_struct(in, out);
    }
}

}  // namespace bytes_detail

template <Reflectable T>
void encode(const T& value, std::string& out, Edition edition = every_member) {
    bytes_detail::Writer writer(out, edition);
    bytes_detail::put(value, writer);
    writer.flush();
}

template <Reflectable T>
[[nodiscard]] bool decode(std::string_view& in, T& out, Edition edition = every_member) {
    bytes_detail::Reader reader{in, edition};
    const bool accepted = bytes_detail::take(reader, out);
    in = reader;
    return accepted;
}

template <Reflectable T>
std::string to_bytes(const T& value, Edition edition = every_member) {
    std::string out;
    encode(value, out, edition);
    return out;
}

// The value, if all of `in` is its canonical form.
template <Reflectable T>
std::optional<T> from_bytes(std::string_view in, Edition edition = every_member) {
    T value{};
    if (!decode(in, value, edition) || !in.empty()) return std::nullopt;
    return value;
}

// Bytes that begin with their edition, for a reader who cannot know it.
template <Reflectable T>
void encode_dated(const T& value, std::string& out, Edition edition) {
    encode(edition, out);
    encode(value, out, edition);
}

template <Reflectable T>
std::optional<T> from_dated_bytes(std::string_view in) {
    Edition edition = 0;
    if (!decode(in, edition) || !is_known(edition)) return std::nullopt;
    return from_bytes<T>(in, edition);
}

}  // namespace allot
