#include "daemon/settings_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/utf8.hpp"
#include "core/parameters.hpp"

namespace allot::daemon {

namespace {

using agreement::Founded;
using agreement::HostSettings;
using agreement::SemaphoreSettings;
using agreement::Settings;
using agreement::Standing;

constexpr std::uint32_t most_permits = 10'000;
constexpr std::string_view of_one_request = ".max_request";

// Requests may be as large as the semaphore, unless a smaller limit was set.
void resize(SemaphoreSettings& semaphore, std::uint32_t permits) {
    const bool was_limited = semaphore.max_request < semaphore.permits;
    semaphore.max_request = was_limited ? std::min(semaphore.max_request, permits) : permits;
    semaphore.permits = permits;
}

std::optional<std::string> limit_requests(Settings& settings, const std::string& name,
                                          const std::string& number) {
    const auto place = settings.semaphores.find(name);
    if (place == settings.semaphores.end())
        return fmt::format("{}: no such semaphore; make it first, as in {}=5", name, name);
    const std::uint32_t most = place->second.permits;
    const auto units = parse_number("", number, 1, most);
    if (!units)
        return fmt::format("{}{}={}: write a number from 1 to {}, its permits", name, of_one_request, number,
                           most);
    place->second.max_request = static_cast<std::uint32_t>(*units);
    return std::nullopt;
}

constexpr std::string_view admission = "cluster.admission";

const char* admission_text(bool asks_operator) {
    return asks_operator ? "operator" : "certificate";
}

std::optional<std::string> admit_by(Settings& settings, const std::string& word) {
    if (word != admission_text(true) && word != admission_text(false))
        return fmt::format(
            "{0}={1}: write {0}={2} (operators expect each host by `allot cluster expect`) or {0}={3}",
            admission, word, admission_text(true), admission_text(false));
    settings.asks_operator = word == admission_text(true);
    return std::nullopt;
}

// The name of a setting that no order changes, with or without the table that it stands in; empty for others,
// and for semaphores that have such a name.
std::string founded_name(const Settings& settings, std::string name) {
    constexpr std::string_view table = "bootstrap.";
    if (settings.semaphores.contains(name)) return "";
    if (name.starts_with(table)) name.erase(0, table.size());
    const bool is_one = std::ranges::find(settings.founded, name, &Founded::name) != settings.founded.end();
    return is_one || name == "mode" ? name : "";
}

std::optional<std::string> apply(Settings& settings, const std::string& change) {
    const auto equals = change.find('=');
    if (const std::string founded = founded_name(settings, change.substr(0, equals)); !founded.empty())
        return fmt::format(
            "{}: it stays as it was when the cluster was formed; to change it, stop all hosts, write it in "
            "[bootstrap] of each file, and run `allot cluster init --above N` on each host",
            founded);
    if (change.substr(0, equals) == admission && equals != std::string::npos)
        return admit_by(settings, change.substr(equals + 1));
    const std::string name = change.substr(0, equals);
    if (equals == std::string::npos || name.empty() || name.find(',') != std::string::npos || !is_utf8(name))
        return fmt::format("{}: write the name of a semaphore and its permits, as in builds=5", change);
    const std::string number = change.substr(equals + 1);
    if (name.ends_with(of_one_request) && name.size() > of_one_request.size())
        return limit_requests(settings, name.substr(0, name.size() - of_one_request.size()), number);
    const auto permits = parse_number("", number, 0, most_permits);
    if (!permits)
        return fmt::format("{}: write a number of permits from 1 to {}, or 0 to remove it", change,
                           most_permits);
    if (*permits > 0)
        resize(settings.semaphores[name], static_cast<std::uint32_t>(*permits));
    else if (settings.semaphores.erase(name) == 0)
        return fmt::format("{}: no such semaphore, so it cannot be removed", change);
    return std::nullopt;
}

std::string text_of(const SemaphoreSettings& semaphore) {
    const std::string permits =
        fmt::format("{} permit{}", semaphore.permits, semaphore.permits == 1 ? "" : "s");
    if (semaphore.max_request == semaphore.permits) return permits;
    return fmt::format("{}, at most {} for one request", permits, semaphore.max_request);
}

}  // namespace

Result<Settings> changed(Settings settings, const std::vector<std::string>& changes) {
    for (const std::string& change : changes)
        if (auto why = apply(settings, change)) return Error{std::move(*why)};
    return settings;
}

Settings settings_of(const Config& config) {
    Settings settings;
    for (const auto& [name, semaphore] : config.semaphores)
        settings.semaphores[name] = {semaphore.permits, semaphore.max_request};
    settings.hosts = config.hosts;
    settings.asks_operator = config.asks_operator;
    if (!config.agreed.voters.empty())
        for (const std::uint32_t voter : config.voters()) settings.voters.emplace_back(voter);
    settings.founded = config.founded();
    return settings;
}

const char* standing_text(Standing standing) {
    switch (standing) {
        case Standing::in:
            return "in";
        case Standing::drained:
            return "drained";
        case Standing::leaving:
            return "leaving";
        case Standing::expected:
            return "expected";
        case Standing::out:
            return "out";
    }
    return "";
}

namespace {

const HostSettings* find_host(const Settings& settings, const std::string& name) {
    const auto place = std::ranges::find(settings.hosts, name, &HostSettings::name);
    return place == settings.hosts.end() ? nullptr : &*place;
}

std::string text_of(const HostSettings* host) {
    if (host == nullptr) return "none";
    const std::string standing = standing_text(host->standing);
    return host->standing == Standing::expected ? standing : standing + " at " + host->address;
}

std::string voters_text(const Settings& settings) {
    if (settings.voters.empty()) return "as many as the hosts need";
    std::vector<std::string> names;
    for (const SiteId voter : settings.voters)
        names.push_back(voter < settings.hosts.size() ? settings.hosts[voter].name
                                                      : fmt::format("host {}", voter + 1));
    return fmt::format("{}", fmt::join(names, ", "));
}

void add_differences_of_hosts(const Settings& before, const Settings& after, std::vector<std::string>& all) {
    for (const auto* settings : {&after, &before})
        for (const HostSettings& one : settings->hosts) {
            if (settings == &before && find_host(after, one.name) != nullptr) continue;  // named already
            const std::string former = text_of(find_host(before, one.name));
            const std::string now = text_of(find_host(after, one.name));
            if (former != now) all.push_back(fmt::format("host {}: {} -> {}", one.name, former, now));
        }
}

// The text of all settings with that name, as there may be several modes.
std::string founded_text(const Settings& settings, const std::string& name) {
    std::vector<std::string> texts;
    for (const Founded& one : settings.founded)
        if (one.name == name) texts.push_back(one.text);
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::vector<std::string> founded_differences(const Settings& before, const Settings& after) {
    std::set<std::string> names;
    for (const auto* settings : {&before, &after})
        for (const Founded& one : settings->founded) names.insert(one.name);
    std::vector<std::string> all;
    for (const std::string& name : names) {
        const std::string former = founded_text(before, name);
        const std::string now = founded_text(after, name);
        if (former != now) all.push_back(fmt::format("{}: {} -> {}", name, former, now));
    }
    return all;
}

std::vector<std::string> differences(const Settings& before, const Settings& after) {
    std::set<std::string> names;
    for (const auto* settings : {&before, &after})
        for (const auto& [name, semaphore] : settings->semaphores) names.insert(name.name());
    const auto shown = [](const Settings& settings, const std::string& name) {
        const auto place = settings.semaphores.find(name);
        return place == settings.semaphores.end() ? std::string("none") : text_of(place->second);
    };
    std::vector<std::string> all;
    for (const std::string& name : names)
        if (shown(before, name) != shown(after, name))
            all.push_back(
                fmt::format("semaphore {}: {} -> {}", name, shown(before, name), shown(after, name)));
    add_differences_of_hosts(before, after, all);
    if (before.voters != after.voters)
        all.push_back(fmt::format("voters: {} -> {}", voters_text(before), voters_text(after)));
    if (before.asks_operator != after.asks_operator)
        all.push_back(fmt::format("{}: {} -> {}", admission, admission_text(before.asks_operator),
                                  admission_text(after.asks_operator)));
    return all;
}

}  // namespace allot::daemon
