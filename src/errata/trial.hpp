// Runs the command of an erratum, and its cure, and compares the outcomes with the claims.
#pragma once

#include <functional>
#include <string>

#include "errata/errata.hpp"

namespace allot::errata {

struct Trial {
    std::string found;       // outcome of the command
    std::string cure_found;  // outcome of its cure; empty if there is none
    bool shown = false;      // the claimed violation, and no other
    bool cured = true;       // there is no cure, or it violates nothing
};

// Runs a command and returns its outcome: the property that it found violated; `holds`; `as expected` for a
// scenario; `bounded`; or, for a scenario that is not as expected, why. An error means that the command could
// not run: an unknown flag, a missing file.
using Run = std::function<Result<std::string>(const std::string& command)>;
Result<Trial> put_to_test(const Demonstration& demonstration, const Run& run);

}  // namespace allot::errata
