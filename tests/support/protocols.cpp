#include "support/protocols.hpp"

#include <stdexcept>
#include <string>

#include "miniatures/entries.hpp"
#include "play/test_protocols.hpp"
#include "registry/registry.hpp"

namespace allot::test_support {

const world::Entry& protocol(std::string_view name) {
    if (const world::Entry* registered = registry::protocol(name)) return *registered;
    for (const auto entries : {miniatures::entries(), play_test::entries()})
        for (const world::Entry& entry : entries)
            if (entry.name == name) return entry;
    throw std::invalid_argument("no protocol is called " + std::string(name));
}

}  // namespace allot::test_support
