#include "cli/commands.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

#include "base/duration.hpp"
#include "core/graph.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

int wrong_usage(const std::string& message) {
    fmt::print(stderr, "allot: {}\n", message);
    return exit_usage;
}

void say_caveat(const std::optional<std::string>& caveat) {
    if (caveat) fmt::print(stderr, "allot: {}\n", *caveat);
}

Result<const world::Entry*> find_protocol(const std::string& name) {
    std::vector<std::string> known;
    for (const world::Entry& entry : registry::protocols()) {
        if (entry.name == name) return &entry;
        known.emplace_back(entry.name);
    }
    return Error{fmt::format("{}: no such protocol; there is {}", name, listed(known))};
}

namespace {

// What each parameter means, for --help. Parameters that nobody has yet are known, so that a wrong value is
// told apart from a wrong name.
const std::vector<std::pair<const char*, const char*>> explained{
    {"sites", "how many sites"},
    {"permits", "how many may hold at once"},
    {"graph", "who is whose neighbour: path:3, cycle:5, grid:10x10, ..."},
    {"bounds",
     "least and most in service of a site and its neighbours: 1,4 or 1,* or 0,1;1,2;0,2 (per site)"},
    {"initial", "who is in service at the start: Ioo (in, out, out), or any safe configuration"},
    {"infeasible", "refuse or allow instances in which some sites can never turn round; default refuse"},
    {"without", "switch a repair off: the published defect is back; several with commas, or all"},
    {"with", "switch a repair on that a published protocol lacks; several with commas, or all"},
};
const std::vector<std::pair<const char*, const char*>> surroundings{
    {"requests", "requests per site: a number, 2,2,1 (one per site) or any (unbounded); default 1"},
    {"founders", "sites from this one on join later; default all are there"},
    {"crashes", "how many sites may crash, between steps or inside one; default 0"},
    {"restarts", "how many crashed sites may come back; default 0"},
    {"leaves", "how many sites may leave in order; default 0"},
    {"duplicate", "how many messages may be delivered twice; default 0"},
    {"lose", "how many messages may get lost, or any; default 0"},
    {"lies", "how often a detector may report a live site dead; default 0"},
    {"trust",
     "dense: everybody trusts everybody at once; sparse: late or never; anchor: only the anchor does"},
    {"anchor", "the site that nobody ever suspects and that never crashes, or none"},
    {"links", "fifo or unordered; default what the protocol needs"},
    {"ranks", "on: rename stamps to small ones; default on where requests are unbounded"},
    {"normalise",
     "off: keep messages and names as they are, where the protocol knows what makes no difference"},
    {"backlog", "a timer fires only while every channel holds fewer messages than this; default 0: always"},
    {"copies",
     "a timer fires only while fewer messages that it replaces are in flight; default 1 where a protocol "
     "names "
     "them"},
    {"campers", "these sites need never let go of what they hold, as in 0,2; default none"},
    {"property", "judge only this one; may be repeated"},
};
const std::vector<std::pair<const char*, const char*>> switches{
    {"cancel", "waiting requests may be withdrawn at any time"},
    {"starts", "who may not ask yet counts as waiting: every start must end"},
    {"full", "take no prompt message at once: explore every order of deliveries"},
};

// A flag where a value should be means that the value was forgotten.
std::string value_or_flag(const std::string& value) {
    return value.starts_with("--") ? "its value is missing, " + value + " follows; write one after it" : "";
}

}  // namespace

void add_parameter_flag(CLI::App& app, Parameters& given, const std::string& name, const std::string& meaning,
                        const std::string& group) {
    app.add_option_function<std::vector<std::string>>(
           "--" + name,
           [&given, name](const std::vector<std::string>& values) {
               std::string& text = given[name];
               for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
           },
           meaning)
        ->group(group)
        ->expected(1)
        ->check(value_or_flag)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("");
}

void add_explained_flag(CLI::App& app, Parameters& given, const std::string& name) {
    for (const auto& [known, meaning] : explained)
        if (known == name) add_parameter_flag(app, given, name, meaning, "Instance");
}

void add_parameter_flags(CLI::App& app, Parameters& given) {
    std::set<std::string> known;
    for (const auto& [name, meaning] : surroundings) {
        known.insert(name);
        add_parameter_flag(app, given, name, meaning, "Instance");
    }
    for (const auto& [name, meaning] : switches) {
        known.insert(name);
        app.add_flag_callback(
               std::string("--") + name, [&given, key = std::string(name)] { given[key] = "on"; }, meaning)
            ->group("Instance");
    }
    add_protocol_flags(app, given, std::move(known));
}

// What is on or off may be switched on by its name alone.
static void add_protocol_flag(CLI::App& app, Parameters& given, const world::Entry& entry,
                              const ParameterInfo& parameter) {
    const bool is_switch = parameter.fallback == "on" || parameter.fallback == "off";
    app.add_option_function<std::string>(
           "--" + parameter.name,
           [&given, is_switch, key = parameter.name](const std::string& value) {
               given[key] = is_switch && value.empty() ? "on" : value;
           },
           fmt::format("of {}; default {}", entry.name, parameter.fallback))
        ->expected(is_switch ? 0 : 1, 1)
        ->check(value_or_flag)
        ->group("Instance")
        ->type_name("");
}

void add_protocol_flags(CLI::App& app, Parameters& given, std::set<std::string> known) {
    for (const auto& [name, meaning] : explained)
        if (known.insert(name).second) add_parameter_flag(app, given, name, meaning, "Instance");
    for (const world::Entry& entry : registry::protocols())
        for (const ParameterInfo& parameter : entry.parameters)
            if (known.insert(parameter.name).second) add_protocol_flag(app, given, entry, parameter);
}

Result<std::size_t> parse_bytes(std::string_view name, std::string_view text) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const double factor = unit == "G" ? 1u << 30 : unit == "M" ? 1u << 20 : unit == "K" ? 1u << 10 : 0;
    if (failure == std::errc{} && value > 0 && factor > 0 && value * factor < 1e15)
        return static_cast<std::size_t>(value * factor);
    return Error{fmt::format("--{} {}: write a size, as in 4G or 512M", name, text)};
}

Result<double> parse_seconds(std::string_view name, std::string_view text) {
    const auto time = parse_duration(text);
    if (time && time->count() > 0) return std::chrono::duration<double>(*time).count();
    return Error{fmt::format("--{} {}: write a time, as in 60s, 500ms or 2m{}", name, text,
                             time ? ", and more than 0" : "")};
}

Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path))
        return Error{fmt::format("{}: no such file, or it cannot be read", path)};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace allot::cli
