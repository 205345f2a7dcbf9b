#include "cli/parameter_flags.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

constexpr const char* instance = "Instance";

// A flag in place of a value means that the value is missing.
std::string value_or_flag(const std::string& value) {
    return value.starts_with("--") ? "its value is missing, " + value + " follows; write one after it" : "";
}

bool is_switch(const ParameterInfo& parameter) {
    return parameter.fallback == "on" || parameter.fallback == "off";
}

std::string help_text(const ParameterInfo& parameter) {
    return fmt::format("{}; default {}", parameter.meaning, parameter.fallback);
}

// The name of a parameter that is on or off is enough to switch it on.
Argument add_protocol_flag(Command& command, Parameters& given, const ParameterInfo& parameter) {
    const auto collect = [&given, parameter](const std::string& value) {
        given[parameter.name] = is_switch(parameter) && value.empty() ? "on" : value;
    };
    const Argument flag = command.option("--" + parameter.name, collect, help_text(parameter));
    flag.aside().check(value_or_flag);
    if (is_switch(parameter)) flag.value_optional();
    return flag;
}

// The name of a parameter that is off by default is enough to switch it on.
void add_setup_flag(Command& command, Parameters& given, const ParameterInfo& parameter) {
    if (parameter.fallback == "off") {
        const auto switch_on = [&given, name = parameter.name] { given[name] = "on"; };
        command.flag("--" + parameter.name, switch_on, parameter.meaning).group(instance);
        return;
    }
    const Argument flag = add_parameter_flag(command, given, parameter.name, help_text(parameter), instance);
    if (parameter.name == "property") flag.repeatable();
}

// The protocol that the words name, or the only one that there is.
const world::Entry* protocol_among(const std::vector<std::string>& words) {
    const auto all = registry::protocols();
    if (all.size() == 1) return &all.front();
    const auto named = std::ranges::find_if(
        words, [&](const std::string& word) { return registry::protocol(word) != nullptr; });
    return named == words.end() ? nullptr : registry::protocol(*named);
}

using Flags = std::map<std::string, Argument>;

// Lets --help show the flags of this protocol, with their meanings there.
void show(const Flags& flags, const world::Entry& entry) {
    for (const ParameterInfo& parameter : entry.parameters)
        if (const auto flag = flags.find(parameter.name); flag != flags.end())
            flag->second.group(instance).meaning(help_text(parameter));
    if (entry.repairs.empty()) return;
    for (const char* name : {"without", "with"}) flags.at(name).group(instance);
}

}  // namespace

void add_protocol_word(Command& command, const std::string& name, std::string& target) {
    command
        .option("protocol", target,
                fmt::format("One of `{0} protocols`; `{0} {1} PROTOCOL --help` shows its own flags",
                            program_name(), name))
        .required();
    refuse_help_of_none(command, target);
}

void refuse_help_of_none(Command& command, const std::string& protocol) {
    command.before_help([&protocol] {
        for (const std::string& name : split_list(protocol))
            if (!name.empty() && registry::protocol(name) == nullptr) return find_protocol(name).error();
        return std::string();
    });
}

Argument add_parameter_flag(Command& command, Parameters& given, const std::string& name,
                            const std::string& meaning, const std::string& group) {
    const auto collect = [&given, name](const std::string& value) {
        std::string& text = given[name];
        text += (text.empty() ? "" : ",") + value;
    };
    return command.option("--" + name, collect, meaning).group(group).check(value_or_flag);
}

void add_parameter_flags(Command& command, Parameters& given) {
    std::set<std::string> known;
    for (const ParameterInfo& parameter : world::setup_parameters()) {
        known.insert(parameter.name);
        add_setup_flag(command, given, parameter);
    }
    add_protocol_flags(command, given, std::move(known));
}

void add_protocol_flags(Command& command, Parameters& given, std::set<std::string> known) {
    Flags flags;
    for (const world::Entry& entry : registry::protocols())
        for (const ParameterInfo& parameter : entry.parameters)
            if (known.insert(parameter.name).second)
                flags.emplace(parameter.name, add_protocol_flag(command, given, parameter));
    const auto add_repairs = [&](const char* name, const std::string& meaning) {
        flags.emplace(name, add_parameter_flag(command, given, name, meaning, instance).aside());
    };
    add_repairs("without", fmt::format("switch a repair off, so that the published defect returns; several "
                                       "with commas, or all; `{} protocols PROTOCOL` lists them",
                                       program_name()));
    add_repairs("with", "switch a repair on that is off; several with commas, or all");
    command.before_reading([flags](const std::vector<std::string>& words) {
        if (const world::Entry* entry = protocol_among(words)) show(flags, *entry);
    });
}

}  // namespace allot::cli
