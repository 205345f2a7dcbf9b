#include "view/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"

namespace allot::view {

namespace {

// Thousandths of the size, from the space to the tilde.
constexpr std::array<int, 95> widths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

// Characters of East Asian scripts are as wide as they are high.
int width_of(char32_t code) {
    if (code >= ' ' && code <= '~') return widths[code - ' '];
    return code >= 0x1100 ? 1000 : 600;
}

std::size_t length_of_first(std::string_view text) {
    return std::max<std::size_t>(1, first_character(text).length);
}

// As many characters as fit, and at least one.
std::size_t fitting(std::string_view word, double size, double width) {
    std::size_t length = length_of_first(word);
    while (length < word.size()) {
        const std::size_t more = length_of_first(word.substr(length));
        if (text_width(word.substr(0, length + more), size) > width) break;
        length += more;
    }
    return length;
}

}  // namespace

double text_width(std::string_view text, double size) {
    int sum = 0;
    while (!text.empty()) {
        const FirstCharacter first = first_character(text);
        sum += first.length == 0 ? 1000 : width_of(first.code);
        text.remove_prefix(std::max<std::size_t>(1, first.length));
    }
    return sum * size / 1000;
}

std::vector<std::string> wrapped(std::string_view text, double size, double width) {
    std::vector<std::string> lines;
    std::string line;
    const auto end_line = [&] {
        if (!line.empty()) lines.push_back(std::exchange(line, {}));
    };
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
        if (text_width(longer, size) <= width) {
            line = longer;
            continue;
        }
        end_line();
        while (text_width(word, size) > width) {
            const std::size_t length = fitting(word, size, width);
            if (length >= word.size()) break;
            lines.emplace_back(word.substr(0, length));
            word.remove_prefix(length);
        }
        line = word;
    }
    end_line();
    return lines;
}

}  // namespace allot::view
