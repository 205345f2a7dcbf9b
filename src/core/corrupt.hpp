// Corruption: draws every leaf of a value anew, for runs that start in an arbitrary state; and says what of a
// value written by hand could never be drawn.
//
// domain_of(member_name) says from which numbers the leaves of a member are drawn; a leaf belongs to the
// innermost named member around it. Without a domain a number is drawn from 0 to 3, a bool or a described
// enum from all its values. What a domain holds beyond the leaf's type is not drawn, and a leaf for which
// nothing is left stays as it is.
//
// Sequences keep their size, unless their domain says how long they may be, and maps their keys; strings
// stay. An optional or variant may change what it is. A set of leaves takes each value of its domain with
// probability 1/2, which walks through the domain: keep it small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/reflect.hpp"

namespace allot {

// All numbers from low to high, both included.
struct Domain {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t longest = 0;  // of a sequence: its size is drawn, too, from 0 to this; 0: it stays

    friend constexpr bool operator==(const Domain&, const Domain&) = default;
};

namespace corrupt_detail {

template <class T>
concept Leaf = reflect::Bool<T> || reflect::Integer<T> || reflect::Enum<T> || reflect::IsStamp<T>;

template <Leaf T>
consteval std::uint64_t greatest() {
    if constexpr (reflect::IsStamp<T>) {
        return std::numeric_limits<std::uint64_t>::max();
    } else if constexpr (reflect::Enum<T>) {
        return static_cast<std::uint64_t>(std::numeric_limits<std::underlying_type_t<T>>::max());
    } else {
        return static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    }
}

template <Leaf T>
constexpr T leaf_of(std::uint64_t number) {
    if constexpr (reflect::IsStamp<T>) {
        return StampAccess::make(number);
    } else {
        return static_cast<T>(number);
    }
}

template <Leaf T>
constexpr Domain clipped(std::optional<Domain> domain) {
    const Domain wanted = domain.value_or(Domain{0, 3});
    return {wanted.low, std::min(wanted.high, greatest<T>()), 0};
}

template <reflect::DescribedEnum T>
std::vector<T> enumerators_in(std::optional<Domain> domain) {
    std::vector<T> found;
    for (const T value : enum_values<T>()) {
        const auto number = static_cast<std::underlying_type_t<T>>(value);
        const bool inside = !domain || (std::cmp_less_equal(domain->low, number) &&
                                        std::cmp_less_equal(number, domain->high));
        if (inside) found.push_back(value);
    }
    return found;
}

template <class Draw>
std::uint64_t number_from(Domain domain, Draw& draw) {
    const std::uint64_t span = domain.high - domain.low + 1;
    if (span != 0) return domain.low + draw(span);
    // All 2^64 numbers: the bound itself would not fit.
    constexpr std::uint64_t half = std::uint64_t{1} << 32;
    const std::uint64_t upper = draw(half);
    return upper * half + draw(half);
}

template <Leaf T, class Draw>
void leaf(T& value, Draw& draw, std::optional<Domain> domain) {
    if constexpr (reflect::DescribedEnum<T>) {
        const std::vector<T> candidates = enumerators_in<T>(domain);
        if (!candidates.empty()) value = candidates[static_cast<std::size_t>(draw(candidates.size()))];
    } else {
        const Domain numbers = clipped<T>(domain);
        if (numbers.low <= numbers.high) value = leaf_of<T>(number_from(numbers, draw));
    }
}

template <class T, class Draw>
void leaf_set(T& set, Draw& draw, std::optional<Domain> domain) {
    using Key = typename T::key_type;
    set.clear();
    if constexpr (reflect::DescribedEnum<Key>) {
        for (const Key value : enumerators_in<Key>(domain)) {
            if (draw(2) == 1) set.insert(value);
        }
    } else {
        const Domain numbers = clipped<Key>(domain);
        if (numbers.low > numbers.high) return;
        for (std::uint64_t number = numbers.low;; ++number) {
            if (draw(2) == 1) set.insert(leaf_of<Key>(number));
            if (number == numbers.high) return;
        }
    }
}

// One pass over a value: where chance comes from, and which domain a name has.
template <class Draw, class DomainOf>
class Pass {
public:
    Pass(Draw& draw, DomainOf& domain_of) : draw_(draw), domain_of_(domain_of) {}

    template <class T>
    void visit(T& value, std::optional<Domain> domain) {
        if constexpr (reflect::String<T>) {
            return;
        } else if constexpr (Leaf<T>) {
            leaf(value, draw_, domain);
        } else if constexpr (reflect::Optional<T>) {
            visit_optional(value, domain);
        } else if constexpr (reflect::Pair<T>) {
            visit(value.first, domain);
            visit(value.second, domain);
        } else if constexpr (reflect::FixedArray<T> || reflect::Sequence<T>) {
            if constexpr (reflect::Sequence<T>)
                if (domain && domain->longest > 0)
                    value.resize(static_cast<std::size_t>(draw_(domain->longest + 1)));
            visit_elements(value, domain);
        } else if constexpr (reflect::Map<T>) {
            for (auto& [key, mapped] : value) visit(mapped, domain);
        } else if constexpr (reflect::Set<T>) {
            visit_set(value, domain);
        } else if constexpr (reflect::Variant<T>) {
            visit_variant(value, domain);
        } else {
            for_each_member(value, [&](std::string_view name, auto& member) {
                visit(member, std::optional<Domain>(domain_of_(name)));
            });
        }
    }

private:
    template <class T>
    void visit_optional(T& optional, std::optional<Domain> domain) {
        if (draw_(2) == 0) {
            optional.reset();
        } else {
            if (!optional) optional.emplace();
            visit(*optional, domain);
        }
    }

