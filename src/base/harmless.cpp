#include "base/harmless.hpp"

#include <algorithm>
#include <array>

#include "base/utf8.hpp"

namespace allot {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Controls, the marks and overrides of the direction of writing, the separators of lines, and characters
// without width that no script needs.
constexpr std::array harmful{Range{0x00, 0x1F},      Range{0x7F, 0x9F},     Range{0x61C, 0x61C},
                             Range{0x200B, 0x200B},  Range{0x200E, 0x200F}, Range{0x2028, 0x202E},
                             Range{0x2060, 0x206F},  Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},
                             Range{0xE0000, 0xE007F}};

bool is_harmful(char32_t code) {
    return std::ranges::any_of(harmful, [&](Range one) { return one.first <= code && code <= one.last; });
}

std::string in_hex(char32_t code, int digits) {
    constexpr std::string_view names = "0123456789abcdef";
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += names[code >> shift & 0xF];
    return text;
}

std::string escape(char32_t code) {
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    if (code < 0x80) return "\\x" + in_hex(code, 2);
    return code <= 0xFFFF ? "\\u" + in_hex(code, 4) : "\\U" + in_hex(code, 8);
}

// The bytes at the beginning that are harmless.
std::size_t harmless_bytes(std::string_view text) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const auto [code, length] = first_character(text.substr(bytes));
        if (length == 0 || is_harmful(code)) break;
        bytes += length;
    }
    return bytes;
}

}  // namespace

bool is_control(char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f;
}

bool is_harmless(std::string_view text) {
    return harmless_bytes(text) == text.size();
}

std::string harmless(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t bytes = harmless_bytes(text);
        shown += text.substr(0, bytes);
        text.remove_prefix(bytes);
        if (text.empty()) break;
        const auto [code, length] = first_character(text);
        shown += length == 0 ? "\\x" + in_hex(static_cast<unsigned char>(text[0]), 2) : escape(code);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return shown;
}

std::string harmless(std::string_view text, std::size_t most_bytes) {
    // An escape is longer than what it stands for, so nothing beyond this can be shown.
    const std::string shown = harmless(text.substr(0, most_bytes + 4));
    return std::string(utf8_beginning(shown, most_bytes));
}

}  // namespace allot
