#include "daemon/settings_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "core/parameters.hpp"
#include "daemon/founded.hpp"
#include "host/resource_name.hpp"

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

constexpr std::string_view admission = "admission";

const char* admission_text(bool asks_operator) {
    return asks_operator ? "operator" : "certificate";
}

bool is_admission_text(const std::string& word) {
    return word == admission_text(true) || word == admission_text(false);
}

// Names in the files, which are no names of semaphores: `name` without its table, and `written` with it.
std::string advice_on(const std::string& name, const std::string& written) {
    if (is_founded(name))
        return fmt::format(
            "{}: it stays as it was when the cluster was formed; to change it, stop all hosts, write it in "
            "[bootstrap] of each file, and run `allot cluster init --above N --bootstrap` on each host",
            name);
    if (name == admission)
        return fmt::format("{}: write {}={} (operators expect each host by `allot cluster expect`) or {}={}",
                           written, admission, admission_text(true), admission, admission_text(false));
    if (name == "voters")
        return written + ": write `allot cluster voters`, which chooses the hosts that keep the register";
    if (name == "hosts")
        return written + ": write `allot cluster join`, `leave` or `expel`, which change the hosts";
    if (name.starts_with("semaphores"))
        return written + ": write the name of a semaphore alone, as in builds=5";
    if (name != written)
        return written + ": no order changes such a setting; write the name of a semaphore, as in builds=5";
    return "";
}

// Why nobody makes a semaphore of this name; empty if anybody may, and if it is there.
std::string reserved(const Settings& settings, const std::string& name) {
    std::string semaphore = name;
    if (name.ends_with(of_one_request)) semaphore.resize(name.size() - of_one_request.size());
    if (settings.semaphores.contains(semaphore)) return "";
    for (const std::string_view table : {"bootstrap.", "cluster."})
        if (name.starts_with(table)) return advice_on(name.substr(table.size()), name);
    return name.find('.') == std::string::npos ? advice_on(name, name) : "";
}

// Wrong whatever the settings are. A semaphore of an earlier version may have any name.
std::optional<std::string> wrong_change(const std::string& change) {
    const auto equals = change.find('=');
    const std::string name = change.substr(0, equals);
    const std::string number = equals == std::string::npos ? "" : change.substr(equals + 1);
    if (name == admission && is_admission_text(number)) return std::nullopt;
    const bool is_limit = name.ends_with(of_one_request) && name.size() > of_one_request.size();
    if (!name.empty() && parse_number("", number, is_limit ? 1 : 0, most_permits)) return std::nullopt;
    const bool is_number(parse_number("", number, 0, ~std::uint64_t{0}));
    if (std::string why = is_number ? "" : reserved({}, name); !why.empty()) return why;
    if (equals == std::string::npos || name.empty())
        return fmt::format("{}: write the name of a semaphore and its permits, as in builds=5", change);
    if (is_limit)
        return fmt::format("{}: write a number from 1 to {}, and at most its permits", change, most_permits);
    return fmt::format("{}: write a number of permits from 1 to {}, or 0 to remove it", change, most_permits);
}

