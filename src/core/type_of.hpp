// type_of<T>: the table (core/type.hpp) of a reflectable type. It is a constant.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "core/meaning.hpp"
#include "core/reflect.hpp"
#include "core/type.hpp"

namespace allot {

namespace type_detail {

template <class T>
constexpr Type make_type();

}  // namespace type_detail

// Beside reflectable types, those that are written as one word (see Type::parse) have a table.
template <class T>
inline constexpr Type type_of = type_detail::make_type<T>();

namespace type_detail {

template <class T>
concept Textual = requires(const T& value, std::string_view text) {
    { T::parse(text, text) } -> std::same_as<Result<T>>;
    { value.text() } -> std::convertible_to<std::string>;
};

template <class T>
consteval Form form_of() {
    if constexpr (reflect::Bool<T>)
        return Form::boolean;
    else if constexpr (reflect::Integer<T> || reflect::IsSiteId<T>)
        return Form::integer;
    else if constexpr (reflect::Enum<T>)
        return Form::enumeration;
    else if constexpr (reflect::IsStamp<T>)
        return Form::stamp;
    else if constexpr (reflect::String<T> || reflect::IsResourceId<T>)
        return Form::string;
    else if constexpr (reflect::Optional<T>)
        return Form::optional;
    else if constexpr (reflect::Pair<T>)
        return Form::pair;
    else if constexpr (reflect::FixedArray<T>)
        return Form::array;
    else if constexpr (reflect::Sequence<T>)
        return Form::sequence;
    else if constexpr (reflect::Map<T>)
        return Form::map;
    else if constexpr (reflect::Set<T>)
        return Form::set;
    else if constexpr (reflect::Variant<T>)
        return Form::variant;
    else {
        static_assert(reflect::Struct<T> || Textual<T>, "this type has no description");
        return Form::structure;
    }
}

// --- Numbers.

template <class T>
struct NumberBehind {
    using type = T;
};
template <reflect::Enum T>
struct NumberBehind<T> {
    using type = std::underlying_type_t<T>;
};
template <>
struct NumberBehind<SiteId> {
    using type = std::uint32_t;
};
template <>
struct NumberBehind<Stamp> {
    using type = std::uint64_t;
};

template <class T>
constexpr std::uint64_t number_of(const T& value) {
    if constexpr (reflect::IsStamp<T>)
        return StampAccess::value(value);
    else
        return static_cast<std::uint64_t>(static_cast<typename NumberBehind<T>::type>(value));
}

template <class T>
std::uint64_t number_at(const void* value) {
    return number_of(*static_cast<const T*>(value));
}

template <class T>
void set_number(void* value, std::uint64_t number) {
    if constexpr (reflect::IsStamp<T>)
        *static_cast<T*>(value) = StampAccess::make(number);
    else
        *static_cast<T*>(value) = static_cast<T>(static_cast<typename NumberBehind<T>::type>(number));
}

template <reflect::DescribedEnum T>
inline constexpr auto enumerators_of = [] {
    constexpr auto values = enum_values<T>();
    constexpr auto names = enum_names<T>();
    std::array<Enumerator, values.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = {names[i], number_of(values[i])};
    return list;
}();

template <class T>
constexpr void describe_number(Type& type) {
    using Limits = std::numeric_limits<typename NumberBehind<T>::type>;
    type.number = &number_at<T>;
    type.set_number = &set_number<T>;
    type.least = static_cast<std::int64_t>(+Limits::min());
    type.greatest = static_cast<std::uint64_t>(Limits::max());
    if constexpr (reflect::DescribedEnum<T>) type.enumerators = enumerators_of<T>;
}

template <class T>
constexpr void describe_string(Type& type) {
    type.string = [](const void* value) -> std::string_view {
        if constexpr (reflect::IsResourceId<T>)
            return static_cast<const T*>(value)->name();
        else
            return *static_cast<const T*>(value);
    };
    type.set_string = [](void* value, std::string_view string) { *static_cast<T*>(value) = T(string); };
}

// --- Structs, pairs and variants.

template <class T, class Descriptor>
void* member_of(void* whole) {
    return &(static_cast<T*>(whole)->*Descriptor::pointer);
}

constexpr std::string_view without_underscore(std::string_view name) {
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

// The class that declares a member: T itself or one of its bases.
template <class Owner, class Member>
Owner owner_of(Member Owner::*);

template <class Owner>
constexpr std::string_view meaning_of(std::string_view member) {
    if constexpr (requires { std::span<const Meaning>(Owner::meanings); })
        return meaning_in(Owner::meanings, member);
    else
        return {};
}

template <class T, class... Ds>
constexpr std::array<Part, sizeof...(Ds)> members_of(boost::mp11::mp_list<Ds...>) {
    return {Part{without_underscore(Ds::name), &type_of<reflect::TypeOfMember<Ds>>, &member_of<T, Ds>,
                 meaning_of<decltype(owner_of(Ds::pointer))>(Ds::name)}...};
}

template <class T>
inline constexpr auto parts_of =
    members_of<T>(boost::mp11::mp_rename<reflect::Members<T>, boost::mp11::mp_list>());
template <class A, class B>
inline constexpr auto parts_of<std::pair<A, B>> =
    std::array<Part, 2>{Part{"first", &type_of<A>,
                             [](void* pair) -> void* { return &static_cast<std::pair<A, B>*>(pair)->first; }},
                        Part{"second", &type_of<B>, [](void* pair) -> void* {
                                 return &static_cast<std::pair<A, B>*>(pair)->second;
                             }}};
template <class... Ts>
inline constexpr auto parts_of<std::variant<Ts...>> =
    std::array<Part, sizeof...(Ts)>{Part{kind_name<Ts>(), &type_of<Ts>, nullptr}...};

template <class T>
void become(void* variant, std::size_t alternative) {
    boost::mp11::mp_with_index<std::variant_size_v<T>>(
        alternative, [&](auto i) { static_cast<T*>(variant)->template emplace<i>(); });
}

template <Textual T>
std::optional<std::string> parse(void* value, std::string_view name, std::string_view text) {
    auto parsed = T::parse(name, text);
    if (!parsed) return parsed.error();
    *static_cast<T*>(value) = std::move(*parsed);
    return std::nullopt;
}

// --- Containers.

template <class T>
concept BoolVector = std::same_as<T, std::vector<bool>>;

// Calls f with an element of a container; those of std::vector<bool> cannot be referred to.
template <class T, class F>
void with_reference(T& container, std::size_t index, F&& f) {
    if constexpr (BoolVector<std::remove_const_t<T>>) {
        bool element = container[index];
        f(element);
        if constexpr (!std::is_const_v<T>) container[index] = element;
    } else {
        f(container[index]);
    }
}

template <class T>
std::size_t size_of(const void* container) {
    if constexpr (reflect::Optional<T>)
        return static_cast<const T*>(container)->has_value() ? 1 : 0;
    else
        return static_cast<const T*>(container)->size();
}

template <class T>
void read(const void* container, ReadElement f) {
    const T& values = *static_cast<const T*>(container);
    if constexpr (reflect::Optional<T>) {
        if (values) f(&*values, nullptr);
    } else if constexpr (reflect::Map<T>) {
        for (const auto& [key, mapped] : values) f(&key, &mapped);
    } else if constexpr (reflect::Set<T>) {
        for (const auto& key : values) f(&key, nullptr);
    } else {
        for (std::size_t i = 0; i < values.size(); ++i)
            with_reference(values, i, [&](const auto& element) { f(&element, nullptr); });
    }
}

// The order of a set hangs on its keys, so it is emptied and filled again.
template <class T>
void change_set(T& set, ChangeElement f) {
    std::vector<typename T::key_type> keys(set.begin(), set.end());
    set.clear();
    for (auto& key : keys) {
        f(&key, nullptr);
        set.insert(set.end(), std::move(key));
    }
}

template <class T>
void change_map(T& map, ChangeElement f) {
    std::vector<std::pair<typename T::key_type, typename T::mapped_type>> entries;
    entries.reserve(map.size());
    for (auto& [key, mapped] : map) entries.emplace_back(key, std::move(mapped));
    map.clear();
    for (auto& [key, mapped] : entries) {
        f(&key, &mapped);
        map.emplace_hint(map.end(), std::move(key), std::move(mapped));
    }
}

template <class T>
void change(void* container, [[maybe_unused]] bool keys, ChangeElement f) {
    T& values = *static_cast<T*>(container);
    if constexpr (reflect::Optional<T>) {
        if (values) f(&*values, nullptr);
    } else if constexpr (reflect::Map<T>) {
        if (keys) return change_map(values, f);
        for (auto& [key, mapped] : values) f(nullptr, &mapped);
    } else if constexpr (reflect::Set<T>) {
        change_set(values, f);
    } else {
        for (std::size_t i = 0; i < values.size(); ++i)
            with_reference(values, i, [&](auto& element) { f(&element, nullptr); });
    }
}

template <class T>
void change_at(void* container, std::size_t index, ChangeElement f) {
    with_reference(*static_cast<T*>(container), index, [&](auto& element) { f(&element, nullptr); });
}

template <class T>
bool add(void* container, ChangeElement fill) {
    T& values = *static_cast<T*>(container);
    if constexpr (reflect::Optional<T>) {
        values = typename T::value_type{};  // clang 14 refuses emplace() for a class nested in a protocol
        fill(&*values, nullptr);
        return true;
    } else if constexpr (reflect::Map<T>) {
        typename T::key_type key{};
        typename T::mapped_type mapped{};
        fill(&key, &mapped);
        return values.emplace(std::move(key), std::move(mapped)).second;
    } else {
        typename T::value_type element{};
        fill(&element, nullptr);
        if constexpr (reflect::Set<T>)
            return values.insert(std::move(element)).second;
        else
            values.push_back(std::move(element));
        return true;
    }
}

template <class T>
void clear(void* container) {
    if constexpr (reflect::Optional<T>)
        static_cast<T*>(container)->reset();
    else
        static_cast<T*>(container)->clear();
}

template <class T>
constexpr Elements make_elements() {
    Elements made{.size = &size_of<T>, .read = &read<T>, .change = &change<T>};
    if constexpr (!reflect::FixedArray<T>) {
        made.clear = &clear<T>;
        made.add = &add<T>;
    }
    if constexpr (reflect::FixedArray<T> || reflect::Sequence<T>) made.change_at = &change_at<T>;
    if constexpr (reflect::Sequence<T>)
        made.resize = [](void* values, std::size_t size) { static_cast<T*>(values)->resize(size); };
    if constexpr (reflect::Map<T>)
        if constexpr (form_of<typename T::key_type>() == Form::string)
            made.at_key = [](void* values, std::string_view key) -> void* {
                return &(*static_cast<T*>(values))[typename T::key_type(key)];
            };
    return made;
}

template <class T>
inline constexpr Elements elements_of = make_elements<T>();

// ---

template <class T>
constexpr Type make_type() {
    Type type{.form = form_of<T>(), .name = kind_name<T>()};
    if constexpr (std::default_initializable<T>)
        type.reset = [](void* value) { *static_cast<T*>(value) = T{}; };
    constexpr Form form = form_of<T>();
    if constexpr (form <= Form::stamp) {
        describe_number<T>(type);
        type.has_stamps = form == Form::stamp;
        type.is_site = reflect::IsSiteId<T>;
    } else if constexpr (form == Form::structure || form == Form::pair || form == Form::variant) {
        if constexpr (form != Form::structure || reflect::Struct<T>) type.parts = parts_of<T>;
        for (const Part& part : type.parts) type.has_stamps = type.has_stamps || part.type->has_stamps;
        if constexpr (form == Form::variant) {
            type.alternative = [](const void* variant) { return static_cast<const T*>(variant)->index(); };
            type.content = [](void* variant) -> void* {
                return std::visit([](auto& kind) -> void* { return &kind; }, *static_cast<T*>(variant));
            };
            type.become = &become<T>;
        }
    } else if constexpr (form == Form::string) {
        describe_string<T>(type);
    } else {
        type.elements = &elements_of<T>;
        if constexpr (form == Form::map) {
            type.element = &type_of<typename T::key_type>;
            type.mapped = &type_of<typename T::mapped_type>;
            type.has_stamps = type.element->has_stamps || type.mapped->has_stamps;
        } else {
            type.element = &type_of<typename T::value_type>;
            type.has_stamps = type.element->has_stamps;
        }
    }
    if constexpr (Textual<T>) {
        type.parse = &parse<T>;
        type.text = [](const void* value) -> std::string { return static_cast<const T*>(value)->text(); };
    }
    return type;
}

}  // namespace type_detail

}  // namespace allot
