#include "play/expectations.hpp"

#include <algorithm>

#include "base/did_you_mean.hpp"
#include "core/json.hpp"
#include "play/forever.hpp"
#include "play/steps.hpp"

namespace allot::play {

namespace {

using walk::LocalInfo;

std::string text(std::uint64_t number) {
    return std::to_string(number);
}

// `0 holding, 1 waiting`: the named sites, or all if they are few.
std::string conditions(const Stage& stage, std::vector<SiteId> sites) {
    constexpr std::size_t few = 12;
    const std::size_t count = stage.world().sites.size();
    if (count <= few || sites.empty()) {
        sites.clear();
        for (SiteId site = 0; site < std::min(count, few); ++site) sites.push_back(site);
    }
    std::string list;
    for (const SiteId site : sites)
        list += (list.empty() ? "" : ", ") + text(site) + " " + std::string(condition(stage.site(site)));
    return list;
}

// Checks each of the named sites.
template <class Is>
Problem expect_sites(Stage& stage, Words& words, Is&& is) {
    const bool none = words.next_is("none");
    if (none) words.word("none");
    std::vector<SiteId> named;
    while (!none && words.more() && !words.next_is("only")) named.push_back(words.site());
    if (!none && named.empty()) words.fail("a site is missing; write " + std::string(expect_usage));
    const bool only = words.next_is("only");
    if (only) words.word("only");
    if (const auto wrong = words.finish()) return bad(*wrong);

    const auto is_so = [&](SiteId site) { return stage.site(site).up() && is(stage.site(site)); };
    bool holds = std::all_of(named.begin(), named.end(), is_so);
    for (SiteId site = 0; (none || only) && site < stage.world().sites.size(); ++site)
        holds = holds && (!is_so(site) || std::find(named.begin(), named.end(), site) != named.end());
    if (holds) return std::nullopt;
    return failed("found " + conditions(stage, named));
}

Problem expect_sent(Stage& stage, Words& words) {
    const std::string kind = words.word("a kind of message");
    const std::uint64_t count = words.number("a count");
    if (const auto wrong = words.finish()) return bad(*wrong);
    if (const auto unknown = stage.machine().unknown_kind(kind)) return bad(*unknown);
    const auto place = stage.sent().find(kind);
    if (count == (place == stage.sent().end() ? 0 : place->second)) return std::nullopt;
    std::string found;
    for (const auto& [name, sent] : stage.sent())
        found += (found.empty() ? "" : ", ") + name + " " + text(sent);
    return failed("found sent: " + (found.empty() ? "nothing" : found));
}

Problem expect_in_flight(Stage& stage, Words& words) {
    std::optional<Channel> channel;
    if (words.next_is("->", 1)) channel = words.channel();
    const std::uint64_t count = words.number("a count");
    if (const auto wrong = words.finish()) return bad(*wrong);
    const auto there = channel ? stage.in_flight(channel->from, channel->to) : stage.in_flight();
    if (there.size() == count) return std::nullopt;
    return failed("found in flight " + text(there.size()) + ": " + flight_text(stage, there));
}

Problem expect_state(Stage& stage, Words& words) {
    const SiteId site = words.site();
    const boost::json::value part = words.json("a part of its state as JSON");
    if (const auto wrong = words.finish()) return bad(*wrong);
    walk::LocalId ignored = stage.world().sites[site];
    if (const auto wrong = stage.machine().merge_state(ignored, part)) return bad(*wrong);
    if (!stage.site(site).up())
        return failed("found site " + text(site) + " " + std::string(condition(stage.site(site))));
    const auto state = stage.machine().state(stage.world().sites[site]);
    if (json_contains(state, part)) return std::nullopt;
    return failed("found " + json_text(state));
}

Problem expect_legitimate(Stage& stage, Words& words) {
    if (const auto wrong = words.finish()) return bad(*wrong);
    if (!stage.machine().facts().says_legal)
        return bad(std::string(stage.machine().facts().name) +
                   " does not declare which worlds are legitimate");
    if (stage.machine().legal(stage.world())) return std::nullopt;
    return failed("found that this world is not legitimate");
}

// An unknown property is a typing error; a known one is simply not violated.
Problem not_violated(const Stage& stage, const std::string& name) {
    std::vector<std::string> known{std::string(world::contract.name), std::string(world::assertion.name)};
    for (const PropertyName& property : stage.machine().facts().properties) known.emplace_back(property.name);
    if (name == world::deadlock.name) return bad("write expect stuck SITE for a deadlock");
    if (name == world::starvation.name)
        return bad("for starvation write loop, the steps that repeat, and expect starving SITE");
    if (name == world::servable.name) return bad("write expect unservable SITE");
    if (std::find(known.begin(), known.end(), name) == known.end())
        return bad("\"" + name + "\" is no property" + did_you_mean(name, known) + "; the properties are " +
                   enumerated(known));
    return failed("found no violation");
}

// In a world made by hand that is not legitimate yet, a property counts only if the scenario names it.
bool violates_now(const Stage& stage, const std::string& name) {
    Report report;
    stage.machine().check_state(stage.world(), report);
    return report.has(name);
}

Problem expect_violation(Stage& stage, const Report& violation, Words& words) {
    const std::string name = words.word("a property");
    if (const auto wrong = words.finish()) return bad(*wrong);
    if (violation.has(name)) return std::nullopt;
    if (!violation.clean())
        return failed("found a violation of " + violation.property() + ": " + violation.detail());
    if (violates_now(stage, name)) return std::nullopt;
    // These two concern runs rather than single steps, and are judged only if a scenario asks.
    if (name != world::closure.name && name != world::convergence.name) return not_violated(stage, name);
    const auto reason =
        name == world::closure.name ? why_not_leaving_legitimate(stage) : why_not_diverging(stage);
    if (reason) return failed("found that " + *reason);
    return std::nullopt;
}

template <class WhyNot>
Problem expect_each(Words& words, WhyNot why_not) {
    const SiteId first = words.site();
    std::vector<SiteId> sites = words.sites();
    if (const auto wrong = words.finish()) return bad(*wrong);
    sites.insert(sites.begin(), first);
    for (const SiteId site : sites)
        if (const auto reason = why_not(site)) return failed("found that " + *reason);
    return std::nullopt;
}

Problem expect_unservable(Stage& stage, const Servable& servable, Words& words) {
    if (!servable) return bad("only allot play can judge unservable: it needs the checker");
    return expect_each(words, [&](SiteId site) -> std::optional<std::string> {
        if (!stage.site(site).pending())
            return "site " + text(site) + " is " + std::string(condition(stage.site(site))) + ", not waiting";
        if (servable(stage.machine(), stage.world(), site))
            return "site " + text(site) + " can still be served";
        return std::nullopt;
    });
}

}  // namespace

Problem judge_expectation(Stage& stage, const Report& violation, const Servable& servable, Words& words) {
    const std::string what = words.word("what is expected");
    if (words.error()) return bad(*words.error());
    if (const auto phase = enum_from<Phase>(what))
        return expect_sites(stage, words, [&](const LocalInfo& site) { return site.phase == *phase; });
    if (what == "revoked")
        return expect_sites(stage, words, [](const LocalInfo& site) { return site.revoked; });
    if (what == "legitimate") return expect_legitimate(stage, words);
    if (what == "sent") return expect_sent(stage, words);
    if (what == "in-flight") return expect_in_flight(stage, words);
    if (what == "state") return expect_state(stage, words);
    if (what == "violation") return expect_violation(stage, violation, words);
    if (what == "stuck") return expect_each(words, [&](SiteId site) { return why_not_stuck(stage, site); });
    if (what == "starving")
        return expect_each(words, [&](SiteId site) { return why_not_starving(stage, site); });
    if (what == "unservable") return expect_unservable(stage, servable, words);
    const std::vector<std::string> known{"holding", "waiting",    "idle",    "leaving",    "revoked",
                                         "sent",    "in-flight",  "state",   "legitimate", "violation",
                                         "stuck",   "unservable", "starving"};
    return bad("\"" + what + "\" cannot be expected" + did_you_mean(what, known) + "; write " +
               std::string(expect_usage));
}

bool concludes_loop(const std::vector<std::string>& words) {
    if (words.empty()) return false;
    return words[0] == "starving" ||
           (words[0] == "violation" && words.size() > 1 && words[1] == world::convergence.name);
}

}  // namespace allot::play
