#include "play/scenario.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/did_you_mean.hpp"
#include "base/harmless.hpp"
#include "base/stop.hpp"
#include "core/parameters.hpp"
#include "core/reflect.hpp"

namespace allot::play {

namespace {

constexpr std::string_view space = " \t\r";
// Some editors write it before the first line.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The end of the JSON that begins at `start`; nothing if its bracket is never closed.
std::optional<std::size_t> end_of_json(std::string_view line, std::size_t start) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = start; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
            continue;
        }
        if (c == '"') quoted = true;
        if (c == '{' || c == '[') ++depth;
        if ((c == '}' || c == ']') && --depth == 0) return i + 1;
    }
    return std::nullopt;
}

std::size_t end_of_word(std::string_view line, std::size_t start) {
    if (line.substr(start).starts_with("->")) return start + 2;
    return std::min({line.find_first_of(space, start), line.find("->", start), line.size()});
}

std::string_view without_comment(std::string_view line) {
    for (std::size_t i = line.find_first_not_of(space); i < line.size();
         i = line.find_first_not_of(space, i)) {
        if (line[i] == '#') return line.substr(0, i);
        const bool json = line[i] == '{' || line[i] == '[';
        i = json ? end_of_json(line, i).value_or(line.size()) : end_of_word(line, i);
    }
    return line;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

// The line of a binary file, for one.
std::optional<std::string> unprintable(std::string_view line) {
    for (const char letter : line)
        if (is_control(letter) && space.find(letter) == std::string_view::npos)
            return fmt::format("this line contains the byte 0x{:02x}; a scenario is a text file",
                               static_cast<unsigned char>(letter));
    return std::nullopt;
}

Result<Statement> read_statement(std::string_view text) {
    if (auto wrong = unprintable(text)) return Error{std::move(*wrong)};
    auto words = split_words(text);
    if (!words) return Error{words.error()};
    const auto verb = verb_named(words->front());
    if (!verb) return Error{verb.error()};
    words->erase(words->begin());
    return Statement{.verb = *verb, .words = std::move(*words), .text = std::string(text)};
}

// Why the statement is not allowed at this line.
std::optional<std::string> misplaced(const Scenario& scenario, const Statement& next) {
    const bool first = scenario.statements.empty();
    if (first && next.verb != Verb::protocol)
        return "a scenario begins with its protocol: write, for example, protocol raymond sites=3 before "
               "this line";
    if (!first && next.verb == Verb::protocol)
        return "a scenario has one protocol: line " + std::to_string(scenario.statements.front().line) +
               " names it; write another file for another protocol";
    return std::nullopt;
}

// The form of a statement, for each verb.
constexpr std::pair<Verb, std::string_view> usages[]{
    {Verb::protocol, "protocol NAME KEY=VALUE..."},
    {Verb::request, "request SITE [UNITS] [RESOURCE,...]"},
    {Verb::release, "release SITE"},
    {Verb::cancel, "cancel SITE"},
    {Verb::leave, "leave SITE"},
    {Verb::join, "join SITE"},
    {Verb::restart, "restart SITE"},
    {Verb::expel, "expel SITE"},
    {Verb::timeout, "timeout SITE TIMER"},
    {Verb::crash, "crash SITE [in STEP [sent SITE...]]"},
    {Verb::kill, "kill SITE [disk torn|lost|restored]"},
    {Verb::synced, "synced SITE"},
    {Verb::copy, "copy SITE"},
    {Verb::tick, "tick SITE|all [COUNT]"},
    {Verb::cut, "cut FROM -> TO"},
    {Verb::heal, "heal FROM -> TO"},
    {Verb::pause, "pause SITE"},
    {Verb::resume, "resume SITE"},
    {Verb::view, "view remove|add|replace SITE"},
    {Verb::see, "see SITE NUMBER"},
    {Verb::lapse, "lapse SITE"},
    {Verb::renew, "renew SITE"},
    {Verb::quiet, "quiet SITE"},
    {Verb::adopt, "adopt SITE"},
    {Verb::stop, "stop SITE"},
    {Verb::claim, "claim SITE none|outdated [UNITS] [RESOURCE,...]"},
    {Verb::deliver, "deliver FROM -> TO [KIND [JSON]]"},
    {Verb::duplicate, "duplicate FROM -> TO [KIND [JSON]]"},
    {Verb::drop, "drop FROM -> TO [KIND [JSON]]"},
    {Verb::settle, "settle [ROUNDS]"},
    {Verb::trusted, "trusted OBSERVER PEER"},
    {Verb::dead, "dead OBSERVER PEER"},
    {Verb::suspected, "suspected OBSERVER PEER"},
    {Verb::departed, "departed OBSERVER PEER"},
    {Verb::reconnected, "reconnected SITE PEER"},
    {Verb::stopped, "stopped OBSERVER PEER"},
    {Verb::state, "state SITE JSON"},
    {Verb::put, "put FROM -> TO {\"KIND\": {...}}"},
    {Verb::empty, "empty"},
    {Verb::expect, "expect WHAT..."},
    {Verb::loop, "loop"},
    {Verb::show, "show"},
};

}  // namespace

std::string_view usage(Verb verb) {
    const auto* const place = std::ranges::find(usages, verb, &std::pair<Verb, std::string_view>::first);
    return place == std::end(usages) ? std::string_view() : place->second;
}

Result<std::vector<std::string>> split_words(std::string_view line) {
    std::vector<std::string> words;
    for (std::size_t i = line.find_first_not_of(space); i < line.size();
         i = line.find_first_not_of(space, i)) {
        const std::size_t start = i;
        if (line[i] == '{' || line[i] == '[') {
            const auto end = end_of_json(line, i);
            if (!end) return Error{"the JSON " + std::string(line.substr(i)) + " is not closed on this line"};
            i = *end;
        } else {
            i = end_of_word(line, i);
        }
        words.emplace_back(line.substr(start, i - start));
    }
    return words;
}

Result<Verb> verb_named(std::string_view name) {
    if (const auto verb = enum_from<Verb>(name)) return *verb;
    constexpr auto names = enum_names<Verb>();
    const std::vector<std::string> known(names.begin(), names.end());
    return Error{"\"" + std::string(name) + "\" is no verb" + did_you_mean(name, known) + "; the verbs are " +
                 enumerated(known)};
}

Scenario read_scenario(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    Scenario scenario;
    std::size_t number = 0;
    while (!text.empty() && !scenario.error) {
        stop::poll();
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(without_comment(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty()) continue;
        auto statement = read_statement(line);
        auto wrong = statement ? misplaced(scenario, *statement) : std::optional(statement.error());
        if (wrong) {
            scenario.error = {number, std::move(*wrong)};
            break;
        }
        statement->line = number;
        scenario.statements.push_back(std::move(*statement));
    }
    if (scenario.statements.empty() && !scenario.error)
        scenario.error = {std::max<std::size_t>(1, number),
                          "there is no statement here: begin with, for example, protocol raymond sites=3"};
    return scenario;
}

}  // namespace allot::play
