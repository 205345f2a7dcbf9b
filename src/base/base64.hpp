// Base64 (RFC 4648, section 4), with padding and without line breaks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace allot {

std::string to_base64(std::string_view bytes);
// Nothing if the text is not exactly what `to_base64` writes.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace allot
