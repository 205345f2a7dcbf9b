// Text that others wrote, for terminals, JSON and logs. Harmless text is UTF-8 in one line without characters
// that move a cursor, turn the direction of writing, or cannot be seen. Escapes stand for all others: \n,
// \x1b, \u202e, and \xff for a byte that is no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace allot {

bool is_control(char letter);
bool is_harmless(std::string_view text);
// Harmless text stays as it is.
std::string harmless(std::string_view text);
// The same, shortened to at most so many bytes, between two characters.
std::string harmless(std::string_view text, std::size_t most_bytes);

}  // namespace allot
