#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace allot {

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes are four base64_digits.
std::uint32_t group_of(std::string_view bytes) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
        group = group << 8 | (i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0);
    return group;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
        const std::uint32_t group = group_of(bytes);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= bytes.size() ? base64_digits[group >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < text.size() && text[i] != '='; ++i) {
        const std::size_t digit = base64_digits.find(text[i]);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if (i % 4 != 0) bytes += static_cast<char>(bits >> (6 - 2 * (i % 4)));
    }
    // Wrong padding, and bits that belong to no byte, are not what the other direction writes.
    if (to_base64(bytes) != text) return std::nullopt;
    return bytes;
}

}  // namespace allot
