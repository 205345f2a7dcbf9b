#include "world/instance.hpp"

#include "core/json.hpp"

namespace allot::world {

boost::json::value message_json(const Instance& instance, const Envelope& envelope) {
    const Type& type = instance.message_type();
    const void* message = instance.message(envelope);
    return to_json(*type.parts[type.alternative(message)].type, type.content_of(message));
}

std::string_view kind_name(const Instance& instance, const Envelope& envelope) {
    return instance.facts().kinds[instance.kind(envelope)].name;
}

}  // namespace allot::world
