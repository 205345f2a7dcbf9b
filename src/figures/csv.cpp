#include <fmt/format.h>
#include <fmt/ostream.h>

#include "figures/files.hpp"

namespace allot::figures {

namespace {

std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

}  // namespace

void write_csv(std::ostream& out, const Figure& figure, const Data& data) {
    out << field(figure.x_label);
    for (const Series& series : figure.series)
        for (const char* column : {"minimum", "mean", "half width", "maximum"})
            out << ',' << field(fmt::format("{} {}", full_name(figure, series), column));
    out << '\n';
    for (std::size_t place = 0; place < figure.xs.size(); ++place) {
        out << field(x_text(figure, place));
        for (const auto& cells : data.cells) {
            const Cell& cell = cells[place];
            fmt::print(out, ",{:.6g},{:.6g},{:.6g},{:.6g}", cell.minimum, cell.mean, cell.half_width,
                       cell.maximum);
        }
        out << '\n';
    }
}

}  // namespace allot::figures
