#include "daemon/permissions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <vector>

namespace allot::daemon {

namespace {

// `name`, or `beginning*`.
bool matches(const std::string& pattern, const std::string& name) {
    if (pattern.ends_with('*'))
        return name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
    return pattern == name;
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, name); });
}

bool in_group(const net::Identity::Process& process, const std::string& user, const std::string& group) {
    const struct group* entry = getgrnam(group.c_str());
    if (entry == nullptr) return false;
    int count = 64;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    if (getgrouplist(user.c_str(), process.gid, groups.data(), &count) < 0) {
        groups.resize(static_cast<std::size_t>(count));
        getgrouplist(user.c_str(), process.gid, groups.data(), &count);
    }
    groups.resize(static_cast<std::size_t>(count));
    return std::ranges::find(groups, entry->gr_gid) != groups.end();
}

bool is_one_of(const net::Identity& identity, const std::vector<std::string>& users) {
    const std::string name = user_of(identity);
    return std::ranges::any_of(users, [&](const std::string& user) {
        if (user == "*") return true;
        if (user.starts_with("cert:"))
            return !identity.certificate.empty() && matches(user.substr(5), identity.certificate);
        if (!identity.process) return false;
        if (user.starts_with('@')) return in_group(*identity.process, name, user.substr(1));
        return user == name;
    });
}

}  // namespace

std::string user_of(const net::Identity& identity) {
    if (!identity.process) return identity.certificate;
    const struct passwd* entry = getpwuid(identity.process->uid);
    return entry != nullptr ? entry->pw_name : std::to_string(identity.process->uid);
}

std::optional<std::string> forbidden(const Config& config, const net::Identity& identity,
                                     const session::Acquire& want) {
    if (config.allow.empty()) return std::nullopt;
    std::vector<const Allowance*> mine;
    for (const Allowance& allowance : config.allow)
        if (is_one_of(identity, allowance.users)) mine.push_back(&allowance);
    for (const std::string& lock : want.locks)
        if (std::ranges::none_of(mine, [&](const Allowance* one) { return any_matches(one->locks, lock); }))
            return fmt::format("{} may not take lock {}", user_of(identity), lock);
    for (const session::Permit& permit : want.permits)
        if (std::ranges::none_of(
                mine, [&](const Allowance* one) { return any_matches(one->semaphores, permit.semaphore); }))
            return fmt::format("{} may not use semaphore {}", user_of(identity), permit.semaphore);
    return std::nullopt;
}

}  // namespace allot::daemon