// wrong_change has found nothing.
std::optional<std::string> apply(Settings& settings, const std::string& change) {
    const auto equals = change.find('=');
    const std::string name = change.substr(0, equals);
    const std::string number = change.substr(equals + 1);
    if (name == admission && is_admission_text(number)) {
        settings.asks_operator = number == admission_text(true);
        return std::nullopt;
    }
    if (auto why = reserved(settings, name); !why.empty()) return why;
    const bool is_name = host::objection_to_name(name).empty() ||
                         settings.semaphores.contains(name);  // made by an earlier version
    if (!is_name)
        return fmt::format("{}: write the name of a semaphore and its permits, as in builds=5", change);
    if (name.ends_with(of_one_request) && name.size() > of_one_request.size())
        return limit_requests(settings, name.substr(0, name.size() - of_one_request.size()), number);
    const std::uint64_t permits = *parse_number("", number, 0, most_permits);
    if (permits > 0)
        resize(settings.semaphores[name], static_cast<std::uint32_t>(permits));
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

std::optional<std::string> wrong_changes(const std::vector<std::string>& changes) {
    std::set<std::string> names;
    for (const std::string& change : changes) {
        if (auto why = wrong_change(change)) return why;
        const std::string name = change.substr(0, change.find('='));
        if (!names.insert(name).second)
            return fmt::format("{}: {} is there twice; write it once", change, name);
    }
    return std::nullopt;
}

Result<Settings> changed(Settings settings, const std::vector<std::string>& changes) {
    if (auto why = wrong_changes(changes)) return Error{std::move(*why)};
    for (const std::string& change : changes)
        if (auto why = apply(settings, change)) return Error{std::move(*why)};
    return settings;
}

Settings settings_of(const Config& config) {
    Settings settings;
    if (config.edition != 0) settings.agreed_edition = config.edition;
    for (const auto& [name, semaphore] : config.semaphores)
        settings.semaphores[name] = {semaphore.permits, semaphore.max_request};
    settings.hosts = config.hosts;
    settings.asks_operator = config.asks_operator;
    if (!config.agreed.voters.empty())
        for (const std::uint32_t voter : config.voters()) settings.voters.emplace_back(voter);
    settings.founded = founded_of(config);
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

std::vector<std::string> voter_names(const Settings& settings) {
    std::vector<std::string> names;
    for (const SiteId voter : settings.voters)
        names.push_back(voter < settings.hosts.size() ? settings.hosts[voter].name
                                                      : fmt::format("host {}", voter + 1));
    return names;
}

std::string voters_text(const Settings& settings) {
    if (settings.voters.empty()) return "as many as the hosts need";
    return fmt::format("{}", fmt::join(voter_names(settings), ", "));
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

}  // namespace

std::vector<std::string> founded_differences(const std::vector<Founded>& before,
                                             const std::vector<Founded>& after) {
    std::vector<std::string> all;
    for (const FoundedSetting& one : founded_settings) {
        const std::string former = founded_text(before, one.name);
        const std::string now = founded_text(after, one.name);
        if (former != now) all.push_back(fmt::format("{}: {} -> {}", one.name, former, now));
    }
    return all;
}

namespace {

// Collects the settings of a file that are others in the cluster.
class Comparison {
public:
    Comparison(const Config& file, const Settings& cluster)
        : file_(file), own_(settings_of(file)), cluster_(cluster) {}

    std::vector<Contradiction> run() {
        for (const FoundedSetting& one : founded_settings)
            add(std::string(one.name), founded_text(own_.founded, one.name),
                founded_text(cluster_.founded, one.name));
        for (const HostSettings& one : own_.hosts)
            if (one.name != file_.host) add_host(one);
        add_voters();
        add(std::string(admission), admission_text(own_.asks_operator),
            admission_text(cluster_.asks_operator));
        for (const auto& [name, semaphore] : own_.semaphores) add_semaphore(name.name(), semaphore);
        return std::move(all_);
    }

private:
    // `name` may be followed by the name of a host or semaphore.
    void add(const std::string& name, const std::string& here, const std::string& there) {
        const std::string key = name.substr(0, name.find('.'));
        if (file_.has_written(key) && here != there) all_.push_back({"bootstrap." + name, here, there});
    }

    void add_host(const HostSettings& host) {
        const HostSettings* const agreed = find_host(cluster_, host.name);
        const bool is_there = agreed != nullptr && agreed->takes_part();
        add("hosts." + host.name, host.address, is_there ? agreed->address : "none");
    }

    // A host may have another number in the cluster.
    void add_voters() {
        std::vector<std::string> here = voter_names(own_);
        std::vector<std::string> there = voter_names(cluster_);
        std::ranges::sort(here);
        std::ranges::sort(there);
        if (here != there) add("voters", voters_text(own_), voters_text(cluster_));
    }

    void add_semaphore(const std::string& name, const SemaphoreSettings& semaphore) {
        const auto agreed = cluster_.semaphores.find(name);
        add("semaphores." + name, text_of(semaphore),
            agreed == cluster_.semaphores.end() ? "none" : text_of(agreed->second));
    }

    const Config& file_;
    const Settings own_;
    const Settings& cluster_;
    std::vector<Contradiction> all_;
};

}  // namespace

std::vector<Contradiction> contradictions(const Config& file, const Settings& cluster) {
    return Comparison(file, cluster).run();
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
    if (before.agreed_edition != after.agreed_edition)
        all.push_back(fmt::format("edition: {} -> {}", before.agreed_edition, after.agreed_edition));
    return all;
}

}  // namespace allot::daemon
