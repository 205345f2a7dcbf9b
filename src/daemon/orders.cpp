#include "daemon/orders.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <unistd.h>

#include "core/json.hpp"
#include "core/parameters.hpp"
#include "daemon/permissions.hpp"
#include "daemon/settings_text.hpp"

namespace allot::daemon {

namespace {

// The time that the register has to agree, which is longer than it takes to remove a host that died.
constexpr std::chrono::seconds agreed_within{10};

std::string because(const std::string& why) {
    return why.empty() ? "" : ": " + why;
}

}  // namespace

void Orders::obey(const session::Order& order, const host::Caller& by, const Done& done) {
    if (order.verb == "return" && order.words.size() == 1) return done(give_back(order.words[0], by));
    if (order.verb == "show") return done({true, shown()});
    if (auto why = forbidden(by)) return done({false, std::move(*why)});
    if (order.verb == "release" && order.words.size() == 2) return done(release(order, by));
    if (order.verb == "set" && !order.words.empty()) return set(order, by, done);
    done({false, fmt::format("{}: this daemon knows no such order", order.verb)});
}

// Without a rule operators are root and the user of the daemon.
std::optional<std::string> Orders::forbidden(const host::Caller& by) const {
    const auto& rules = desk_.config().allow;
    if (std::ranges::any_of(by.allowances, [&](std::uint32_t place) { return rules[place].operate; }))
        return std::nullopt;
    const std::string root = user_name(0);
    const std::string own = user_name(::geteuid());
    if (by.is_local && (by.user == root || by.user == own)) return std::nullopt;
    return fmt::format(
        "{} may not give orders here; on this machine {} may, and users whom a rule [[allow]] "
        "with operate = true names",
        by.user, root == own ? root : root + " and " + own);
}

// --- The settings of the cluster.

std::string Orders::shown() const {
    const Config& config = desk_.config();
    const agreement::Value& known = member_.host().known();
    const auto names_of = [&](const auto& hosts, auto number) {
        boost::json::array names;
        for (const auto& one : hosts) names.emplace_back(config.name_of(std::invoke(number, one)));
        return names;
    };
    boost::json::object semaphores;
    for (const auto& [name, semaphore] : member_.host().settings().semaphores)
        semaphores[name.name()] = to_json(semaphore);
    boost::json::object all{{"host", config.host},
                            {"view", known.view},
                            {"members", names_of(known.members, &Peer::site)},
                            {"engine", config.agreed.engine_name()},
                            {"semaphores", std::move(semaphores)}};
    if (config.agreed.engine == Register::Engine::hosts)
        all["voters"] = names_of(member_.council().inner().record().voters, &agreement::VoterId::host);
    return boost::json::serialize(all);
}

void Orders::set(const session::Order& order, const host::Caller& by, const Done& done) {
    const agreement::Settings& before = member_.host().settings();
    const auto after = changed(before, order.words);
    if (!after) return done({false, after.error()});
    Pending change{*after, differences(before, *after), by.user, done};
    if (change.changes.empty()) return done({true, "nothing changes"});
    if (order.dry_run) return done({true, fmt::format("would change {}", fmt::join(change.changes, "\n"))});
    if (pending_) return done({false, "another change of the settings is under way; try again"});
    if (!member_.host().known().settings)
        return done({false, "this host has not joined yet" + because(ways_.trouble())});
    pending_ = std::move(change);
    patience_.set(agreed_within, [this] {
        ways_.withdraw();
        end(false, fmt::format("the register has not agreed within {} s, though it may still do so{}",
                               agreed_within.count(), because(ways_.trouble())));
    });
    ways_.propose(*after);
}

void Orders::look() {
    if (!pending_) return;
    const auto& agreed = member_.host().known().settings;
    if (agreed == pending_->settings)
        return end(true, fmt::format("{}\nview {}", fmt::join(pending_->changes, "\n"),
                                     member_.host().known().view));
    if (!member_.host().is_proposing())
        end(false, "somebody else has changed the settings at the same time; look at them, and try again");
}

void Orders::end(bool done, const std::string& text) {
    patience_.cancel();
    const Pending ended = std::move(*pending_);
    pending_.reset();
    if (done)
        for (const std::string& change : ended.changes)
            desk_.note_order(ended.user, {}, fmt::format("{}, by {}", change, ended.user));
    ended.done({done, text});
}

// --- Programs.

session::OrderAnswer Orders::give_back(const std::string& resource, const host::Caller& by) {
    if (desk_.return_left(resource, by) == 0)
        return {false, fmt::format("{}: {} has left nothing of it behind on this host", resource, by.user)};
    desk_.note_order(by.user, {resource}, fmt::format("return of {}, by {}", resource, by.user));
    return {true, desk_.owner_of(by)};
}

session::OrderAnswer Orders::release(const session::Order& order, const host::Caller& by) {
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
