#include "errata/errata.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/did_you_mean.hpp"
#include "core/parameters.hpp"

namespace allot::errata {

namespace {

struct Field {
    std::size_t line = 0;
    std::string key;
    std::string value;
};
using Stanza = std::vector<Field>;

Error error_at(const Source& source, std::size_t line, const std::string& what) {
    return Error{fmt::format("src/protocols/{}/errata.txt:{}: {}", source.problem, line, what)};
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// --- From text to stanzas.

std::optional<Error> read_line(const Source& source, std::size_t number, std::string_view line,
                               Stanza& stanza) {
    const bool goes_on = line.front() == ' ' || line.front() == '\t';
    if (goes_on && stanza.empty()) return error_at(source, number, "an indented line continues no value");
    if (goes_on) {
        std::string& value = stanza.back().value;
        value += (value.empty() ? "" : " ") + std::string(trimmed(line));
        return std::nullopt;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return error_at(source, number, "write `key: value`");
    stanza.push_back(
        {number, std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))});
    return std::nullopt;
}

Result<std::vector<Stanza>> read_stanzas(const Source& source) {
    std::vector<Stanza> stanzas(1);
    std::string_view rest = source.text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.starts_with('#')) continue;
        if (trimmed(line).empty()) {
            if (!stanzas.back().empty()) stanzas.emplace_back();
        } else if (const auto error = read_line(source, number, line, stanzas.back())) {
            return *error;
        }
    }
    if (stanzas.back().empty()) stanzas.pop_back();
    return stanzas;
}

// --- From a stanza to an erratum.

constexpr std::array keys{"paper",  "number", "lines",   "title", "symptom",
                          "repair", "story",  "command", "shows", "cure"};

// The member that stores the value of a key; nothing for an unknown key, or if no command precedes it.
std::string* place_of(Erratum& erratum, std::string_view key) {
    if (key == "number") return &erratum.number;
    if (key == "paper") return &erratum.paper;
    if (key == "lines") return &erratum.lines;
    if (key == "title") return &erratum.title;
    if (key == "symptom") return &erratum.symptom;
    if (key == "repair") return &erratum.repair;
    if (key == "story") return &erratum.story;
    if (key == "command") return &erratum.demonstrations.emplace_back().command;
    if (erratum.demonstrations.empty()) return nullptr;
    if (key == "shows") return &erratum.demonstrations.back().shows;
    if (key == "cure") return &erratum.demonstrations.back().cure;
    return nullptr;
}

bool is_command(std::string_view text) {
    return text.starts_with("allot check ") || text.starts_with("allot play ") ||
           text.starts_with("allot sim ");
}

std::optional<Error> take_field(const Source& source, const Field& field, Erratum& erratum) {
    if (std::find(keys.begin(), keys.end(), field.key) == keys.end())
        return error_at(source, field.line,
                        fmt::format("{}: write {}", field.key,
                                    listed(std::vector<std::string>(keys.begin(), keys.end()))));
    std::string* place = place_of(erratum, field.key);
    if (place == nullptr)
        return error_at(source, field.line,
                        fmt::format("{}: it belongs to a command; write the command first", field.key));
    if (!place->empty())
        return error_at(source, field.line, fmt::format("{}: this key is there already", field.key));
    if (field.value.empty())
        return error_at(source, field.line, fmt::format("{}: its value is missing", field.key));
    if ((field.key == "command" || field.key == "cure") && !is_command(field.value))
        return error_at(source, field.line,
                        fmt::format("{}: begin with `allot check`, `allot play` or `allot sim`", field.key));
    *place = field.value;
    return std::nullopt;
}

std::optional<std::string> missing_key(const Erratum& erratum) {
    const std::array<std::pair<const char*, const std::string*>, 7> needed{{{"paper", &erratum.paper},
                                                                            {"number", &erratum.number},
                                                                            {"lines", &erratum.lines},
                                                                            {"title", &erratum.title},
                                                                            {"symptom", &erratum.symptom},
                                                                            {"repair", &erratum.repair},
                                                                            {"story", &erratum.story}}};
    for (const auto& [key, value] : needed)
        if (value->empty()) return key;
    for (const Demonstration& shown : erratum.demonstrations)
        if (shown.shows.empty()) return "shows";
    return std::nullopt;
}

