#include "support/any_text.hpp"

#include <vector>

namespace allot::test {

rc::Gen<std::string> any_text() {
    const auto byte = rc::gen::map(rc::gen::inRange(0, 256),
                                   [](int code) { return std::string(1, static_cast<char>(code)); });
    const auto piece = rc::gen::element<std::string>(
        "\x1b[2J", "\x1b]0;title\x07", "\n", "\r", "\t", std::string(1, '\0'), "\x7f", "\u0085", "\u009b",
        "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\U000e0041", "\u00fc", "\u20ac", "\U0001f512",
        "\xc3", "\xe2\x82", "\xed\xa0\x80", "\"", "\\", "'", ",", "=", " ", "}", "{", "*", "--password=x",
        "db", "7");
    const auto text = rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(byte, piece, piece));
    return rc::gen::map(text, [](const std::vector<std::string>& parts) {
        std::string all;
        for (const std::string& part : parts) all += part;
        return all;
    });
}

}  // namespace allot::test
