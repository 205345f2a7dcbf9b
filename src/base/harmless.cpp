#include "base/harmless.hpp"

namespace allot {

namespace {

std::string escape(char letter) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (letter == '\n') return "\\n";
    if (letter == '\r') return "\\r";
    if (letter == '\t') return "\\t";
    const auto code = static_cast<unsigned char>(letter);
    return {'\\', 'x', digits[code / 16], digits[code % 16]};
}

}  // namespace

bool is_control(char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f;
}

std::string harmless(std::string_view text) {
    std::string shown;
    for (const char letter : text) {
        if (is_control(letter))
            shown += escape(letter);
        else
            shown += letter;
    }
    return shown;
}

}  // namespace allot