Result<Erratum> read_erratum(const Source& source, const Stanza& stanza, const std::string& paper) {
    Erratum erratum;
    erratum.problem = source.problem;
    for (const Field& field : stanza)
        if (const auto error = take_field(source, field, erratum)) return *error;
    if (erratum.paper.empty()) erratum.paper = paper;
    if (const auto key = missing_key(erratum))
        return error_at(source, stanza.front().line, fmt::format("this erratum has no {}", *key));
    return erratum;
}

bool only_names_paper(const Stanza& stanza) {
    return stanza.size() == 1 && stanza.front().key == "paper";
}

std::vector<std::string> names_of(const std::vector<Erratum>& list, std::string Erratum::*part) {
    std::vector<std::string> names;
    for (const Erratum& erratum : list)
        if (std::find(names.begin(), names.end(), erratum.*part) == names.end())
            names.push_back(erratum.*part);
    return names;
}

}  // namespace

Result<std::string> scenario(const std::string& path) {
    const auto file = std::ranges::find(scenario_files(), path, &ScenarioFile::path);
    if (file == scenario_files().end())
        return Error{
            fmt::format("{}: no erratum names this scenario, so the program does not have it", path)};
    return std::string(file->text);
}

Result<std::vector<Erratum>> parse(const Source& source) {
    const auto stanzas = read_stanzas(source);
    if (!stanzas) return Error{stanzas.error()};
    std::vector<Erratum> list;
    std::string paper;
    for (const Stanza& stanza : *stanzas) {
        if (only_names_paper(stanza)) {
            paper = stanza.front().value;
            continue;
        }
        const auto erratum = read_erratum(source, stanza, paper);
        if (!erratum) return Error{erratum.error()};
        for (const Erratum& earlier : list)
            if (earlier.number == erratum->number)
                return error_at(source, stanza.front().line,
                                fmt::format("two errata have number {}", erratum->number));
        list.push_back(*erratum);
    }
    return list;
}

Result<std::vector<Erratum>> all() {
    std::vector<Erratum> list;
    for (const Source& source : sources()) {
        const auto errata = parse(source);
        if (!errata) return Error{errata.error()};
        list.insert(list.end(), errata->begin(), errata->end());
    }
    return list;
}

Result<std::vector<Erratum>> of_problem(const std::vector<Erratum>& list, const std::string& problem) {
    if (problem.empty()) return list;
    std::vector<Erratum> chosen;
    std::copy_if(list.begin(), list.end(), std::back_inserter(chosen),
                 [&](const Erratum& erratum) { return erratum.problem == problem; });
    const auto known = names_of(list, &Erratum::problem);
    if (chosen.empty())
        return Error{fmt::format("no such problem; there are errata of {}{}", listed(known),
                                 did_you_mean(problem, known))};
    return chosen;
}

Result<Erratum> find(const std::vector<Erratum>& list, const std::string& name) {
    if (std::ranges::count(list, name, &Erratum::problem) > 0)
        return Error{fmt::format("{}: this is a problem; write one of its errata, as in {}", name,
                                 std::ranges::find(list, name, &Erratum::problem)->id())};
    const auto colon = name.find(':');
    const std::string problem = colon == std::string::npos ? "" : name.substr(0, colon);
    const auto among = of_problem(list, problem);
    if (!among) return Error{fmt::format("{}: {}", name, among.error())};
    const std::string number = colon == std::string::npos ? name : name.substr(colon + 1);
    std::vector<std::string> found;
    const Erratum* last = nullptr;
    for (const Erratum& erratum : *among)
        if (erratum.number == number) {
            found.push_back(erratum.id());
            last = &erratum;
        }
    if (found.size() == 1) return *last;
    const auto numbers = names_of(*among, &Erratum::number);
    if (found.empty())
        return Error{fmt::format("{}: no such erratum; there is {}{}", name, listed(numbers),
                                 did_you_mean(number, numbers))};
    return Error{fmt::format("{}: several problems have this number; write {}", name, listed(found))};
}

}  // namespace allot::errata
