// The defects of the published algorithms, and how each is shown.
//
// Every problem may have a file src/protocols/PROBLEM/errata.txt, which the build embeds in the program. It
// consists of stanzas with blank lines between them; a stanza is lines `key: value`, and a value continues in
// indented lines. A line that begins with # is a comment.
//
//   paper       author and title; in a stanza of its own it applies to all that follow
//   number      a number, or a word for a defect that has none
//   lines       of the listing, or another part of the paper
//   title       the defect, in a few words
//   symptom     what it leads to
//   repair      the repair or protocol that corrects it, or none
//   story       what happens, step by step
//   command     a whole command line that shows it: allot check, allot play or allot sim. A stanza may have
//               several. Paths of scenario files begin at the top of the repository; the build embeds these
//               files as well.
//   shows       the property that this command finds violated, `waits of any length` where it has --waits and
//               finds them, `stalled` or `left behind` of a simulation, or the outcome of a scenario
//   cure        the same with the repair, and nothing is violated; may be missing
//
// A defect without a command is only listed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace allot::errata {

struct Demonstration {
    std::string command;
    std::string shows;
    std::string cure;  // empty: there is none

    bool plays_scenario() const { return command.starts_with("allot play "); }
    bool simulates() const { return command.starts_with("allot sim "); }
    bool measures_waits() const { return command.ends_with(" --waits"); }
};

struct Erratum {
    std::string problem;
    std::string number;
    std::string paper;
    std::string lines;
    std::string title;
    std::string symptom;
    std::string repair;
    std::string story;
    std::vector<Demonstration> demonstrations;

    std::string id() const { return problem + ":" + number; }
};

// One file as the build found it.
struct Source {
    std::string_view problem;
    std::string_view text;
};
std::span<const Source> sources();

// A scenario file that some command names, as the build found it.
struct ScenarioFile {
    std::string_view path;
    std::string_view text;
};
std::span<const ScenarioFile> scenario_files();
// The text of the scenario with that path, or an error if the program has none.
Result<std::string> scenario(const std::string& path);

// The error names the line of the file and says what is wrong.
Result<std::vector<Erratum>> parse(const Source& source);

// The errata of all problems, in the order of the files.
Result<std::vector<Erratum>> all();

// The errata of one problem; all if its name is empty.
Result<std::vector<Erratum>> of_problem(const std::vector<Erratum>& list, const std::string& problem);

// The erratum `semaphore:3`, or just `3` if no other problem in the list has a 3.
Result<Erratum> find(const std::vector<Erratum>& list, const std::string& name);

}  // namespace allot::errata
