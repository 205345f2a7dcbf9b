// Texts and keys as TOML reads them; the same bytes on all hosts.
#pragma once

#include <string>
#include <string_view>

namespace allot::daemon {

std::string toml_text(std::string_view text);
// Without quotes if it needs none.
std::string toml_key(std::string_view key);

}  // namespace allot::daemon
