#include "daemon/founded.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "base/harmless.hpp"
#include "base/utf8.hpp"
#include "core/parameters.hpp"
#include "daemon/toml_text.hpp"

namespace allot::daemon {

using agreement::Founded;
using std::chrono::milliseconds;
using Kind = FoundedSetting::Kind;

namespace {

// The register and all letters about it carry the modes.
constexpr std::size_t most_modes = 64;
constexpr std::size_t longest_founded = 4096;

std::string time_text(milliseconds time) {
    return time.count() % 1000 == 0 ? fmt::format("{}s", time.count() / 1000)
                                    : fmt::format("{}ms", time.count());
}

std::string mode_text(const host::Mode& mode) {
    std::vector<std::string> names;
    for (const std::string& name : mode.names) names.push_back(toml_text(name));
    return fmt::format("{{ names = [{}]{}{}{} }}", fmt::join(names, ", "),
                       mode.fence ? ", mode = \"fence\"" : "", mode.sticky ? ", mode = \"sticky\"" : "",
                       mode.strict ? ", strict = true" : "");
}

const FoundedSetting* setting_named(std::string_view name) {
    const auto place = std::ranges::find(founded_settings, name, &FoundedSetting::name);
    return place == std::end(founded_settings) ? nullptr : place;
}

}  // namespace

bool is_founded(std::string_view name) {
    return setting_named(name) != nullptr;
}

// --- As text.

std::vector<Founded> founded_of(const Config& config) {
    std::vector<Founded> all;
    for (const FoundedSetting& one : founded_settings) {
        const std::string name(one.name);
        switch (one.kind) {
            case Kind::time:
                all.push_back({name, time_text(config.agreed.*one.time)});
                break;
            case Kind::seats:
                all.push_back({name, std::to_string(config.lock_seats)});
                break;
            case Kind::modes:
                for (const host::Mode& mode : config.modes) all.push_back({name, mode_text(mode)});
                break;
        }
    }
    return all;
}

std::string founded_text(const std::vector<Founded>& founded, std::string_view name) {
    std::vector<std::string> texts;
    for (const Founded& one : founded)
        if (one.name == name) texts.push_back(one.text);
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<Founded> with_written(const std::vector<Founded>& founded, const Config& file) {
    const std::vector<Founded> own = founded_of(file);
    std::vector<Founded> all;
    for (const FoundedSetting& setting : founded_settings)
        for (const Founded& one : file.has_written(setting.name) ? own : founded)
            if (one.name == setting.name) all.push_back(one);
    return all;
}

// --- From [bootstrap].

namespace {

void read_modes(Section& bootstrap, Config& config) {
    bootstrap.tables("mode", [&](Section& section, const toml::node& place) {
        host::Mode mode;
        std::string kind = "exclusive";
        section.texts("names", mode.names);
        section.text("mode", kind);
        if (mode.names.empty())
            section.complain(place,
                             "bootstrap.mode.names is missing; name locks and semaphores, as in [\"rack*\"]");
        for (const std::string& name : mode.names)
            if (name.empty() || name.find('*') < name.size() - 1)
                section.complain(
                    place,
                    fmt::format("bootstrap.mode.names: \"{}\": write a name, or its beginning and *", name));
        section.flag("strict", mode.strict);
        mode.fence = kind == "fence";
        mode.sticky = kind == "sticky";
        if (kind != "exclusive" && !mode.fence && !mode.sticky)
            section.complain(
                place,
                fmt::format("bootstrap.mode.mode: \"{}\": write \"exclusive\", \"fence\" or \"sticky\"",
                            kind));
        if (mode.strict && (mode.fence || mode.sticky))
            section.complain(
                place,
                fmt::format("bootstrap.mode.strict: nobody is stopped in the mode \"{}\"; leave it out",
                            kind));
        config.modes.push_back(std::move(mode));
    });
}

}  // namespace

void read_founded(Section& bootstrap, Config& config) {
    for (const FoundedSetting& one : founded_settings) {
        switch (one.kind) {
            case Kind::time:
                bootstrap.duration(std::string(one.name), config.agreed.*one.time);
                break;
            case Kind::seats:
                bootstrap.number(std::string(one.name), config.lock_seats, 1, 4096);
                break;
            case Kind::modes:
                read_modes(bootstrap, config);
                break;
        }
    }
}

// Programs have at least two thirds of a lease between two questions of their host, and the rest is for
// stopping them.
std::string wrong_founded(const Config& config) {
    const Register& agreed = config.agreed;
    if (agreed.lease < Register::least_lease || agreed.lease > Register::longest)
        return "bootstrap.lease: write at least \"600ms\" and at most \"10m\"";
    if (agreed.grace < milliseconds(100) || agreed.grace * 2 > agreed.lease)
        return "bootstrap.grace: write at least \"100ms\" and at most half of bootstrap.lease";
    if (agreed.silence < Register::least_silence || agreed.silence > Register::longest)
        return "bootstrap.silence: write at least \"200ms\" and at most \"10m\"";
    if (agreed.return_within > Register::longest) return "bootstrap.return_within: write at most \"10m\"";
    if (config.modes.size() > most_modes)
        return fmt::format("bootstrap.mode: write at most {} tables", most_modes);
    for (const Founded& one : founded_of(config))
        if (one.text.size() > longest_founded)
            return fmt::format("bootstrap.mode.names: write at most {} bytes of names in one table",
                               longest_founded);
    return {};
}

// --- From other hosts.

namespace {

// A table of TOML in braces, and nothing else.
std::optional<toml::table> mode_in(const std::string& text) {
    try {
        toml::table all = toml::parse("mode = " + text);
        const toml::table* mode = all["mode"].as_table();
        if (all.size() != 1 || mode == nullptr) return std::nullopt;
        return *mode;
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

// Puts a setting into the table, or one more mode into the list.
bool add_founded(const Founded& one, Kind kind, toml::table& table, toml::array& modes) {
    if (one.text.size() > longest_founded || !is_utf8(one.text)) return false;
    if (kind == Kind::modes) {
        auto mode = modes.size() < most_modes ? mode_in(one.text) : std::nullopt;
        if (mode) modes.push_back(std::move(*mode));
        return mode.has_value();
    }
    if (table.contains(one.name)) return false;
    if (kind == Kind::time) return table.insert(one.name, one.text).second;
    const auto seats = parse_number("", one.text, 0, ~std::uint32_t{0});
    return seats && table.insert(one.name, static_cast<std::int64_t>(*seats)).second;
}

void forget_founded(Config& config) {
    const Config usual;
    for (const FoundedSetting& one : founded_settings)
        if (one.kind == Kind::time) config.agreed.*one.time = usual.agreed.*one.time;
    config.lock_seats = usual.lock_seats;
    config.modes.clear();
}

}  // namespace

Result<Config> with_founded(Config config, const std::vector<Founded>& founded) {
    toml::table table;
    toml::array modes;
    for (const Founded& one : founded) {
        const FoundedSetting* setting = setting_named(one.name);
        if (setting == nullptr) return Error{"there is one that this version of allot does not know"};
        if (!add_founded(one, setting->kind, table, modes))
            return Error{fmt::format("there is a {} that cannot be read", one.name)};
    }
    if (!modes.empty()) table.insert("mode", std::move(modes));
    forget_founded(config);
    Complaint complaint;
    {
        Section section(table, "bootstrap", complaint);
        read_founded(section, config);
    }
    std::string why = complaint.text.empty() ? wrong_founded(config) : complaint.text;
    if (!why.empty()) return Error{harmless(why)};
    return config;
}

}  // namespace allot::daemon
