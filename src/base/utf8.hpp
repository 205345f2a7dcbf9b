// Recognises UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace allot {

namespace utf8_detail {

// Number of bytes of the first character; 0 if the text does not begin with one.
constexpr std::size_t first_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool too_large = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace utf8_detail

// The first character of a text and its number of bytes; none if the text does not begin with one.
struct FirstCharacter {
    char32_t code = 0;
    std::size_t length = 0;
};
constexpr FirstCharacter first_character(std::string_view text) {
    const std::size_t length = text.empty() ? 0 : utf8_detail::first_length(text);
    if (length == 0) return {};
    constexpr std::uint8_t bits_of_lead[]{0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = static_cast<std::uint8_t>(text[0]) & bits_of_lead[length - 1];
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<std::uint8_t>(text[i]) & 0x3F);
    return {code, length};
}

// The beginning of a text that is UTF-8: at most so many bytes, and no part of a character.
constexpr std::string_view utf8_beginning(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return text;
    while (most_bytes > 0 && (static_cast<std::uint8_t>(text[most_bytes]) & 0xC0) == 0x80) --most_bytes;
    return text.substr(0, most_bytes);
}

constexpr bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_detail::first_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace allot
