#include "core/leaves.hpp"

namespace allot {

void for_each_leaf(const Type& type, const void* value,
                   FunctionRef<void(const Type& leaf, const void* value)> f) {
    if (type.is_number() || type.form == Form::string) return f(type, value);
    if (type.form == Form::variant)
        return for_each_leaf(*type.parts[type.alternative(value)].type, type.content_of(value), f);
    if (type.elements == nullptr) {
        for (const Part& part : type.parts) for_each_leaf(*part.type, type.part_of(value, part), f);
        return;
    }
    type.elements->read(value, [&](const void* element, const void* mapped) {
        for_each_leaf(*type.element, element, f);
        if (mapped != nullptr) for_each_leaf(*type.mapped, mapped, f);
    });
}

void for_each_site_id(const Type& type, const void* value, FunctionRef<void(SiteId)> f) {
    for_each_leaf(type, value, [&](const Type& leaf, const void* number) {
        if (leaf.is_site) f(SiteId(leaf.number(number)));
    });
}

}  // namespace allot
