#include "daemon/orders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/parameters.hpp"
#include "daemon/permissions.hpp"

namespace allot::daemon {

session::OrderAnswer Orders::obey(const session::Order& order, const host::Caller& by) {
    if (order.verb == "return" && order.words.size() == 1) return give_back(order.words[0], by);
    if (order.verb == "release" && order.words.size() == 2) return release(order, by);
    return {false, fmt::format("{}: this daemon knows no such order", order.verb)};
}

session::OrderAnswer Orders::give_back(const std::string& resource, const host::Caller& by) {
    if (desk_.return_left(resource, by) == 0)
        return {false, fmt::format("{}: {} has left nothing of it behind on this host", resource, by.user)};
    desk_.note_order(by.user, {resource}, fmt::format("return of {}, by {}", resource, by.user));
    return {true, desk_.owner_of(by)};
}

// Operators are root and the user of the daemon.
session::OrderAnswer Orders::release(const session::Order& order, const host::Caller& by) {
    const std::string root = user_name(0);
    const std::string own = user_name(::geteuid());
    if (!by.is_local || (by.user != root && by.user != own))
        return {false, fmt::format("{} may not give orders here; on this machine {} may", by.user,
                                   root == own ? root : root + " and " + own)};
    const auto fence = parse_number("fence", order.words[1], 0, ~std::uint64_t{0});
    if (!fence) return {false, fence.error()};
    const Evict evict{order.words[0], *fence,
                      fmt::format("{} ordered its release at {}", by.user, desk_.config().host)};
    desk_.note_order(by.user, {evict.lock, evict.fence},
                     *fence == 0
                         ? fmt::format("release of all permits of {}, by {}", evict.lock, by.user)
                         : fmt::format("release of {}, fence {}, by {}", evict.lock, *fence, by.user));
    desk_.evict(evict.lock, evict.fence, evict.why);
    const std::string missed = unreached();
    mail_.send_to_all(evict);
    return {true, missed};
}

// The log of each host says why programs of its own were ended.
void Orders::hear(const Evict& evict) {
    if (desk_.evict(evict.lock, evict.fence, evict.why))
        desk_.note_order("", {evict.lock, evict.fence}, evict.why);
}

// The hosts without a link, which do not hear of an order.
std::string Orders::unreached() const {
    const Config& config = desk_.config();
    std::vector<std::string> names;
    for (net::HostId host = 0; host < config.hosts.size(); ++host)
        if (host != config.self() && !mail_.status(host).connected) names.push_back(config.name_of(host));
    return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace allot::daemon
