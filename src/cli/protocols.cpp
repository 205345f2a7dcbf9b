// allot protocols: lists the protocols, with parameters and defaults.

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

std::string parameter_list(const world::Entry& entry) {
    std::string text;
    for (const ParameterInfo& parameter : entry.parameters)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name, parameter.fallback);
    return text;
}

boost::json::value as_json(const world::Entry& entry) {
    boost::json::object parameters;
    for (const ParameterInfo& parameter : entry.parameters) parameters[parameter.name] = parameter.fallback;
    boost::json::array properties;
    for (const PropertyName& property : entry.properties)
        properties.push_back({{"name", property.name}, {"meaning", property.meaning}});
    boost::json::array repairs;
    for (const RepairInfo& repair : entry.repairs)
        repairs.push_back({{"name", repair.name}, {"on", repair.on}});
    return {{"name", entry.name},       {"problem", entry.problem},
            {"summary", entry.summary}, {"links", enum_name(entry.links)},
            {"parameters", parameters}, {"repairs", repairs},
            {"properties", properties}};
}

int list_protocols(bool json) {
    if (json) {
        boost::json::array all;
        for (const world::Entry& entry : registry::protocols()) all.push_back(as_json(entry));
        fmt::print("{}\n", boost::json::serialize(all));
        return exit_ok;
    }
    Table table({"protocol", "problem", "links", "parameters", "what it is"});
    for (const world::Entry& entry : registry::protocols())
        table.add({std::string(entry.name), std::string(entry.problem), std::string(enum_name(entry.links)),
                   parameter_list(entry), std::string(entry.summary)});
    fmt::print("{}", table.text());
    return exit_ok;
}

}  // namespace

void add_protocols(CommandLine& line) {
    Command& command = line.command("protocols", "List the protocols, with parameters and defaults");
    command.footer("Example: " + program_name() + " protocols");
    auto json = std::make_shared<bool>(false);
    command.flag("--json", *json, "For programs");
    command.action([json] { return list_protocols(*json); });
}

}  // namespace allot::cli
