// Errata put to the test: the command of each is run, and its cure.
#pragma once

#include <functional>
#include <string>

#include "errata/errata.hpp"

namespace allot::errata {

struct Trial {
    std::string found;       // by the command
    std::string cure_found;  // by its cure; empty if there is none
    bool shown = false;      // the violation that was claimed, and no other
    bool cured = true;       // there is no cure, or with it nothing is violated
};

// Runs a command and says how it ended: the property that it found violated; `holds`; `as expected` for a
// scenario; `bounded`; or, for a scenario that is not as expected, why. An error means that the command could
// not be run: a flag that does not exist, a file that is missing.
using Run = std::function<Result<std::string>(const std::string& command)>;
Result<Trial> put_to_test(const Demonstration& demonstration, const Run& run);

}  // namespace allot::errata
