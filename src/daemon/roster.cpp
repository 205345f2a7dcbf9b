#include "daemon/roster.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/address.hpp"
#include "base/harmless.hpp"
#include "core/parameters.hpp"
#include "daemon/founded.hpp"

namespace allot::daemon {

using agreement::HostSettings;
using agreement::Settings;
using agreement::Standing;

namespace {

// The number of a host is a part of fences.
constexpr std::size_t most_hosts = 250;
constexpr std::size_t longest_name = 100;

HostSettings* find(Settings& settings, const std::string& name) {
    const auto place = std::ranges::find(settings.hosts, name, &HostSettings::name);
    return place == settings.hosts.end() ? nullptr : &*place;
}

std::string unknown(const Settings& settings, const std::string& name) {
    std::vector<std::string> names;
    for (const HostSettings& one : settings.hosts)
        if (one.takes_part()) names.push_back(one.name);
    return fmt::format("{}: no such host; there is {}", name, fmt::join(names, ", "));
}

// Names are shown to people, and are words of lists.
std::string wrong_name(const std::string& name) {
    const bool is_word = is_harmless(name) && name.find_first_of(" ,") == std::string::npos;
    if (name == "auto")
        return "host auto: `allot cluster voters auto` has another meaning; choose another name";
    if (is_word && !name.empty() && name.size() <= longest_name) return "";
    return fmt::format(
        "the name of a host: write 1 to {} characters without blanks, commas and control "
        "characters",
        longest_name);
}

std::string too_many(const Settings& settings) {
    if (settings.hosts.size() < most_hosts) return "";
    return fmt::format(
        "the cluster has known {} hosts, and no more are possible; let it have a name that was "
        "used before",
        most_hosts);
}

std::string wrong_address(const Settings& settings, const net::Petition& petition) {
    const auto parsed = parse_host_port(petition.address);
    if (!parsed) return parsed.error();
    if (petition.address.ends_with(":0"))
        return fmt::format(
            "{}: the other hosts cannot find a port that changes; write address = \"HOST:PORT\"",
            petition.address);
    for (const HostSettings& one : settings.hosts)
        if (one.takes_part() && one.name != petition.name && one.address == petition.address)
            return fmt::format("host {} has the address {} already", one.name, petition.address);
    return "";
}

// Somebody must serve after the change.
std::string last_one(const Settings& settings, const std::string& name) {
    const bool others = std::ranges::any_of(settings.hosts, [&](const HostSettings& one) {
        return one.name != name && one.standing == Standing::in;
    });
    return others ? "" : fmt::format("{}: no other host serves; let one join first", name);
}

// An operator has chosen that host to keep the register.
std::string chosen_voter(const Settings& settings, const HostSettings& host) {
    const auto number = static_cast<SiteId>(&host - settings.hosts.data());
    if (std::ranges::find(settings.voters, number) == settings.voters.end()) return "";
    return fmt::format(
        "{}: it was chosen to keep the register; choose others first, as in `allot cluster "
        "voters auto`",
        host.name);
}

Result<Settings> with_standing(Settings settings, const std::string& name, Standing standing) {
    HostSettings* const host = find(settings, name);
    if (host == nullptr || !host->takes_part()) return Error{unknown(settings, name)};
    std::string why = standing == Standing::in ? "" : last_one(settings, name);
    if (why.empty() && (standing == Standing::leaving || standing == Standing::out))
        why = chosen_voter(settings, *host);
    if (!why.empty()) return Error{std::move(why)};
    host->standing = standing;
    return settings;
}

}  // namespace

Result<Settings> with_joined(Settings settings, const net::Petition& petition) {
    for (std::string why : {wrong_name(petition.name), wrong_address(settings, petition)})
        if (!why.empty()) return Error{std::move(why)};
    HostSettings* const known = find(settings, petition.name);
    const bool is_new = known == nullptr || known->standing == Standing::out;
    if (is_new && settings.asks_operator)
        return Error{fmt::format(
            "an operator admits new hosts: run `allot cluster expect {}` on a host of the cluster, "
            "then try again",
            petition.name)};
    if (known == nullptr) {
        if (auto why = too_many(settings); !why.empty()) return Error{std::move(why)};
        settings.hosts.push_back({petition.name, petition.address});
        return settings;
    }
    if (!known->takes_part()) known->standing = Standing::in;
    known->address = petition.address;
    return settings;
}

Result<Settings> with_expected(Settings settings, const std::string& name) {
    if (auto why = wrong_name(name); !why.empty()) return Error{std::move(why)};
    HostSettings* const known = find(settings, name);
    if (known != nullptr && known->takes_part()) return Error{fmt::format("{}: it is in the cluster", name)};
    if (known != nullptr) {
        known->standing = Standing::expected;
        return settings;
    }
    if (auto why = too_many(settings); !why.empty()) return Error{std::move(why)};
    settings.hosts.push_back({name, "", Standing::expected});
    return settings;
}

Result<Settings> with_drained(Settings settings, const std::string& name, bool drained) {
    const HostSettings* const host = find(settings, name);
    if (host != nullptr && host->standing == Standing::leaving && drained)
        return Error{
            fmt::format("{0}: it leaves the cluster; `allot cluster drain {0} --undo` lets it stay", name)};
    return with_standing(std::move(settings), name, drained ? Standing::drained : Standing::in);
}

Result<Settings> with_leaving(Settings settings, const std::string& name) {
    return with_standing(std::move(settings), name, Standing::leaving);
}

Result<Settings> with_expelled(Settings settings, const std::string& name) {
    HostSettings* const host = find(settings, name);
    if (host != nullptr && host->standing == Standing::expected) {
        host->standing = Standing::out;
        return settings;
    }
    return with_standing(std::move(settings), name, Standing::out);
}

Result<Settings> with_voters(Settings settings, const std::string& list, const std::vector<Peer>& members,
                             const std::set<std::string>& voteless) {
    settings.voters.clear();
    if (list == "auto") return settings;
    const std::vector<std::string> names = split_list(list);
    if (names.size() % 2 == 0)
        return Error{fmt::format("{}: write an odd number of hosts; {} survive no more losses than {}", list,
                                 names.size(), names.size() - 1)};
    for (const std::string& name : names) {
        const auto number = number_of(settings, name);
        if (!number) return Error{number.error()};
        if (std::ranges::find(settings.voters, *number) != settings.voters.end())
            return Error{fmt::format("{}: {} is there twice", list, name)};
        if (std::ranges::find(members, *number, &Peer::site) == members.end())
            return Error{
                fmt::format("{}: {} is not in the view, so nobody can reach it; start it first", list, name)};
        if (!settings.hosts[*number].may_vote())
            return Error{fmt::format("{}: {} leaves the cluster", list, name)};
        if (voteless.contains(name))
            return Error{fmt::format(
                "{}: the vote of {} is void, because its state folder was put back or copied; choose another "
                "host, or stop it, move its state folder away, and let it join again",
                list, name)};
        settings.voters.push_back(*number);
    }
    std::ranges::sort(settings.voters);
    return settings;
}

std::set<std::string> voteless_of(const session::Status& status) {
    std::set<std::string> names;
    for (const session::HostStatus& host : status.hosts)
        if (host.state == "voteless") names.insert(host.name);
    return names;
}

Result<SiteId> number_of(const Settings& settings, const std::string& name) {
    for (std::size_t number = 0; number < settings.hosts.size(); ++number)
        if (settings.hosts[number].name == name && settings.hosts[number].takes_part())
            return static_cast<SiteId>(number);
    return Error{unknown(settings, name)};
}

std::vector<Config::Host> agreed_hosts(const Config& file, const Settings& settings) {
    std::vector<Config::Host> hosts = settings.hosts;
    const auto own = std::ranges::find(hosts, file.host, &Config::Host::name);
    if (own != hosts.end() && !file.address.empty()) own->address = file.address;
    return hosts;
}

Result<Config> with_agreed(Config config, const Settings& settings) {
    if (!number_of(settings, config.host))
        return Error{
            fmt::format("{}: this host is not in the cluster any more; `allot cluster join ADDRESS --config "
                        "FILE` brings it "
                        "back, with the address of one of its hosts",
                        config.host)};
    config.hosts = agreed_hosts(config, settings);
    config.edition = settings.edition();
    config.asks_operator = settings.asks_operator;
    config.semaphores.clear();
    for (const auto& [name, semaphore] : settings.semaphores)
        config.semaphores[name.name()] = {semaphore.permits, semaphore.max_request};
    config.agreed.voters.clear();
    for (const SiteId voter : settings.voters) config.agreed.voters.push_back(config.name_of(voter));
    auto founded = with_founded(std::move(config), settings.founded);
    if (!founded) return Error{"the cluster has agreed on settings that cannot be used: " + founded.error()};
    return founded;
}

}  // namespace allot::daemon
