// Reflection: which types are reflectable, and how to walk through their values.
//
// A struct is described once, by BOOST_DESCRIBE_STRUCT(T, (), (members...)), an enum by BOOST_DESCRIBE_ENUM;
// hash, canonical bytes, JSON, stamps and corruption are all derived from that one description.
//
// Reflectable are bool, integers, enums, Stamp, SiteId, ResourceId, std::string, std::optional, std::pair,
// std::array, std::vector, std::deque, SharedVector, sets and maps ordered by a comparison (std or
// boost::container flat), std::variant, and described structs of reflectable members. Not reflectable, hence
// banned from states and messages: floating point and pointers (their values are not the same everywhere),
// hash containers (their order is not), plain char (its sign is not), and structs with an undescribed member.
// A recursive type is a compile error, so the depth of a value is bounded by its type.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/resource_id.hpp"
#include "core/shared_vector.hpp"
#include "core/site_id.hpp"
#include "core/stamp.hpp"

namespace allot {

// The kinds of types that every generic algorithm distinguishes.
namespace reflect {

template <class T, template <class...> class Template>
inline constexpr bool is_specialization = false;
template <template <class...> class Template, class... Ts>
inline constexpr bool is_specialization<Template<Ts...>, Template> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
concept Bool = std::same_as<T, bool>;

template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

template <class T>
concept Integer = std::integral<T> && !Bool<T> && !Character<T> && sizeof(T) <= sizeof(std::uint64_t);

template <class T>
concept Enum = std::is_enum_v<T> && Integer<std::underlying_type_t<T>>;

template <class T>
concept DescribedEnum = Enum<T> && boost::describe::has_describe_enumerators<T>::value;

// Only an enum with a fixed underlying type may take any value of that type, and only such an enum can be
// initialised from an integer in braces.
template <class T>
concept FixedUnderlying = requires {
    T{0};
};

template <class T>
concept PlainEnum = Enum<T> && !DescribedEnum<T> && FixedUnderlying<T>;

template <class T>
concept IsStamp = std::same_as<T, Stamp>;

template <class T>
concept IsSiteId = std::same_as<T, SiteId>;

template <class T>
concept IsResourceId = std::same_as<T, ResourceId>;

template <class T>
concept String = std::same_as<T, std::string>;

template <class T>
concept Optional = is_specialization<T, std::optional>;

template <class T>
concept Pair = is_specialization<T, std::pair>;

template <class T>
concept FixedArray = is_std_array<T>;

template <class T>
concept Sequence = is_specialization<T, std::vector> || is_specialization<T, std::deque> ||
    is_specialization<T, SharedVector>;

template <class T>
concept Ordered = requires(const T& container) {
    typename T::key_type;
    typename T::value_type;
    container.key_comp();
    container.begin();
    container.end();
    container.size();
};

// An insertion that may be refused tells a set from a multiset, whose order of equal keys is history.
template <class T>
concept UniqueKeys = requires(T& container, const typename T::value_type& value) {
    { container.insert(value).second } -> std::convertible_to<bool>;
};

template <class T>
concept HasMapped = requires {
    typename T::mapped_type;
};

template <class T>
concept Map = Ordered<T> && UniqueKeys<T> && HasMapped<T>;

template <class T>
concept Set = Ordered<T> && UniqueKeys<T> && std::same_as<typename T::key_type, typename T::value_type>;

template <class T>
concept Variant = is_specialization<T, std::variant>;

template <class T>
concept Struct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value &&
    boost::describe::has_describe_bases<T>::value;

inline constexpr unsigned all_members = boost::describe::mod_any_access | boost::describe::mod_inherited;

template <class T>
using Members = boost::describe::describe_members<T, all_members>;

template <class Pointer>
struct PointedTo;
template <class Class, class Member>
struct PointedTo<Member Class::*> {
    using type = Member;
};

template <class Descriptor>
using TypeOfMember = typename PointedTo<std::remove_const_t<decltype(Descriptor::pointer)>>::type;

template <class T>
using MemberTypes = boost::mp11::mp_transform<TypeOfMember, Members<T>>;

}  // namespace reflect

// Calls f(std::string_view name, member&) for each member of a described struct, in the order of the
// description. The underscore that marks a private member is a matter of C++ and not part of its name.
template <class T, class F>
requires reflect::Struct<std::remove_const_t<T>>
constexpr void for_each_member(T& value, F&& f) {
    boost::mp11::mp_for_each<reflect::Members<std::remove_const_t<T>>>([&](auto descriptor) {
        std::string_view name = descriptor.name;
        if (name.ends_with('_')) name.remove_suffix(1);
        f(name, value.*descriptor.pointer);
    });
}

namespace reflect {

// Uses the compiler's own spelling of this function to learn the spelling of T. The return type is auto
// because g++ would explain an alias such as std::string_view within the same brackets.
template <class T>
constexpr auto spelling() {
    constexpr std::string_view function = __PRETTY_FUNCTION__;
    constexpr std::size_t start = function.find("T = ") + 4;
    return function.substr(start, function.rfind(']') - start);
}

constexpr std::string_view unqualified(std::string_view name) {
    std::size_t depth = 0;
    for (std::size_t i = name.size(); i > 0; --i) {
        const char c = name[i - 1];
        if (c == '>') ++depth;
        if (c == '<') --depth;
        if (c == ':' && depth == 0) return name.substr(i);
    }
    return name;
}

}  // namespace reflect

// The unqualified name of a type: "Reply" for allot::Permits::Reply. A message that says
// `NamedAfter`, because it adds something to another one, has the name of that.
template <class T>
constexpr std::string_view kind_name() {
    if constexpr (requires { typename T::NamedAfter; })
        return kind_name<typename T::NamedAfter>();
    else
        return reflect::unqualified(reflect::spelling<T>());
}

// The kind of the active alternative.
template <class... Ts>
constexpr std::string_view kind_name(const std::variant<Ts...>& value) {
    return std::visit([]<class T>(const T&) { return kind_name<T>(); }, value);
}

namespace reflect {

template <class>
struct Kinds;
template <class... Ts>
struct Kinds<std::variant<Ts...>> {
    static constexpr std::array<std::string_view, sizeof...(Ts)> names{kind_name<Ts>()...};
};

template <std::size_t N>
constexpr bool all_distinct(const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (names[i] == names[j]) return false;
        }
    }
    return true;
}

}  // namespace reflect

