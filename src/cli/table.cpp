#include "cli/table.hpp"

#include <algorithm>
#include <sstream>

namespace allot::cli {

std::string Table::text(std::size_t indent) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
        for (std::size_t column = 0; column < row.size(); ++column) {
            if (column == widths.size()) widths.push_back(0);
            widths[column] = std::max(widths[column], row[column].size());
        }
    std::string text;
    const auto add_row = [&](const std::vector<std::string>& row) {
        std::string line(indent, ' ');
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            line.append(widths[column] - row[column].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    std::vector<std::string> rule;
    for (const std::size_t width : widths) rule.emplace_back(width, '-');
    add_row(rows_.front());
    add_row(rule);
    for (std::size_t i = 1; i < rows_.size(); ++i) add_row(rows_[i]);
    return text;
}

std::string wrapped(const std::string& text, std::size_t width) {
    std::string lines;
    std::size_t column = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const bool fits = column + 1 + word.size() <= width;
        if (column > 0) lines += fits ? ' ' : '\n';
        column = column > 0 && fits ? column + 1 + word.size() : word.size();
        lines += word;
    }
    return lines;
}

std::string with_commas(unsigned long long number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

}  // namespace allot::cli
