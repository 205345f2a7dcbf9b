#include "core/corrupt.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace allot {

namespace {

using MaybeDomain = std::optional<Domain>;

Domain clipped(const Type& leaf, const MaybeDomain& domain) {
    const Domain wanted = domain.value_or(Domain{0, 3});
    return {wanted.low, std::min(wanted.high, leaf.greatest), 0};
}

std::vector<Enumerator> enumerators_in(const Type& leaf, const MaybeDomain& domain) {
    std::vector<Enumerator> found;
    for (const Enumerator& one : leaf.enumerators) {
        const bool below_zero = leaf.is_signed() && static_cast<std::int64_t>(one.number) < 0;
        if (!domain || (!below_zero && domain->low <= one.number && one.number <= domain->high))
            found.push_back(one);
    }
    return found;
}

// One pass over a value: where chance comes from, and which domain a name has.
class Corruption {
public:
    Corruption(Random& random, DomainOf domain_of) : random_(random), domain_of_(domain_of) {}

    void visit(const Type& type, void* value, const MaybeDomain& domain) {
        switch (type.form) {
            case Form::string:
                return;
            case Form::optional:
                return visit_optional(type, value, domain);
            case Form::sequence:
                if (domain && domain->longest > 0)
                    type.elements->resize(value, static_cast<std::size_t>(random_(domain->longest + 1)));
                return visit_elements(type, value, domain);
            case Form::array:
                return visit_elements(type, value, domain);
            case Form::set:
                if (type.element->is_number()) return draw_set(type, value, domain);
                return visit_elements(type, value, domain);
            case Form::map:
                return type.elements->change(
                    value, false, [&](void*, void* mapped) { visit(*type.mapped, mapped, domain); });
            case Form::variant: {
                const auto drawn = static_cast<std::size_t>(random_(type.parts.size()));
                if (type.alternative(value) != drawn) type.become(value, drawn);
                return visit(*type.parts[drawn].type, type.content(value), domain);
            }
            case Form::pair:
                for (const Part& part : type.parts) visit(*part.type, type.part_of(value, part), domain);
                return;
            case Form::structure:
                for (const Part& part : type.parts)
                    visit(*part.type, type.part_of(value, part), domain_of_(part.name));
                return;
            default:
                return draw_leaf(type, value, domain);
        }
    }

private:
    void visit_optional(const Type& type, void* optional, const MaybeDomain& domain) {
        if (random_(2) == 0) return type.elements->clear(optional);
        if (type.elements->size(optional) == 0) type.elements->add(optional, [](void*, void*) {});
        visit_elements(type, optional, domain);
    }

    void visit_elements(const Type& type, void* container, const MaybeDomain& domain) {
        type.elements->change(container, true,
                              [&](void* element, void*) { visit(*type.element, element, domain); });
    }

    void draw_leaf(const Type& type, void* leaf, const MaybeDomain& domain) {
        if (!type.enumerators.empty()) {
            const auto candidates = enumerators_in(type, domain);
            if (!candidates.empty()) type.set_number(leaf, candidates[random_(candidates.size())].number);
            return;
        }
        const Domain numbers = clipped(type, domain);
        // A span of all 2^64 numbers wraps to 0, which the generator takes as just that.
        if (numbers.low <= numbers.high)
            type.set_number(leaf, numbers.low + random_(numbers.high - numbers.low + 1));
    }

    void draw_set(const Type& type, void* set, const MaybeDomain& domain) {
        const Type& leaf = *type.element;
        type.elements->clear(set);
        const auto take = [&](std::uint64_t number) {
            if (random_(2) == 1)
                type.elements->add(set, [&](void* element, void*) { leaf.set_number(element, number); });
        };
        if (!leaf.enumerators.empty()) {
            for (const Enumerator& one : enumerators_in(leaf, domain)) take(one.number);
            return;
        }
        const Domain numbers = clipped(leaf, domain);
        if (numbers.low > numbers.high) return;
        for (std::uint64_t number = numbers.low;; ++number) {
            take(number);
            if (number == numbers.high) return;
        }
    }

    Random& random_;
    DomainOf domain_of_;
};

std::optional<std::string> leaf_outside(const Type& leaf, const void* value, std::string_view name,
                                        const MaybeDomain& domain) {
    if (!domain) return std::nullopt;
    const std::string here = std::string(name) + ": write ";
    const std::uint64_t number = leaf.number(value);
    if (!leaf.enumerators.empty()) {
        const auto candidates = enumerators_in(leaf, domain);
        std::string names;
        for (const Enumerator& one : candidates) {
            if (one.number == number) return std::nullopt;
            names += (names.empty() ? "" : ", ") + std::string(one.name);
        }
        if (candidates.empty()) return std::nullopt;
        return here + "one of " + names;
    }
    const Domain numbers = clipped(leaf, domain);
    if (numbers.low > numbers.high) return std::nullopt;
    const bool below_zero = leaf.is_signed() && static_cast<std::int64_t>(number) < 0;
    if (!below_zero && numbers.low <= number && number <= numbers.high) return std::nullopt;
    if (leaf.form == Form::boolean) return here + (numbers.low == 0 ? "false" : "true");
    return here + "a whole number from " + std::to_string(numbers.low) + " to " +
           std::to_string(numbers.high);
}

// The first leaf, or sequence, that is outside its domain.
class Inspection {
public:
    explicit Inspection(DomainOf domain_of) : domain_of_(domain_of) {}

    std::optional<std::string> visit(const Type& type, const void* value, std::string_view name,
                                     const MaybeDomain& domain) const {
        switch (type.form) {
            case Form::string:
                return std::nullopt;
            case Form::pair:
            case Form::structure:
                for (const Part& part : type.parts) {
                    const bool named = type.form == Form::structure;
                    if (auto why = visit(*part.type, type.part_of(value, part), named ? part.name : name,
                                         named ? domain_of_(part.name) : domain))
                        return why;
                }
                return std::nullopt;
            case Form::variant:
                return visit(*type.parts[type.alternative(value)].type, type.content_of(value), name, domain);
            case Form::optional:
            case Form::array:
            case Form::sequence:
            case Form::set:
            case Form::map:
                return visit_elements(type, value, name, domain);
            default:
                return leaf_outside(type, value, name, domain);
        }
    }

private:
    std::optional<std::string> visit_elements(const Type& type, const void* container, std::string_view name,
                                              const MaybeDomain& domain) const {
        if (type.form == Form::sequence && domain && domain->longest > 0 &&
            type.elements->size(container) > domain->longest)
            return std::string(name) + ": write no more than " + std::to_string(domain->longest);
        std::optional<std::string> why;
        type.elements->read(container, [&](const void* element, const void* mapped) {
            if (why) return;
            why = mapped != nullptr ? visit(*type.mapped, mapped, name, domain)
                                    : visit(*type.element, element, name, domain);
        });
        return why;
    }

    DomainOf domain_of_;
};

}  // namespace

void corrupt(const Type& type, void* value, Random& random, DomainOf domain_of) {
    Corruption(random, domain_of).visit(type, value, std::nullopt);
}

std::optional<std::string> outside(const Type& type, const void* value, DomainOf domain_of) {
    return Inspection(domain_of).visit(type, value, "", std::nullopt);
}

}  // namespace allot
