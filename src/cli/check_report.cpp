#include "cli/check_report.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "check/checker.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"

namespace allot::cli {

namespace {

std::string verdict_of(const std::string& property, const check::Result& result) {
    for (const check::Violation& violation : result.violations)
        if (violation.property == property) return "violated";
    const bool checked =
        std::find(result.checked.begin(), result.checked.end(), property) != result.checked.end();
    if (!checked) return "not judged";
    return result.verdict == check::Verdict::bounded ? "holds so far" : "holds";
}

std::string requests_line(const world::Setup& setup) {
    std::vector<std::string> counts;
    for (const auto count : setup.requests.counts)
        counts.push_back(count == unbounded_requests ? "any number" : fmt::format("at most {}", count));
    const bool alike =
        std::all_of(counts.begin(), counts.end(), [&](const auto& one) { return one == counts.front(); });
    if (alike) return fmt::format("Requests: {} by every site.", counts.front());
    return fmt::format("Requests: {} by the sites in turn.", fmt::join(counts, ", "));
}

std::string faults_line(const world::Setup& setup) {
    std::vector<std::string> faults;
    const auto add = [&](std::uint32_t count, const char* one, const char* what, const char* how = "") {
        if (count == world::Amount::any_number)
            faults.push_back(fmt::format("any number of {}{}{}", one, what, how));
        else if (count > 0)
            faults.push_back(fmt::format("up to {} {}{}{}", count, one, count > 1 ? what : "", how));
    };
    add(setup.crashes, "crash", "es", ", between steps and inside them");
    add(setup.restarts, "restart", "s");
    add(setup.sites - setup.founders, "join", "s");
    add(setup.leaves, "departure", "s");
    add(setup.duplicate, "message", "s", " delivered twice");
    add(setup.lose.value, "message", "s", " lost");
    add(setup.lies, "false report", "s", " of a death");
    add(setup.lost_disks, "disk", "s", " lost");
    add(setup.restored_disks, "disk", "s", " restored from a copy");
    add(setup.cuts, "cut", "s");
    add(setup.pauses, "pause", "s");
    add(setup.expulsions, "live site", "s", " removed by a view");
    add(setup.lapses, "lease", "s", " not renewed in time");
    if (setup.cancel) faults.emplace_back("requests withdrawn at any time");
    return faults.empty() ? "Faults: none." : fmt::format("Faults: {}.", fmt::join(faults, "; "));
}

std::string detectors_line(const world::Setup& setup) {
    std::string line = "Detectors: ";
    if (setup.trust == world::Trust::dense)
        line += "everybody trusts everybody from the start";
    else if (!setup.anchor.site)
        line += "trust comes late or never";
    else
        line += fmt::format("site {} trusts everybody from the start, the others {}", *setup.anchor.site,
                            setup.trust == world::Trust::anchor ? "nobody" : "late or never");
    if (setup.anchor.site) line += fmt::format("; site {} stays and is never suspected", *setup.anchor.site);
    return line + ".";
}

std::string stamps_line(const walk::Machine& machine, const check::Result& result) {
    if (machine.stamps_from_nothing())
        return "Stamps: renamed to small ones; some begin at zero again, so their order may differ from real "
               "runs.";
    if (result.guesses > 0)
        return fmt::format(
            "Stamps: renamed to small ones; {} times a distance was unknown, and the checker explored every "
            "value.",
            with_commas(result.guesses));
    return "Stamps: renamed to small ones; every relevant distance was known, so this is exact.";
}

std::vector<std::string> wait_texts(const check::Result& result) {
    std::vector<std::string> texts;
    for (const check::Wait& wait : result.waits) texts.push_back(wait ? std::to_string(*wait) : "any number");
    return texts;
}

// The bounds of the verdict, one sentence each.
std::vector<std::string> bounds(const walk::Machine& machine, const check::Options& options,
                                const check::Result& result) {
    const world::Setup& setup = machine.setup();
    std::vector<std::string> lines;
    const bool takes_prompt = machine.facts().has_prompt && setup.takes_prompt_messages();
    lines.push_back(requests_line(setup));
    lines.push_back(faults_line(setup));
    if (machine.facts().listens(Detection::dead)) lines.push_back(detectors_line(setup));
    lines.push_back(
        fmt::format("Links: {}; {}.", enum_name(setup.links),
                    takes_prompt ? "prompt messages are delivered at once" : "every order of deliveries"));
    if (setup.ranked()) lines.push_back(stamps_line(machine, result));
    if (machine.facts().normalises && setup.normalises())
        lines.emplace_back(
            "Worlds: in normal form, without messages that can never act again and with canonical ids.");
    else if (machine.deletes_ignored())
        lines.emplace_back("Worlds: without messages that can never act again.");
    if (setup.backlog > 0)
        lines.push_back(fmt::format("Timers: fire only while every channel holds fewer than {} messages.",
                                    setup.backlog));
    if (setup.copies > 0)
        lines.push_back(
            fmt::format("Timers: fire only while fewer than {} of the messages they replace are in flight.",
                        setup.copies));
    if (!setup.campers.sites.empty())
        lines.push_back(fmt::format("Campers: {} may hold forever.", fmt::join(setup.campers.sites, ", ")));
    if (options.from_anywhere)
        lines.push_back(
            fmt::format("Starts: {} arbitrary ones, all schedules of each.", options.starts.size()));
    if (!result.waits.empty())
        lines.push_back(
            fmt::format("Waits: largest number of grants to others while a site waits, by site: {}.",
                        fmt::join(wait_texts(result), ", ")));
    if (result.omission_probability > 0)
        lines.push_back(fmt::format("Store: fingerprints; a world was missed with probability {:.2g}.",
                                    result.omission_probability));
    if (!result.violations.empty() && result.unchecked.size() > result.violations.size())
        lines.emplace_back(
            "Not judged: the search stopped at the first violation; `--property NAME` judges one property "
            "alone.");
    if (!result.stopped_by.empty()) lines.push_back(fmt::format("Bounded: {}.", result.stopped_by));
    return lines;
}

boost::json::value config_of(const walk::Machine& machine, const check::Options& options) {
    boost::json::object config = machine.instance().config_json().as_object();
    const world::Setup& setup = machine.setup();
    boost::json::array requests;
    for (SiteId site = 0; site < setup.sites; ++site) {
        const std::uint32_t count = setup.requests.of(site);
        requests.push_back(count == unbounded_requests ? boost::json::value("any")
                                                       : boost::json::value(count));
    }
    config["requests"] = requests;
    config["founders"] = setup.founders;
    config["crashes"] = setup.crashes;
    config["restarts"] = setup.restarts;
    config["leaves"] = setup.leaves;
    config["duplicate"] = setup.duplicate;
    config["lose"] = setup.lose.any() ? boost::json::value("any") : boost::json::value(setup.lose.value);
    config["cancel"] = setup.cancel;
    config["links"] = enum_name(setup.links);
    config["trust"] = enum_name(setup.trust);
    config["anchor"] =
        setup.anchor.site ? boost::json::value(*setup.anchor.site) : boost::json::value(nullptr);
    config["full"] = setup.full;
    config["ranks"] = setup.ranked();
    config["backlog"] = setup.backlog;
    config["copies"] = setup.copies;
    config["campers"] = boost::json::array(setup.campers.sites.begin(), setup.campers.sites.end());
    config["threads"] = options.threads;
    return config;
}

}  // namespace

void print_check(walk::Machine& machine, const check::Options& options, const check::Result& result) {
    fmt::print("{}\n\n", machine.header());
    Table table({"property", "verdict", "meaning"});
    for (const PropertyName& property : check::properties_of(machine, options.from_anywhere)) {
        const std::string name(property.name);
        table.add({name, verdict_of(name, result), std::string(property.meaning)});
    }
    fmt::print("{}\n", table.text());
    for (const std::string& line : bounds(machine, options, result)) fmt::print("{}\n", line);
    const double memory = result.bytes_per_state * static_cast<double>(result.states);
    fmt::print("\n{}: {} states, {} transitions, depth {}, {:.2f} s, {:.0f} MiB\n", enum_name(result.verdict),
               with_commas(result.states), with_commas(result.transitions), result.depth, result.seconds,
               memory / (1 << 20));
    for (const check::Violation& violation : result.violations)
        fmt::print("\n{}", check::scenario_of(machine, violation));
}

void print_check_json(walk::Machine& machine, const check::Options& options, const check::Result& result) {
    boost::json::array properties;
    for (const auto* list : {&result.checked, &result.unchecked})
        for (const std::string& name : *list)
            properties.push_back({{"name", name}, {"verdict", verdict_of(name, result)}});
    boost::json::array violations;
    for (const check::Violation& violation : result.violations)
        violations.push_back({{"property", violation.property},
                              {"detail", violation.detail},
                              {"replayed", violation.replayed},
                              {"scenario", check::scenario_of(machine, violation)}});
    boost::json::array waits;
    for (const check::Wait& wait : result.waits)
        waits.push_back(wait ? boost::json::value(*wait) : boost::json::value("any"));
    const boost::json::value report{{"protocol", machine.facts().name},
                                    {"config", config_of(machine, options)},
                                    {"verdict", enum_name(result.verdict)},
                                    {"properties", properties},
                                    {"states", result.states},
                                    {"transitions", result.transitions},
                                    {"depth", result.depth},
                                    {"seconds", result.seconds},
                                    {"cpu_seconds", result.cpu_seconds},
                                    {"bytes_per_state", result.bytes_per_state},
                                    {"omission_probability", result.omission_probability},
                                    {"guesses", result.guesses},
                                    {"stopped_by", result.stopped_by},
                                    {"waits", waits},
                                    {"violations", violations}};
    fmt::print("{}\n", boost::json::serialize(report));
}

}  // namespace allot::cli
