#include "base/did_you_mean.hpp"

#include <algorithm>
#include <vector>

namespace allot {

namespace {

// The number of letters to add, delete, change or swap with the next one to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table.back().back();
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::string* best = nullptr;
    // One letter in three may be wrong. No name is longer than this, so a longer word is none.
    constexpr std::size_t longest = 60;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    if (word.size() > longest) return "";
    for (const std::string& candidate : candidates) {
        const std::size_t far = distance(lower(word), lower(candidate));
        if (far < least && far < candidate.size()) {
            least = far;
            best = &candidate;
        }
    }
    return best == nullptr ? "" : " (did you mean \"" + *best + "\"?)";
}

}  // namespace allot
