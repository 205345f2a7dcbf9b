#include "core/domain.hpp"

#include <algorithm>

namespace allot {

namespace {

using MaybeDomain = std::optional<Domain>;

std::optional<std::string> leaf_error(const Type& leaf, const void* value, std::string_view name,
                                      const Domain& domain) {
    const std::string here = std::string(name) + ": write ";
    const std::uint64_t number = leaf.number(value);
    if (!leaf.enumerators.empty()) {
        const auto candidates = enumerators_in(leaf, domain);
        std::string names;
        for (const Enumerator& one : candidates) {
            if (one.number == number) return std::nullopt;
            names += (names.empty() ? "" : ", ") + std::string(one.name);
        }
        return here + "one of " + names;
    }
    const Domain numbers{domain.low, std::min(domain.high, leaf.greatest)};
    if (numbers.low > numbers.high) return std::string(name) + ": no value is possible here";
    const bool below_zero = leaf.is_signed() && static_cast<std::int64_t>(number) < 0;
    if (!below_zero && numbers.low <= number && number <= numbers.high) return std::nullopt;
    if (leaf.form == Form::boolean) return here + (numbers.low == 0 ? "false" : "true");
    return here + "a whole number from " + std::to_string(numbers.low) + " to " +
           std::to_string(numbers.high);
}

// Looks for the first error.
class Inspection {
public:
    Inspection(std::uint32_t sites, DomainOf domain_of) : sites_(sites), domain_of_(domain_of) {}

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
                if (type.is_site) return site_error(SiteId(type.number(value)), name);
                return domain ? leaf_error(type, value, name, *domain) : std::nullopt;
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
            // The domain of a map is that of its values.
            why = visit(*type.element, element, name, mapped == nullptr ? domain : std::nullopt);
            if (mapped != nullptr && !why) why = visit(*type.mapped, mapped, name, domain);
        });
        return why;
    }

    std::optional<std::string> site_error(SiteId site, std::string_view name) const {
        if (site < sites_) return std::nullopt;
        return std::string(name) + ": there is no site " + std::to_string(site) + "; the sites are 0 to " +
               std::to_string(sites_ - 1);
    }

    const std::uint32_t sites_;
    DomainOf domain_of_;
};

}  // namespace

std::vector<Enumerator> enumerators_in(const Type& leaf, const MaybeDomain& domain) {
    std::vector<Enumerator> found;
    for (const Enumerator& one : leaf.enumerators) {
        const bool below_zero = leaf.is_signed() && static_cast<std::int64_t>(one.number) < 0;
        if (!domain || (!below_zero && domain->low <= one.number && one.number <= domain->high))
            found.push_back(one);
    }
    return found;
}

std::optional<std::string> value_error(const Type& type, const void* value, std::uint32_t sites,
                                       DomainOf domain_of) {
    return Inspection(sites, domain_of).visit(type, value, "", std::nullopt);
}

}  // namespace allot
