#include "world/entry.hpp"

#include <algorithm>

#include "base/did_you_mean.hpp"
#include "core/draw.hpp"

namespace allot::world {

bool Entry::takes(std::string_view parameter) const {
    return std::ranges::any_of(parameters, [&](const ParameterInfo& one) { return one.name == parameter; });
}

void Entry::sample(Draw& draw) const {
    if (draw_parameters != nullptr) draw_parameters(draw);
    // Where a graph says how many sites there are, there is no such parameter.
    if (takes("sites")) draw.number("sites", 2, 5);
    if (asks_forever)
        draw.choice("requests", {"any"});
    else
        draw.requests(4);
}

std::string header_line(std::string_view protocol, const Parameters& given) {
    std::string line = "protocol " + std::string(protocol);
    for (const auto& [name, value] : given) line += " " + name + "=" + value;
    return line;
}

std::optional<std::string> unknown_property(const Entry& entry, const NameList& judged) {
    std::vector<std::string> known;
    for (const PropertyName& property : entry.properties) known.emplace_back(property.name);
    for (const PropertyName& property : common_properties) known.emplace_back(property.name);
    for (const PropertyName& property : properties_from_anywhere) known.emplace_back(property.name);
    for (const std::string& name : judged.names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            return "--property " + name + ": " + std::string(entry.name) + " has " + listed(known) +
                   did_you_mean(name, known);
    return std::nullopt;
}

Error unknown_parameter(const Entry& entry, const Parameters& left) {
    std::vector<std::string> known;
    for (const ParameterInfo& parameter : entry.parameters) known.push_back("--" + parameter.name);
    return Error{"--" + left.begin()->first + " " + left.begin()->second + ": " + std::string(entry.name) +
                 " has no such parameter; it takes " + listed(known) +
                 did_you_mean("--" + left.begin()->first, known)};
}

}  // namespace allot::world
