#include "cli/table.hpp"

#include <algorithm>
#include <sstream>

namespace allot::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Spaces between two columns.
constexpr std::size_t wide_gap = 2;
constexpr std::size_t narrow_gap = 1;

bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;  // no continuation byte of UTF-8
}

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::vector<std::size_t> widths_of(const Rows& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], characters(row[column]));
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
Rows with_last_broken(const Rows& rows, std::size_t last, std::size_t width) {
    Rows broken;
    for (const auto& row : rows) {
        broken.push_back(row);
        if (row.size() <= last || row[last].size() <= width) continue;
        const std::vector<std::string> lines = lines_of(wrapped(row[last], width));
        broken.back()[last] = lines.empty() ? "" : lines.front();
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

std::size_t sum_of(const std::vector<std::size_t>& widths, std::size_t gap) {
    std::size_t sum = 0;
    for (const std::size_t one : widths) sum += one + gap;
    return sum - gap;
}

// Shrinks the columns of prose until the sum fits, the widest first, and none becomes too narrow to be read.
void narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& prose, std::size_t columns,
            std::size_t gap) {
    constexpr std::size_t least = 5;
    for (std::size_t sum = sum_of(widths, gap); sum > columns && !prose.empty(); --sum) {
        const std::size_t widest =
            *std::ranges::max_element(prose, {}, [&](std::size_t column) { return widths[column]; });
        if (widths[widest] <= least) break;
        --widths[widest];
    }
}

std::string aligned(const Rows& rows, std::size_t indent, std::size_t gap = wide_gap) {
    const std::vector<std::size_t> widths = widths_of(rows);
    std::string text;
    const auto add_row = [&](const std::vector<std::string>& row) {
        std::string line(indent, ' ');
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            line.append(widths[column] - characters(row[column]) + gap, ' ');
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

}  // namespace

std::string Table::text(std::size_t indent, std::size_t width) const {
    const std::vector<std::size_t> widths = widths_of(rows_);
    return aligned(with_last_broken(rows_, widths.size() - 1, room_for_last(widths, indent, width)), indent);
}

std::string Table::lines(std::size_t columns, const std::vector<std::string>& prose) const {
    if (columns == 0) return aligned(rows_, 0);
    std::vector<std::size_t> may_shrink;
    for (std::size_t column = 0; column < rows_.front().size(); ++column)
        if (std::ranges::find(prose, rows_.front()[column]) != prose.end()) may_shrink.push_back(column);
    std::vector<std::size_t> widths = widths_of(rows_);
    narrow(widths, may_shrink, columns, wide_gap);
    const std::size_t gap = sum_of(widths, wide_gap) <= columns ? wide_gap : narrow_gap;
    if (gap == narrow_gap) {
        widths = widths_of(rows_);
        narrow(widths, may_shrink, columns, gap);
    }
    Rows rows = rows_;
    for (auto& row : rows)
        for (std::size_t column = 0; column < row.size(); ++column)
            row[column] = shortened(row[column], widths[column]);
    return aligned(rows, 0, gap);
}

std::string shortened(const std::string& text, std::size_t columns) {
    if (characters(text) <= columns) return text;
    std::size_t kept = 0;
    for (std::size_t begun = 0; kept < text.size(); ++kept)
        if (begins_character(text[kept]) && ++begun == columns) break;
    return text.substr(0, kept) + "\u2026";
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