    // By index and through a copy, because the elements of std::vector<bool> can't be referred to.
    template <class T>
    void visit_elements(T& container, std::optional<Domain> domain) {
        for (std::size_t i = 0; i < container.size(); ++i) {
            typename T::value_type element = std::move(container[i]);
            visit(element, domain);
            container[i] = std::move(element);
        }
    }

    template <class T>
    void visit_set(T& set, std::optional<Domain> domain) {
        if constexpr (Leaf<typename T::key_type>) {
            leaf_set(set, draw_, domain);
        } else {
            std::vector<typename T::key_type> keys(set.begin(), set.end());
            set.clear();
            for (auto& key : keys) {
                visit(key, domain);
                set.insert(std::move(key));
            }
        }
    }

    template <class T>
    void visit_variant(T& variant, std::optional<Domain> domain) {
        constexpr std::size_t alternatives = std::variant_size_v<T>;
        const auto index = static_cast<std::size_t>(draw_(alternatives));
        boost::mp11::mp_with_index<alternatives>(index, [&](auto i) {
            if (variant.index() != i) variant.template emplace<i>();
            visit(std::get<i>(variant), domain);
        });
    }

    Draw& draw_;
    DomainOf& domain_of_;
};

template <Leaf T>
std::optional<std::string> leaf_outside(const T& value, std::string_view name,
                                        const std::optional<Domain>& domain) {
    if (!domain) return std::nullopt;
    const std::string here = std::string(name) + ": write ";
    if constexpr (reflect::DescribedEnum<T>) {
        const std::vector<T> candidates = enumerators_in<T>(domain);
        if (candidates.empty() || std::ranges::find(candidates, value) != candidates.end())
            return std::nullopt;
        std::string names;
        for (const T one : candidates) names += (names.empty() ? "" : ", ") + std::string(enum_name(one));
        return here + "one of " + names;
    } else {
        const Domain numbers = clipped<T>(domain);
        if (numbers.low > numbers.high) return std::nullopt;
        if (leaf_of<T>(numbers.low) <= value && value <= leaf_of<T>(numbers.high)) return std::nullopt;
        if constexpr (reflect::Bool<T>) return here + (numbers.low == 0 ? "false" : "true");
        return here + "a whole number from " + std::to_string(numbers.low) + " to " +
               std::to_string(numbers.high);
    }
}

// The first leaf, or sequence, that is outside its domain.
template <class DomainOf>
class Inspection {
public:
    explicit Inspection(DomainOf& domain_of) : domain_of_(domain_of) {}

    template <class T>
    std::optional<std::string> visit(const T& value, std::string_view name,
                                     const std::optional<Domain>& domain) {
        if constexpr (reflect::String<T>) {
            return std::nullopt;
        } else if constexpr (Leaf<T>) {
            return leaf_outside(value, name, domain);
        } else if constexpr (reflect::Optional<T>) {
            return value ? visit(*value, name, domain) : std::nullopt;
        } else if constexpr (reflect::Pair<T>) {
            auto why = visit(value.first, name, domain);
            return why ? why : visit(value.second, name, domain);
        } else if constexpr (reflect::Map<T>) {
            for (const auto& [key, mapped] : value)
                if (auto why = visit(mapped, name, domain)) return why;
            return std::nullopt;
        } else if constexpr (reflect::FixedArray<T> || reflect::Sequence<T> || reflect::Set<T>) {
            if constexpr (reflect::Sequence<T>)
                if (domain && domain->longest > 0 && value.size() > domain->longest)
                    return std::string(name) + ": write no more than " + std::to_string(domain->longest);
            for (const typename T::value_type& element : value)
                if (auto why = visit(element, name, domain)) return why;
            return std::nullopt;
        } else if constexpr (reflect::Variant<T>) {
            return std::visit([&](const auto& kind) { return visit(kind, name, domain); }, value);
        } else {
            std::optional<std::string> why;
            for_each_member(value, [&](std::string_view member_name, const auto& member) {
                if (!why) why = visit(member, member_name, std::optional<Domain>(domain_of_(member_name)));
            });
            return why;
        }
    }

private:
    DomainOf& domain_of_;
};

}  // namespace corrupt_detail

// `random(bound)` returns a number from 0 to bound - 1; core/random.hpp has one.
template <Reflectable T, class Draw, class DomainOf>
void corrupt(T& value, Draw& random, DomainOf&& domain_of) {
    corrupt_detail::Pass<Draw, std::remove_reference_t<DomainOf>>(random, domain_of)
        .visit(value, std::nullopt);
}

// What to write where something is that could not be drawn; nothing where all of it could.
template <Reflectable T, class DomainOf>
std::optional<std::string> outside(const T& value, DomainOf&& domain_of) {
    return corrupt_detail::Inspection<std::remove_reference_t<DomainOf>>(domain_of).visit(value, "",
                                                                                          std::nullopt);
}

}  // namespace allot
