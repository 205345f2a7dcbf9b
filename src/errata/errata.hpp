// The defects of the published algorithms, and how each is shown.
//
// Every problem may have a file src/protocols/PROBLEM/errata.txt, which the build takes into the program. It
// consists of stanzas with blank lines between them; a stanza is lines `key: value`, and a value goes on in
// lines that are indented. A line that begins with # is for the reader of the file.
//
//   paper       who wrote what; in a stanza of its own it counts for all that follow
//   number      a number, or a word for a defect that has none
//   lines       of the listing, or what else of the paper is concerned
//   title       what is wrong, in a few words
//   symptom     what goes wrong because of it
//   repair      which repair or protocol mends it, or none
//   story       what happens, step by step
//   command     a whole command line that shows it: allot check, allot play or allot sim. Each further one
//               shows more.
//               Scenario files are named as seen from the top of the repository.
//   shows       the property that this command finds violated, `waits of any length` where it has --waits and
//               finds them, `stalled` or `left behind` of a simulation, or what a scenario plays
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

// The error names the line of the file and what is wrong with it.
Result<std::vector<Erratum>> parse(const Source& source);

// Those of every problem, in the order of the files.
Result<std::vector<Erratum>> all();

// Those of one problem; of all if its name is empty.
Result<std::vector<Erratum>> of_problem(const std::vector<Erratum>& list, const std::string& problem);

// The one that is called `semaphore:3`, or just `3` where no other problem in the list has a 3.
Result<Erratum> find(const std::vector<Erratum>& list, const std::string& name);

}  // namespace allot::errata
