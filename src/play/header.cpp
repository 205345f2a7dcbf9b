#include "play/header.hpp"

#include <algorithm>

#include "base/did_you_mean.hpp"

namespace allot::play {

namespace {

Result<const world::Entry*> find_protocol(const Statement& header, std::span<const world::Entry> protocols) {
    std::vector<std::string> known;
    for (const world::Entry& entry : protocols) {
        if (!header.words.empty() && entry.name == header.words[0]) return &entry;
        known.emplace_back(entry.name);
    }
    if (header.words.empty())
        return Error{"the protocol's name is missing; write " + std::string(usage(Verb::protocol))};
    return Error{"\"" + header.words[0] + "\" is no protocol" + did_you_mean(header.words[0], known) +
                 "; the protocols are " + enumerated(known)};
}

Result<Parameters> read_parameters(const Statement& header) {
    Parameters given;
    for (std::size_t i = 1; i < header.words.size(); ++i) {
        const std::string& word = header.words[i];
        const auto equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{"\"" + word + "\" is not KEY=VALUE; write, for example, sites=3"};
        if (!given.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
            return Error{word.substr(0, equals) + " is given twice; write it once"};
    }
    return given;
}

// True if the statement has the verb, or is a crash inside a step with the verb.
bool uses(const Statement& statement, Verb verb) {
    if (statement.verb == verb) return true;
    if (statement.verb != Verb::crash || statement.words.size() < 3) return false;
    const auto inner = verb_named(statement.words[2]);
    return inner && *inner == verb;
}

std::ptrdiff_t count_of(const Scenario& scenario, Verb verb) {
    return std::count_if(scenario.statements.begin(), scenario.statements.end(),
                         [&](const Statement& statement) { return uses(statement, verb); });
}

void fill_in(const Scenario& scenario, Verb verb, const char* parameter, Parameters& given,
             std::ptrdiff_t more = 0) {
    const auto count = count_of(scenario, verb) + more;
    if (count > 0) given.try_emplace(parameter, std::to_string(count));
}

Parameters filled_in(const Scenario& scenario, Parameters given) {
    given.try_emplace("requests", "any");
    given.try_emplace("anchor", "none");
    fill_in(scenario, Verb::duplicate, "duplicate", given);
    fill_in(scenario, Verb::drop, "lose", given);
    fill_in(scenario, Verb::cut, "cuts", given);
    // A timer replaces messages that it sent, or that the scenario put there.
    fill_in(scenario, Verb::timeout, "copies", given, count_of(scenario, Verb::put));
    return given;
}

std::ptrdiff_t disks(const Scenario& scenario, Disk fate) {
    return std::count_if(scenario.statements.begin(), scenario.statements.end(), [&](const Statement& one) {
        return one.verb == Verb::kill && !one.words.empty() && one.words.back() == enum_name(fate);
    });
}

// Parameters that the lines of the scenario need and the header does not give.
std::vector<std::pair<std::string, std::string>> implied(const Scenario& scenario) {
    std::vector<std::pair<std::string, std::string>> all;
    const auto count = [&](const char* parameter, std::ptrdiff_t number) {
        if (number > 0) all.emplace_back(parameter, std::to_string(number));
    };
    if (count_of(scenario, Verb::cancel) > 0) all.emplace_back("cancel", "on");
    if (count_of(scenario, Verb::synced) > 0) all.emplace_back("writes", "late");
    count("leaves", count_of(scenario, Verb::leave));
    count("crashes", count_of(scenario, Verb::crash) + count_of(scenario, Verb::kill));
    count("restarts", count_of(scenario, Verb::restart));
    const auto claims = count_of(scenario, Verb::claim);
    if (count_of(scenario, Verb::adopt) + count_of(scenario, Verb::stop) + claims > 0)
        all.emplace_back("orphans", "on");
    count("false-claims", claims);
    count("expulsions", count_of(scenario, Verb::view));
    count("lapses", count_of(scenario, Verb::lapse));
    count("pauses", count_of(scenario, Verb::pause));
    if (count_of(scenario, Verb::pause) > 0)
        all.emplace_back("pause-ticks", std::to_string(world::most_faults));
    count("lost-disks", disks(scenario, Disk::lost));
    count("restored-disks", disks(scenario, Disk::restored));
    return all;
}

}  // namespace

Result<std::unique_ptr<walk::Machine>> make_machine(const Scenario& scenario,
                                                    std::span<const world::Entry> protocols) {
    const Statement& header = scenario.statements.front();
    const auto entry = find_protocol(header, protocols);
    if (!entry) return Error{entry.error()};
    const auto given = read_parameters(header);
    if (!given) return Error{given.error()};

    Parameters taken = filled_in(scenario, *given);
    auto machine = walk::make_machine(**entry, taken);
    if (!machine) return Error{header.text + ": " + machine.error()};
    // Sites of some protocols cannot cancel, leave, crash or restart. The error then belongs to the line that
    // tries, not to the header.
    for (const auto& [parameter, value] : implied(scenario)) {
        Parameters more = taken;
        if (!more.try_emplace(parameter, value).second) continue;
        auto able = walk::make_machine(**entry, more);
        if (!able) continue;
        machine = std::move(able);
        taken = std::move(more);
    }
    return machine;
}

}  // namespace allot::play
