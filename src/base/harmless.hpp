// Text that others wrote, for a terminal: control characters are shown as escapes (\n, \x1b), so the text
// stays in one line and moves no cursor.
#pragma once

#include <string>
#include <string_view>

namespace allot {

bool is_control(char letter);
std::string harmless(std::string_view text);

}  // namespace allot
