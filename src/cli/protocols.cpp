// allot protocols: lists the protocols, or shows one of them with its flags, repairs and properties.

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/parameter_flags.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

struct ProtocolsFlags {
    std::string name;
    bool json = false;
};

boost::json::value as_json(const world::Entry& entry) {
    boost::json::object parameters;
    boost::json::object meanings;
    for (const ParameterInfo& parameter : entry.parameters) {
        parameters[parameter.name] = parameter.fallback;
        meanings[parameter.name] = parameter.meaning;
    }
    boost::json::array properties;
    for (const PropertyName& property : entry.properties)
        properties.push_back({{"name", property.name}, {"meaning", property.meaning}});
    boost::json::array repairs;
    for (const RepairInfo& repair : entry.repairs)
        repairs.push_back({{"name", repair.name}, {"on", repair.on}, {"meaning", repair.meaning}});
    return {{"name", entry.name},
            {"problem", entry.problem},
            {"summary", entry.summary},
            {"source", entry.source},
            {"links", enum_name(entry.links)},
            {"parameters", parameters},
            {"meanings", meanings},
            {"repairs", repairs},
            {"properties", properties}};
}

void print_list() {
    Table table({"protocol", "problem", "what it is"});
    for (const world::Entry& entry : registry::protocols())
        table.add({std::string(entry.name), std::string(entry.problem), std::string(entry.summary)});
    fmt::print("{}\nFlags, repairs and properties of one: {} protocols {}\n", table.text(), program_name(),
               registry::protocols().front().name);
}

void print_list_json() {
    boost::json::array all;
    for (const world::Entry& entry : registry::protocols()) all.push_back(as_json(entry));
    fmt::print("{}\n", boost::json::serialize(all));
}

// --- One protocol.

void print_parameters(const world::Entry& entry) {
    Table table({"flag", "default", "meaning"});
    for (const ParameterInfo& parameter : entry.parameters)
        table.add({"--" + parameter.name, parameter.fallback, parameter.meaning});
    fmt::print("\n{}", table.text());
}

void print_repairs(const world::Entry& entry) {
    if (entry.repairs.empty()) return;
    Table table({"repair", "default", "meaning"});
    for (const RepairInfo& repair : entry.repairs)
        table.add({repair.name, repair.on ? "on" : "off", repair.meaning});
    fmt::print("\n{}\n`--without NAME` switches a repair off, `--with NAME` on.\n", table.text());
}

void print_properties(const world::Entry& entry) {
    Table table({"property", "meaning"});
    const auto add = [&](std::span<const PropertyName> properties) {
        for (const PropertyName& property : properties)
            table.add({std::string(property.name), std::string(property.meaning)});
    };
    add(entry.properties);
    add(world::common_properties);
    if (entry.says_legal) add(world::properties_from_anywhere);
    fmt::print("\n{}", table.text());
}

void print_one(const world::Entry& entry) {
    fmt::print("{}\n\n", wrapped(fmt::format("{}: {}", entry.name, entry.summary)));
    fmt::print("Problem: {}\n", entry.problem);
    if (!entry.source.empty()) fmt::print("{}\n", wrapped(fmt::format("Source: {}", entry.source)));
    fmt::print("Links: {}\n", enum_name(entry.links));
    print_parameters(entry);
    print_repairs(entry);
    print_properties(entry);
}

int run_protocols(const ProtocolsFlags& flags) {
    if (flags.name.empty()) {
        (flags.json ? print_list_json : print_list)();
        return exit_ok;
    }
    const auto entry = find_protocol(flags.name);
    if (!entry) return wrong_usage(entry.error());
    if (flags.json)
        fmt::print("{}\n", boost::json::serialize(as_json(**entry)));
    else
        print_one(**entry);
    return exit_ok;
}

}  // namespace

void add_protocols(CommandLine& line) {
    auto flags = std::make_shared<ProtocolsFlags>();
    Command& command = line.command("protocols", "List the protocols, or show one with its flags");
    command.footer(
        fmt::format("Example: {} protocols {}", program_name(), registry::protocols().front().name));
    command.option("protocol", flags->name, "Show this one: its flags, repairs and properties");
    refuse_help_of_none(command, flags->name);
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_protocols(*flags); });
}

}  // namespace allot::cli
