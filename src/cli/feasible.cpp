// allot feasible: decides which sites of an instance of the neighbourhood problem can ever turn round, and
// counts the configurations that can be reached.

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <map>

#include "base/stop.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/parameter_flags.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "protocols/neighborhood/feasibility.hpp"

namespace allot::cli {

namespace {

using neighborhood::Configuration;
using neighborhood::Outlook;
using neighborhood::Prospect;

struct Instance : neighborhood::Neighborhood {
    BOOST_DESCRIBE_CLASS(Instance, (neighborhood::Neighborhood), (), (), ())
};

struct FeasibleFlags {
    Parameters parameters;
    std::string effort = "5000000";
    std::optional<std::string> list;
    bool json = false;
};

// Everything that was found out from the start; nothing if there is none.
struct Findings {
    std::vector<Outlook> sites;
    neighborhood::Extent extent;
    std::optional<std::vector<Configuration>> listed;
};

std::string text_of(const Configuration& configuration) {
    std::string text;
    for (const bool in : configuration) text += in ? 'I' : 'o';
    return text;
}

std::uint64_t count(const std::vector<Outlook>& sites, Prospect prospect) {
    return static_cast<std::uint64_t>(std::ranges::count(sites, prospect, &Outlook::prospect));
}

// One sentence for people.
std::string conclusion(const Instance& instance, const std::vector<Outlook>& sites) {
    if (instance.no_start) return "no configuration satisfies these bounds";
    if (sites.empty()) return "unknown: no safe configuration was found; write one with --initial";
    const auto never = count(sites, Prospect::never);
    const auto unknown = count(sites, Prospect::unknown);
    if (never > 0) return fmt::format("infeasible: {} of {} sites can never turn round", never, sites.size());
    if (unknown > 0)
        return fmt::format("unknown: the search found no way for {} sites; a larger --effort may find one",
                           unknown);
    return "feasible: every site can turn round, again and again";
}

int exit_code(const Instance& instance, const std::vector<Outlook>& sites) {
    if (instance.no_start || count(sites, Prospect::never) > 0) return exit_no;
    return sites.empty() || count(sites, Prospect::unknown) > 0 ? exit_bounded : exit_ok;
}

std::string number_text(std::uint64_t count, bool exact) {
    return (exact ? "" : "at least ") + with_commas(count);
}

void print_configurations(const Findings& found) {
    const auto& [count, exact] = found.extent;
    fmt::print("\nreachable configurations: {}\n", number_text(count, exact));
    if (!found.listed) return;
    for (const Configuration& one : *found.listed) fmt::print("  {}\n", text_of(one));
    if (count > found.listed->size())
        fmt::print("  and {} more\n", number_text(count - found.listed->size(), exact));
}

void print_for_people(const Instance& instance, const Findings& found) {
    const auto& sites = found.sites;
    static const std::map<Prospect, const char*> words{
        {Prospect::yes, "yes"}, {Prospect::never, "never"}, {Prospect::unknown, "unknown"}};
    fmt::print("graph {}, bounds {}", instance.graph.text(), instance.bounds.text());
    if (!sites.empty()) {
        fmt::print(", start {}{}\n\n", text_of(instance.starts_in), instance.initial.any() ? " (found)" : "");
        Table table({"site", "at the start", "least", "now", "most", "can turn round", "why"});
        for (SiteId site = 0; site < sites.size(); ++site)
            table.add({std::to_string(site), instance.starts_in[site] ? "in" : "out",
                       std::to_string(instance.ranges[site].low),
                       std::to_string(neighborhood::count_in(instance.closed[site], instance.starts_in)),
                       std::to_string(instance.ranges[site].high), words.at(sites[site].prospect),
                       sites[site].reason});
        fmt::print("{}", table.text());
        print_configurations(found);
    } else {
        fmt::print("\n");
    }
    fmt::print("\n{}\n", conclusion(instance, sites));
}

boost::json::object configurations_json(const Findings& found) {
    boost::json::object configurations{{"count", found.extent.count}, {"exact", found.extent.exact}};
    if (found.listed) {
        boost::json::array list;
        for (const Configuration& one : *found.listed) list.emplace_back(text_of(one));
        configurations["list"] = std::move(list);
    }
    return configurations;
}

void print_for_programs(const Instance& instance, const Findings& found) {
    const auto& sites = found.sites;
    boost::json::array list;
    for (SiteId site = 0; site < sites.size(); ++site)
        list.push_back({{"site", site},
                        {"in", static_cast<bool>(instance.starts_in[site])},
                        {"least", instance.ranges[site].low},
                        {"most", instance.ranges[site].high},
                        {"can_turn_round", enum_name(sites[site].prospect)},
                        {"reason", sites[site].reason}});
    boost::json::object report{{"graph", instance.graph.text()},
                               {"bounds", instance.bounds.text()},
                               {"initial", nullptr},
                               {"initial_exists", !instance.no_start},
                               {"conclusion", conclusion(instance, sites)},
                               {"configurations", nullptr},
                               {"sites", list}};
    if (!sites.empty()) {
        report["initial"] = text_of(instance.starts_in);
        report["configurations"] = configurations_json(found);
    }
    fmt::print("{}\n", boost::json::serialize(report));
}

Findings explore(const Instance& instance, std::uint64_t effort, std::uint64_t listed_most) {
    Findings found;
    if (instance.starts_in.empty()) return found;
    found.sites = instance.outlook(effort);
    found.extent =
        neighborhood::count_reachable(instance.closed, instance.ranges, instance.starts_in, effort);
    if (listed_most > 0)
        found.listed =
            neighborhood::list_reachable(instance.closed, instance.ranges, instance.starts_in, listed_most);
    return found;
}

int run_feasible(const FeasibleFlags& flags) {
    stop::on_signals();
    const auto effort = parse_number("effort", flags.effort, 1, 1'000'000'000'000);
    if (!effort) return wrong_usage(effort.error());
    const auto listed_most =
        flags.list ? parse_number("list", *flags.list, 1, 1'000'000) : Result<std::uint64_t>(0);
    if (!listed_most) return wrong_usage(listed_most.error());
    Parameters given = flags.parameters;
    auto instance = take_config<Instance>(given);
    if (!instance) return wrong_usage(instance.error());
    instance->derive();
    if (const auto wrong = ill_written(*instance)) return wrong_usage(*wrong);
    const Findings found = explore(*instance, *effort, *listed_most);
    (flags.json ? print_for_programs : print_for_people)(*instance, found);
    return exit_code(*instance, found.sites);
}

}  // namespace

void add_feasible(CommandLine& line) {
    auto flags = std::make_shared<FeasibleFlags>();
    Command& command = line.command(
        "feasible",
        "Decide whether bounds on neighbourhoods have a safe start, and whether every site can turn round");
    command.footer(
        "Example: allot feasible --graph path:3 --bounds '0,1;1,2;0,1' --initial Ioo\n"
        "Exit code: 0 every site can turn round, 1 some site never can, or no start is safe, 2 wrong usage, "
        "3 unknown within the effort, or Ctrl-C.");
    for (const ParameterInfo& parameter : parameters_of<Instance>()) {
        const bool required = parameter.name == "graph" || parameter.name == "bounds";
        if (!required && parameter.name != "initial") continue;
        const Argument flag =
            add_parameter_flag(command, flags->parameters, parameter.name, parameter.meaning, "Instance");
        if (required) flag.required();
    }
    command.option("--effort", flags->effort,
                   "maximum of search steps; up to 20 sites are always decided; default 5000000");
    command
        .option("--list", flags->list,
                "list up to N reachable configurations, those with the fewest turns from the start first")
        .value("N");
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_feasible(*flags); });
}

}  // namespace allot::cli
