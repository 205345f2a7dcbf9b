#include "cli/table.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

namespace allot::cli {

namespace {

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row[column].size());
    }
    return widths;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream rest(text);
    for (std::string line; std::getline(rest, line);) lines.push_back(line);
    return lines;
}

// The rows with the last column in lines of at most `width` characters; each further line is a row of its
// own.
std::vector<std::vector<std::string>> with_last_broken(const std::vector<std::vector<std::string>>& rows,
                                                       std::size_t last, std::size_t width) {
    std::vector<std::vector<std::string>> broken;
    for (const auto& row : rows) {
        broken.push_back(row);
        if (row.size() <= last || row[last].size() <= width) continue;
        const std::vector<std::string> lines = lines_of(wrapped(row[last], width));
        broken.back()[last] = lines.front();
        for (std::size_t i = 1; i < lines.size(); ++i) {
            broken.emplace_back(last);
            broken.back().push_back(lines[i]);
        }
    }
    return broken;
}

// The width that is left for the last column, and never so little that prose becomes a list of words.
std::size_t room_for_last(const std::vector<std::size_t>& widths, std::size_t indent, std::size_t width) {
    constexpr std::size_t least = 24;
    std::size_t others = indent;
    for (std::size_t column = 0; column + 1 < widths.size(); ++column) others += widths[column] + 2;
    return others + least < width ? width - others : least;
}

}  // namespace

std::string Table::text(std::size_t indent, std::size_t width) const {
    std::vector<std::size_t> widths = widths_of(rows_);
    const auto rows = with_last_broken(rows_, widths.size() - 1, room_for_last(widths, indent, width));
    widths = widths_of(rows);
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
    for (const std::size_t one : widths) rule.emplace_back(one, '-');
    add_row(rows.front());
    add_row(rule);
    for (std::size_t i = 1; i < rows.size(); ++i) add_row(rows[i]);
    return text;
}

std::string Table::lines() const {
    return text(0, std::numeric_limits<std::size_t>::max());
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
