// allot feasible: decides which sites of an instance of the neighbourhood problem can ever turn round.

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

using neighborhood::Outlook;
using neighborhood::Prospect;

struct Instance : neighborhood::Neighborhood {
    BOOST_DESCRIBE_CLASS(Instance, (neighborhood::Neighborhood), (), (), ())
};

struct FeasibleFlags {
    Parameters parameters;
    std::string effort = "5000000";
    bool json = false;
};

std::string start_text(const Instance& instance) {
    std::string text;
    for (const bool in : instance.starts_in) text += in ? 'I' : 'o';
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

void print_for_people(const Instance& instance, const std::vector<Outlook>& sites) {
    static const std::map<Prospect, const char*> words{
        {Prospect::yes, "yes"}, {Prospect::never, "never"}, {Prospect::unknown, "unknown"}};
    fmt::print("graph {}, bounds {}", instance.graph.text(), instance.bounds.text());
    if (!sites.empty()) {
        fmt::print(", start {}{}\n\n", start_text(instance), instance.initial.any() ? " (found)" : "");
        Table table({"site", "at the start", "least", "now", "most", "can turn round", "why"});
        for (SiteId site = 0; site < sites.size(); ++site)
            table.add({std::to_string(site), instance.starts_in[site] ? "in" : "out",
                       std::to_string(instance.ranges[site].low),
                       std::to_string(neighborhood::count_in(instance.closed[site], instance.starts_in)),
                       std::to_string(instance.ranges[site].high), words.at(sites[site].prospect),
                       sites[site].reason});
        fmt::print("{}", table.text());
    } else {
        fmt::print("\n");
    }
    fmt::print("\n{}\n", conclusion(instance, sites));
}

void print_for_programs(const Instance& instance, const std::vector<Outlook>& sites) {
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
                               {"sites", list}};
    if (!sites.empty()) report["initial"] = start_text(instance);
    fmt::print("{}\n", boost::json::serialize(report));
}

int run_feasible(const FeasibleFlags& flags) {
    stop::on_signals();
    const auto effort = parse_number("effort", flags.effort, 1, 1'000'000'000'000);
    if (!effort) return wrong_usage(effort.error());
    Parameters given = flags.parameters;
    auto instance = take_config<Instance>(given);
    if (!instance) return wrong_usage(instance.error());
    instance->derive();
    if (const auto wrong = ill_written(*instance)) return wrong_usage(*wrong);
    std::vector<Outlook> sites;
    if (!instance->starts_in.empty()) sites = instance->outlook(*effort);
    (flags.json ? print_for_programs : print_for_people)(*instance, sites);
    return exit_code(*instance, sites);
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
    add_explained_flag(command, flags->parameters, "graph").required();
    add_explained_flag(command, flags->parameters, "bounds").required();
    add_explained_flag(command, flags->parameters, "initial");
    command.option("--effort", flags->effort,
                   "maximum of search steps; up to 20 sites are always decided; default 5000000");
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_feasible(*flags); });
}

}  // namespace allot::cli
