// Errata put to the test: the command of each is run as a user would run it, by this very program.
#pragma once

#include <functional>
#include <string>

#include "errata/errata.hpp"

namespace allot::errata {

// How a command ended: the property it found violated; `holds`; `as expected` for a scenario; or why it is
// not known.
std::string outcome_of(const std::string& command);

struct Trial {
    std::string found;       // by the command
    std::string cure_found;  // by its cure; empty if there is none
    bool shown = false;      // the violation that was claimed, and no other
    bool cured = true;       // there is no cure, or with it nothing is violated
};
using Run = std::function<std::string(const std::string& command)>;
Trial put_to_test(const Demonstration& demonstration, const Run& run = outcome_of);

}  // namespace allot::errata
