// Tables that align, and paragraphs that fit.
#pragma once

#include <string>
#include <vector>

namespace allot::cli {

inline constexpr std::size_t line_width = 100;

class Table {
public:
    explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    // Every column as wide as its widest cell, two spaces apart, the header underlined; `indent` spaces
    // first. A last column of prose continues in further lines where a line would be longer than `width`.
    std::string text(std::size_t indent = 0, std::size_t width = line_width) const;
    // Every row is one line. With 0 columns it may be of any length: for people who search with grep. For a
    // terminal with this many columns, cells below the headers `prose` are shortened. All other cells are
    // names and numbers, which stay whole: if they do not fit, the columns move together, and then lines
    // become longer than the terminal.
    std::string lines(std::size_t columns = 0, const std::vector<std::string>& prose = {}) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// Breaks a text into lines of at most `width` characters, without the last newline.
std::string wrapped(const std::string& text, std::size_t width = line_width);

// At most `columns` characters; the last one is … if there were more.
std::string shortened(const std::string& text, std::size_t columns);

// 1402298 -> 1,402,298
std::string with_commas(unsigned long long number);

}  // namespace allot::cli
