#include "daemon/orders.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <unistd.h>

#include "base/harmless.hpp"
#include "core/bytes.hpp"
#include "core/json.hpp"
#include "core/parameters.hpp"
#include "daemon/permissions.hpp"
#include "daemon/settings_text.hpp"
#include "host/reading.hpp"

namespace allot::daemon {

namespace {

// The time that the register has to agree, which is longer than it takes to remove a host that died.
constexpr std::chrono::seconds agreed_within{10};
// Bytes of a text from elsewhere.
constexpr std::size_t most_shown = 1000;

std::string because(const std::string& why) {
    return why.empty() ? "" : ": " + why;
}

}  // namespace

void Orders::obey(const session::Order& order, const host::Caller& by, const Done& done) {
    if (order.verb == "return" && order.words.size() == 1) return done(give_back(order.words[0], by));
    if (order.verb == "show") return done({true, shown(by)});
    if (auto why = forbidden(by)) return done({false, std::move(*why)});
    if (order.verb == "release" && order.words.size() == 2) return done(release(order, by));
    const std::string user = host::identity_of(by);
    if (order.verb != "voters") return give(order, user, {}, done);
    ways_.find_voteless([this, order, user, done](const std::set<std::string>& voteless) {
        give(order, user, voteless, done);
    });
}

void Orders::give(const session::Order& order, const std::string& user, const std::set<std::string>& voteless,
                  const Done& done) {
    auto edit = edit_of(order, voteless);
    if (!edit) return done({false, edit.error()});
    const bool certifies = order.verb == "expel-certified";
    change(
        {.edit = std::move(*edit), .user = user, .done = done, .certified = certifies ? order.words[0] : ""},
        order.dry_run);
}

// Without a rule operators are root and the user of the daemon.
std::optional<std::string> Orders::forbidden(const host::Caller& by) const {
    const auto& rules = desk_.config().allow;
    if (std::ranges::any_of(by.allowances, [&](std::uint32_t place) { return rules[place].operate; }))
        return std::nullopt;
    if (is_administrator(by)) return std::nullopt;
    const std::string root = user_name(0);
    const std::string own = user_name(::geteuid());
    return fmt::format(
        "{} may not give orders here; on this machine {} may, and users whom a rule [[allow]] "
        "with operate = true names",
        host::identity_of(by), root == own ? root : root + " and " + own);
}

// --- The settings of the cluster.

// To a user who may read nothing, no names of resources.
std::string Orders::shown(const host::Caller& by) const {
    const Config& config = desk_.config();
    const bool tells_names =
        is_administrator(by) || host::reading_of(config.allow, by.allowances) != host::Reading::none;
    const agreement::Value& known = member_.host().known();
    const auto names_of = [&](const auto& hosts, auto number) {
        boost::json::array names;
        for (const auto& one : hosts) names.emplace_back(config.name_of(std::invoke(number, one)));
        return names;
    };
    const agreement::Settings& settings = member_.host().settings();
    boost::json::object semaphores;
    for (const auto& [name, semaphore] : settings.semaphores)
        if (tells_names) semaphores[name.name()] = to_json(semaphore);
    boost::json::object founded;
    boost::json::array modes;
    for (const auto& [name, text] : settings.founded)
        if (name != "mode")
            founded[name] = text;
        else if (tells_names)
            modes.emplace_back(text);
    founded["mode"] = std::move(modes);
    boost::json::object all{{"host", config.host},
                            {"view", known.view},
                            {"members", names_of(known.members, &Peer::site)},
                            {"engine", config.agreed.engine_name()},
                            {"hosts", shown_hosts()},
                            {"edition", settings.edition()},
                            {"admission", settings.asks_operator ? "operator" : "certificate"},
                            {"chosen_voters", names_of(settings.voters, std::identity())},
                            {"founded", std::move(founded)},
                            {"semaphores", std::move(semaphores)}};
    if (config.agreed.engine == Register::Engine::hosts)
        all["voters"] = names_of(member_.council().inner().record().voters, &agreement::VoterId::host);
    return boost::json::serialize(all);
}

boost::json::array Orders::shown_hosts() const {
    const Config& config = desk_.config();
    const auto& members = member_.host().known().members;
    boost::json::array hosts;
    for (SiteId number = 0; number < config.hosts.size(); ++number) {
        const Config::Host& one = config.hosts[number];
        if (one.standing == agreement::Standing::out) continue;
        const bool is_member = std::ranges::find(members, number, &Peer::site) != members.end();
        hosts.push_back({{"name", one.name},
                         {"address", one.address},
                         {"standing", standing_text(one.standing)},
                         {"member", is_member}});
    }
    return hosts;
}

// An order may come from any host, and a name means the same everywhere.
Result<Orders::Edit> Orders::edit_of(const session::Order& order,
                                     const std::set<std::string>& voteless) const {
    const std::vector<std::string>& words = order.words;
    const std::string& verb = order.verb;
    if (verb == "set" && !words.empty())
        return Edit([words](agreement::Settings settings) { return changed(std::move(settings), words); });
    const std::string own = desk_.config().host;
    if (verb == "leave" && words.empty())
        return Edit([own](agreement::Settings settings) { return with_leaving(std::move(settings), own); });
    if (words.size() != 1) return Error{fmt::format("{}: this daemon knows no such order", verb)};
    const std::string& host = words[0];
    if (verb == "expect")
        return Edit(
            [host](agreement::Settings settings) { return with_expected(std::move(settings), host); });
    if (verb == "drain" || verb == "undrain")
        return Edit([host, drained = verb == "drain"](agreement::Settings settings) {
            return with_drained(std::move(settings), host, drained);
        });
    if (verb == "voters") {
        if (desk_.config().agreed.engine != Register::Engine::hosts)
            return Error{fmt::format("the register has the engine {}: no host keeps it",
                                     desk_.config().agreed.engine_name())};
        return Edit([this, host, voteless](agreement::Settings settings) {
            return with_voters(std::move(settings), host, member_.host().known().members, voteless);
        });
    }
    if (verb != "expel" && verb != "expel-certified")
        return Error{fmt::format("{}: this daemon knows no such order", verb)};
    if (host == own)
        return Error{
            fmt::format("{}: a host does not expel itself; write `allot cluster leave`, or expel it "
                        "from another host",
                        host)};
    return Edit([this, host](const agreement::Settings& settings) -> Result<agreement::Settings> {
        auto changed = with_expelled(settings, host);
        if (auto why = breaks_majority(settings, host); changed && !why.empty()) return Error{std::move(why)};
        return changed;
    });
}

// An expelled host votes no more. The voters that are left must be able to choose others.
std::string Orders::breaks_majority(const agreement::Settings& settings, const std::string& host) const {
    if (desk_.config().agreed.engine != Register::Engine::hosts) return "";
    const auto number = number_of(settings, host);
    const auto& voters = member_.council().inner().record().voters;
    if (!number || std::ranges::find(voters, *number, &agreement::VoterId::host) == voters.end()) return "";
    const auto answers = std::ranges::count_if(voters, [&](const agreement::VoterId& voter) {
        const bool is_here = desk_.config().name_of(voter.host) == desk_.config().host;
        return voter.host != *number && (is_here || mail_.status(voter.host).connected);
    });
    if (2 * static_cast<std::size_t>(answers) > voters.size()) return "";
    return fmt::format(
        "{0}: it keeps the register, and without it no majority of those that do can be reached; let "
        "others keep it first, as in `allot cluster voters NAMES`, or start those that are away",
        host);
}

// The operator says that the host has ended with its programs, or the order that said so has failed.
void Orders::certify(const std::string& host, bool has_ended) {
    const auto number = number_of(member_.host().settings(), host);
    if (!number) return;
    for (const Peer& member : member_.host().known().members)
        if (member.site == *number) ways_.certify(member, has_ended);
}

void Orders::hear(const net::Petition& petition, const Welcome& answer) {
    if (auto why = unable(); !why.empty()) return answer({false, std::move(why), {}});
    const auto edit = [petition](agreement::Settings settings) -> Result<agreement::Settings> {
        if (petition.opening.newest < settings.edition())
            return Error{
                fmt::format("the hosts of this cluster write edition {}, and {} knows {} only; install a "
                            "later allot there",
                            settings.edition(), petition.name, petition.opening.newest)};
        return with_joined(std::move(settings), petition);
    };
    const auto done = [this, answer, is_trial = petition.is_trial()](const session::OrderAnswer& result) {
        if (!result.done || is_trial) return answer({result.done, result.text, {}});
        Admission admission{.settings = member_.host().settings(), .record = {}, .sealed = {}};
        if (desk_.config().agreed.engine == Register::Engine::hosts) {
            admission.record = member_.council().inner().record();
            admission.sealed = member_.council().inner().sealed();
        }
        std::string bytes;
        encode_dated(admission, bytes, desk_.config().sent_edition());
        answer({true, result.text, std::move(bytes)});
    };
    change({.edit = edit, .user = "host " + petition.name, .done = done}, petition.is_trial());
}

void Orders::tell_address(const net::Petition& own) {
    const auto edit = [own](agreement::Settings settings) -> Result<agreement::Settings> {
        const auto number = number_of(settings, own.name);
        if (!number) return settings;
        settings.hosts[*number].address = own.address;
        return settings;
    };
    change({.edit = edit, .user = "host " + own.name, .done = [](const session::OrderAnswer&) {}}, false);
}

void Orders::raise(std::function<Edition()> known_by_all) {
    if (!pending_.empty()) return;
    // A host that has joined meanwhile may not know it, nor one that has begun again with an earlier allot.
    const auto edit = [known_by_all = std::move(known_by_all), asked = member_.host().settings().hosts](
                          agreement::Settings settings) -> Result<agreement::Settings> {
        if (settings.hosts == asked)
            settings.agreed_edition = std::max(settings.agreed_edition, known_by_all());
        return settings;
    };
    change({.edit = edit, .user = "host " + desk_.config().host, .done = [](const auto&) {}}, false);
}

// Why this host cannot change the settings now.
std::string Orders::unable() const {
    const host::Host& host = member_.host();
    if (!host.known().settings) return "this host has not joined yet" + because(ways_.trouble());
    const SiteId self = desk_.config().self();
    const auto& members = host.known().members;
    const bool is_member = std::ranges::find(members, self, &Peer::site) != members.end();
    if (host.has_lease() && is_member) return "";
    const std::string closed = host.closed(self);
    return closed.empty() ? "this host takes no part now" + because(ways_.trouble()) : closed;
}

void Orders::change(Pending order, bool dry_run) {
    const agreement::Settings& before = member_.host().settings();
    const auto after = order.edit(before);
    if (!after) return order.done({false, after.error()});
    const auto changes = changes_of(order, before, *after);
    if (changes.empty()) return order.done({true, dry_run ? "nothing would change" : "nothing changes"});
    if (dry_run)
        return order.done({true, fmt::format("would change {}", fmt::join(changes, "\nwould change "))});
    if (auto why = unable(); !why.empty()) return order.done({false, std::move(why)});
    pending_.push_back(std::move(order));
    if (pending_.size() == 1) begin();
}

std::vector<std::string> Orders::changes_of(const Pending& order, const agreement::Settings& before,
                                            const agreement::Settings& after) {
    std::vector<std::string> changes = differences(before, after);
    if (!order.certified.empty())
        for (std::string& change : changes) change += ", certified: nothing waits for its programs";
    return changes;
}

void Orders::begin() {
    Pending& first = pending_.front();
    const agreement::Settings& before = member_.host().settings();
    auto after = first.edit(before);
    if (!after) return end(false, after.error());
    first.settings = std::move(*after);
    first.changes = changes_of(first, before, first.settings);
    if (first.changes.empty()) return end(true, "nothing changes");
    certify(first.certified, true);
    patience_.set(agreed_within, [this] {
        ways_.withdraw();
        end(false, fmt::format("the register has not agreed within {} s, though it may still do so{}",
                               agreed_within.count(), because(ways_.trouble())));
    });
    ways_.propose(first.settings);
}

// Somebody else may have changed the settings before.
void Orders::look() {
    if (pending_.empty()) return;
    const Pending& first = pending_.front();
    if (member_.host().known().settings == first.settings)
        return end(true,
                   fmt::format("{}\nview {}", fmt::join(first.changes, "\n"), member_.host().known().view));
    if (!member_.host().is_proposing()) begin();
}

void Orders::end(bool done, const std::string& text) {
    patience_.cancel();
    const Pending ended = std::move(pending_.front());
    pending_.pop_front();
    if (!done) certify(ended.certified, false);
    for (const std::string& change : ended.changes)
        desk_.note_order(ended.user, {},
                         fmt::format("{}, by {}{}", change, ended.user, done ? "" : "; " + text));
    ended.done({done, text});
    if (!pending_.empty()) begin();
}

// --- Programs.

session::OrderAnswer Orders::give_back(const std::string& resource, const host::Caller& by) {
    const std::string user = host::identity_of(by);
    if (desk_.return_left(resource, by) == 0)
        return {false, fmt::format("{}: {} has left nothing of it behind on this host",
                                   harmless(resource, most_shown), user)};
    desk_.note_order(user, {resource}, fmt::format("return of {}, by {}", resource, user));
    return {true, desk_.owner_of(by)};
}

session::OrderAnswer Orders::release(const session::Order& order, const host::Caller& by) {
    const auto fence = parse_number("fence", order.words[1], 0, ~std::uint64_t{0});
    if (!fence) return {false, fence.error()};
    const std::string user = host::identity_of(by);
    const Evict evict{order.words[0], *fence,
                      fmt::format("{} ordered its release at {}", user, desk_.config().host)};
    desk_.note_order(user, {evict.lock, evict.fence},
                     *fence == 0 ? fmt::format("release of all permits of {}, by {}", evict.lock, user)
                                 : fmt::format("release of {}, fence {}, by {}", evict.lock, *fence, user));
    desk_.evict(evict.lock, evict.fence, evict.why);
    const std::string missed = unreached();
    mail_.send_to_all(evict);
    return {true, missed};
}

// The log of each host says why programs of its own were ended.
void Orders::hear(const Evict& evict) {
    const std::string why = harmless(evict.why, most_shown);
    if (desk_.evict(evict.lock, evict.fence, why)) desk_.note_order("", {evict.lock, evict.fence}, why);
}

// The hosts without a link, which do not hear of an order.
std::string Orders::unreached() const {
    const Config& config = desk_.config();
    std::vector<std::string> names;
    for (const net::HostId host : config.others())
        if (!mail_.status(host).connected) names.push_back(config.name_of(host));
    return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace allot::daemon
