// The name that somebody probably meant, for errors about names that do not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace allot {

// ` (did you mean "deliver"?)` where a candidate is close to the word; otherwise nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace allot
