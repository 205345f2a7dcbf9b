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

}  // namespace

void corrupt(const Type& type, void* value, Random& random, DomainOf domain_of) {
    Corruption(random, domain_of).visit(type, value, std::nullopt);
}

}  // namespace allot
