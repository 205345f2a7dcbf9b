// How a command of the laboratory ends, in a few words: `allot errata --run` compares them with its claims.
#pragma once

#include <string>

#include "base/result.hpp"

namespace allot::cli {

// Runs `allot check ...`, `allot play ...` or `allot sim ...` in this process (errata/trial.hpp lists the
// outcomes). It plays the scenarios that the program has, and needs no file. An error means that the command
// cannot run; the reason is on standard error already. If a stop is due, the outcome means nothing, or it
// throws stop::Due.
Result<std::string> outcome_of(const std::string& command);

}  // namespace allot::cli
