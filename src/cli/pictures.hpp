// Scenarios as pictures, for the commands that draw them.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/whole_file.hpp"
#include "play/recorder.hpp"

namespace allot::cli {

// A page draws only what can be seen, so it bears more events than a picture on paper.
constexpr std::size_t most_events_on_paper = 1'000;
constexpr std::size_t most_events_on_page = 50'000;

// Plays the scenario and records it. The error is that of `allot play` for a scenario that makes no sense, or
// says how to choose a part of one that is too long. Throws stop::Due.
Result<play::Recording> record_scenario(const std::string& file, const std::string& text,
                                        const play::Window& window);

// Records the whole scenario and writes its page. Returns what went wrong.
std::optional<std::string> write_page(const std::string& file, const std::string& text, WholeFile& page);

}  // namespace allot::cli