// The kinds a variant can be, in the order of its alternatives.
template <reflect::Variant V>
constexpr const auto& kind_names() {
    return reflect::Kinds<V>::names;
}

// All enumerators of a described enum, in the order of the description.
template <reflect::DescribedEnum E>
constexpr auto enum_values() {
    using List = boost::describe::describe_enumerators<E>;
    return []<class... Ds>(boost::mp11::mp_list<Ds...>) {
        return std::array<E, sizeof...(Ds)>{Ds::value...};
    }(boost::mp11::mp_rename<List, boost::mp11::mp_list>());
}

// Their names, in the same order.
template <reflect::DescribedEnum E>
constexpr auto enum_names() {
    using List = boost::describe::describe_enumerators<E>;
    return []<class... Ds>(boost::mp11::mp_list<Ds...>) {
        return std::array<std::string_view, sizeof...(Ds)>{Ds::name...};
    }(boost::mp11::mp_rename<List, boost::mp11::mp_list>());
}

// The name of an enumerator; empty for a value that has none.
template <reflect::DescribedEnum E>
constexpr std::string_view enum_name(E value) {
    constexpr auto values = enum_values<E>();
    constexpr auto names = enum_names<E>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == value) return names[i];
    }
    return {};
}

template <reflect::DescribedEnum E>
constexpr std::optional<E> enum_from(std::string_view name) {
    constexpr auto values = enum_values<E>();
    constexpr auto names = enum_names<E>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (names[i] == name) return values[i];
    }
    return std::nullopt;
}

