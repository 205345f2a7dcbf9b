#include "core/stamps.hpp"

namespace allot {

void for_each_stamp(const Type& type, const void* value, FunctionRef<void(const Stamp&)> f) {
    if (!type.has_stamps) return;
    switch (type.form) {
        case Form::stamp:
            return f(*static_cast<const Stamp*>(value));
        case Form::structure:
        case Form::pair:
            for (const Part& part : type.parts)
                if (part.type->has_stamps) for_each_stamp(*part.type, type.part_of(value, part), f);
            return;
        case Form::variant:
            return for_each_stamp(*type.parts[type.alternative(value)].type, type.content_of(value), f);
        default:
            return type.elements->read(value, [&](const void* element, const void* mapped) {
                for_each_stamp(*type.element, element, f);
                if (mapped != nullptr) for_each_stamp(*type.mapped, mapped, f);
            });
    }
}

void for_each_stamp(const Type& type, void* value, FunctionRef<void(Stamp&)> f) {
    if (!type.has_stamps) return;
    switch (type.form) {
        case Form::stamp:
            return f(*static_cast<Stamp*>(value));
        case Form::structure:
        case Form::pair:
            for (const Part& part : type.parts)
                if (part.type->has_stamps) for_each_stamp(*part.type, type.part_of(value, part), f);
            return;
        case Form::variant:
            return for_each_stamp(*type.parts[type.alternative(value)].type, type.content(value), f);
        default:
            return type.elements->change(value, type.element->has_stamps, [&](void* element, void* mapped) {
                if (element != nullptr) for_each_stamp(*type.element, element, f);
                if (mapped != nullptr) for_each_stamp(*type.mapped, mapped, f);
            });
    }
}

}  // namespace allot
