#include "cli/table.hpp"

#include <gtest/gtest.h>

namespace allot::cli {
namespace {

TEST(Table, A_column_is_as_wide_as_its_widest_cell) {
    Table table({"site", "why"});
    table.add({"0", "it waits"});
    table.add({"10", ""});
    EXPECT_EQ(table.text(),
              "site  why\n"
              "----  --------\n"
              "0     it waits\n"
              "10\n");
}

TEST(Table, Prose_in_the_last_column_goes_on_below_itself) {
    Table table({"property", "meaning"});
    std::string words;
    for (int i = 0; i < 30; ++i) words += (i > 0 ? " " : "") + std::string("word");
    table.add({"short", "one word"});
    table.add({"long", words});
    const std::string text = table.text(2);
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); ++lines) {
        const std::size_t end = text.find('\n', at);
        EXPECT_LE(end - at, line_width) << text;
        at = end + 1;
    }
    EXPECT_EQ(lines, 5u) << text;
    EXPECT_NE(text.find("\n            word word"), std::string::npos) << text;
}

TEST(Table, A_last_column_of_short_cells_is_never_broken) {
    Table table({std::string(120, 'x'), "mean of 5 seeds"});
    table.add({"series", "12.5"});
    EXPECT_NE(table.text().find("mean of 5 seeds\n"), std::string::npos);
}

TEST(Table, On_a_terminal_prose_is_shortened_and_columns_stay_aligned) {
    Table table({"host", "note", "at"});
    table.add({"h1", "a majority of the voters must answer", "h2"});
    table.add({"h2", "\u00fcber", "h1"});
    EXPECT_EQ(table.lines(24, {"note"}),
              "host  note            at\n"
              "----  --------------  --\n"
              "h1    a majority of\u2026  h2\n"
              "h2    \u00fcber            h1\n");
    EXPECT_NE(table.lines().find("a majority of the voters must answer  h2\n"), std::string::npos);
    EXPECT_EQ(table.lines(), table.lines(200, {"note"}));
}

TEST(Table, Names_and_numbers_stay_whole_on_a_terminal_that_is_too_narrow) {
    Table table({"resource", "fence", "command"});
    table.add({"database1", "2199023255552", "./migrate"});
    EXPECT_EQ(table.lines(29, {"command"}),
              "resource  fence         comm\u2026\n"
              "--------- ------------- -----\n"
              "database1 2199023255552 ./mi\u2026\n");
    EXPECT_EQ(table.lines(10, {"command"}), table.lines(29, {"command"})) << "longer than the terminal";
}

TEST(Table, A_last_column_of_spaces_is_no_prose) {
    Table table({"host", "note"});
    table.add({"h1", std::string(50, ' ')});
    EXPECT_EQ(table.text(0, 40), "host  note\n----  ----\nh1\n");
}

}  // namespace
}  // namespace allot::cli