namespace reflect {

template <class T, class... Ms>
concept Takes = requires {
    T{std::declval<Ms>()...};
};
template <class T, class... Ms>
concept TakesMoreThan = requires {
    T{std::declval<Ms>()..., {}};
};

// A member that was added to a struct but not to its description would silently drop out of the hash and make
// the checker unsound. An aggregate reveals this: it takes its described members in order, and nothing more.
template <class T, class... Ms>
consteval bool takes_exactly(boost::mp11::mp_list<Ms...>) {
    return !std::is_aggregate_v<T> || (Takes<T, Ms...> && !TakesMoreThan<T, Ms...>);
}

template <class T>
consteval bool fully_described() {
    constexpr bool has_base =
        !boost::mp11::mp_empty<boost::describe::describe_bases<T, boost::describe::mod_any_access>>::value;
    if constexpr (has_base) {
        return true;
    } else {
        return takes_exactly<T>(boost::mp11::mp_rename<MemberTypes<T>, boost::mp11::mp_list>());
    }
}

constexpr std::size_t aligned(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

template <class T, class... Ms>
consteval bool fills(boost::mp11::mp_list<Ms...>) {
    std::size_t end = 0;
    ((end = aligned(end, alignof(Ms)) + sizeof(Ms)), ...);
    return sizeof...(Ms) == 0 || aligned(end, alignof(T)) == sizeof(T);
}

// A class with private members is no aggregate, but its size reveals a member that the description lacks: the
// described members, one after the other, fill it. Undescribed are only caches and derived values, as a
// configuration may have; a state may not.
template <Struct T>
consteval bool has_no_undescribed_member() {
    return fills<T>(boost::mp11::mp_rename<MemberTypes<T>, boost::mp11::mp_list>());
}

// Whether every value of T has at least one byte in canonical form. Elements of containers must, because a
// decoder accepts no count that the remaining bytes can't justify.
template <class T>
consteval bool occupies_bytes() {
    if constexpr (Struct<T>) {
        return []<class... Ms>(boost::mp11::mp_list<Ms...>) {
            return (occupies_bytes<Ms>() || ... || false);
        }(boost::mp11::mp_rename<MemberTypes<T>, boost::mp11::mp_list>());
    } else if constexpr (Pair<T>) {
        return occupies_bytes<typename T::first_type>() || occupies_bytes<typename T::second_type>();
    } else if constexpr (FixedArray<T>) {
        return std::tuple_size_v<T> > 0 && occupies_bytes<typename T::value_type>();
    } else {
        return true;
    }
}

template <class T>
consteval bool reflectable();

template <class... Ts>
consteval bool all_reflectable(boost::mp11::mp_list<Ts...>) {
    return (reflectable<Ts>() && ... && true);
}

template <class T>
consteval bool reflectable_element() {
    return reflectable<T>() && occupies_bytes<T>();
}

template <class T>
consteval bool reflectable() {
    if constexpr (Bool<T> || Integer<T> || DescribedEnum<T> || PlainEnum<T> || IsStamp<T> || IsSiteId<T> ||
                  IsResourceId<T> || String<T>) {
        return true;
    } else if constexpr (Optional<T> || FixedArray<T>) {
        return reflectable<typename T::value_type>();
    } else if constexpr (Pair<T>) {
        return reflectable<typename T::first_type>() && reflectable<typename T::second_type>();
    } else if constexpr (Sequence<T>) {
        return reflectable_element<typename T::value_type>();
    } else if constexpr (Map<T>) {
        return reflectable_element<typename T::key_type>() && reflectable<typename T::mapped_type>();
    } else if constexpr (Set<T>) {
        return reflectable_element<typename T::key_type>();
    } else if constexpr (Variant<T>) {
        return all_reflectable(boost::mp11::mp_rename<T, boost::mp11::mp_list>()) &&
               all_distinct(kind_names<T>());
    } else if constexpr (Struct<T>) {
        return fully_described<T>() &&
               all_reflectable(boost::mp11::mp_rename<MemberTypes<T>, boost::mp11::mp_list>());
    } else {
        return false;
    }
}

}  // namespace reflect

template <class T>
concept Reflectable = reflect::reflectable<std::remove_const_t<T>>();

}  // namespace allot
