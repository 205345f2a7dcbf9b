// allot figures: repeats the papers' evaluations, as a table, CSV and SVG.

#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fmt/format.h>

#include "base/stop.hpp"
#include "base/whole_file.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/progress_line.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "figures/files.hpp"
#include "figures/measure.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

using figures::Data;
using figures::Figure;

struct FiguresFlags {
    std::vector<std::string> names;
    std::string out = "figures";
    std::string seeds = "5";
    bool json = false;
};

// --- The list.

void print_list() {
    Table table({"figure", "content and paper"});
    for (const Figure& figure : figures::all())
        table.add({figure.name, figure.shows + "; after " + figure.paper});
    fmt::print("{}\nOne of them: allot figures {}\n", table.text(), figures::all().front().name);
}

void print_list_json() {
    boost::json::array list;
    for (const Figure& figure : figures::all())
        list.push_back({{"name", figure.name}, {"paper", figure.paper}, {"shows", figure.shows}});
    fmt::print("{}\n", boost::json::serialize(list));
}

// --- One figure.

struct Product {
    const Figure* figure = nullptr;
    Data data;
    std::string csv_path;
    std::string svg_path;
    std::optional<std::string> no_picture;  // why there is none
};

Result<Data> measured(const Figure& figure, std::uint64_t seeds) {
    ProgressLine line;
    figures::Effort effort;
    effort.seeds = seeds;
    effort.on_progress = [&](std::size_t done, std::size_t points) {
        line.tell([&](double) {
            return fmt::format("{} {}: point {} of {}",
                               progress_bar(static_cast<double>(done) / static_cast<double>(points)),
                               figure.name, done, points);
        });
    };
    return figures::measure(figure, figures::simulator_of(registry::protocol), effort);
}

void print_for_people(const Product& product) {
    const Figure& figure = *product.figure;
    std::vector<std::string> header{figure.x_label};
    for (std::size_t place = 0; place < figure.xs.size(); ++place)
        header.push_back(figures::x_text(figure, place));
    Table table(std::move(header));
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        std::vector<std::string> row{figures::full_name(figure, figure.series[i])};
        for (const figures::Cell& cell : product.data.cells[i])
            row.push_back(fmt::format("{:.4g}", figures::drawn(figure, figure.series[i], cell)));
        table.add(std::move(row));
    }
    fmt::print("{}\n{}{}{}\n\n{}\n", figure.title, figure.y_label, figure.y_label.empty() ? "" : ", ",
               figures::seeds_text(figure, product.data.seeds), table.text());
    for (const std::string& note : figure.notes) fmt::print("{}\n", wrapped(note));
    fmt::print("\nnumbers: {}\n", product.csv_path);
    if (!product.no_picture) fmt::print("picture: {}\n", product.svg_path);
}

boost::json::value as_json(const Product& product) {
    const Figure& figure = *product.figure;
    boost::json::array all;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        boost::json::array minimum, mean, half_width, maximum;
        for (const figures::Cell& cell : product.data.cells[i]) {
            minimum.emplace_back(cell.minimum);
            mean.emplace_back(cell.mean);
            half_width.emplace_back(cell.half_width);
            maximum.emplace_back(cell.maximum);
        }
        all.push_back({{"name", figures::full_name(figure, figure.series[i])},
                       {"panel", figure.panels[figure.series[i].panel].title},
                       {"minimum", minimum},
                       {"mean", mean},
                       {"half_width", half_width},
                       {"maximum", maximum}});
    }
    boost::json::array notes(figure.notes.begin(), figure.notes.end());
    boost::json::array xs(figure.xs.begin(), figure.xs.end());
    boost::json::array x_texts;
    for (std::size_t place = 0; place < figure.xs.size(); ++place)
        x_texts.emplace_back(figures::x_text(figure, place));
    return {{"name", figure.name},
            {"paper", figure.paper},
            {"title", figure.title},
            {"seeds", product.data.seeds},
            {"x_label", figure.x_label},
            {"y_label", figure.y_label},
            {"x", xs},
            {"x_texts", x_texts},
            {"series", all},
            {"notes", notes},
            {"csv", product.csv_path},
            {"svg", product.no_picture ? boost::json::value(nullptr) : boost::json::value(product.svg_path)}};
}

// --- The command line.

struct FiguresJob {
    std::vector<const Figure*> figures;
    std::filesystem::path out;
    std::uint64_t seeds = 1;
};

Result<FiguresJob> prepare(const FiguresFlags& flags) {
    FiguresJob job;
    for (const std::string& name : flags.names) {
        const auto found = figures::find(name);
        if (!found) return Error{found.error()};
        job.figures.insert(job.figures.end(), found->begin(), found->end());
    }
    const auto seeds = parse_number("seeds", flags.seeds, 1, 1'000'000);
    if (!seeds) return Error{seeds.error()};
    job.seeds = *seeds;
    job.out = flags.out;
    std::error_code failure;
    std::filesystem::create_directories(job.out, failure);
    if (!std::filesystem::is_directory(job.out, failure))
        return Error{fmt::format("--out {}: cannot make this directory", flags.out)};
    return job;
}

// Numbers and picture change together. Without gnuplot there are only numbers, and an old picture would show
// other ones.
std::optional<std::string> write_files(Product& product, WholeFile& csv, WholeFile& svg) {
    figures::write_csv(csv.stream(), *product.figure, product.data);
    const auto picture = figures::draw_svg(*product.figure, product.data);
    if (!picture) return picture.error();
    if (*picture) {
        svg.stream() << **picture;
        return WholeFile::commit_both(csv, svg);
    }
    product.no_picture = figures::no_gnuplot;
    if (auto failure = csv.commit()) return failure;
    std::error_code ignored;
    std::filesystem::remove(product.svg_path, ignored);
    return std::nullopt;
}

// Opens the files before the runs, so that long runs do not end in vain.
int produce(const Figure& figure, const FiguresJob& job, Product& product) {
    product.figure = &figure;
    product.csv_path = (job.out / (figure.name + ".csv")).string();
    product.svg_path = (job.out / (figure.name + ".svg")).string();
    auto csv = WholeFile::open(product.csv_path);
    auto svg = WholeFile::open(product.svg_path);
    if (!csv || !svg)
        return wrong_usage(fmt::format("--out {}: cannot write a file there", job.out.string()));
    auto data = measured(figure, job.seeds);
    const stop::Unhurried while_files_are_written;
    if (!data) {
        failed((stop::due() ? "bounded: " : "") + data.error());
        return stop::due() ? exit_bounded : exit_no;
    }
    product.data = std::move(*data);
    const auto failure = write_files(product, *csv, *svg);
    if (!failure) return exit_ok;
    // Ctrl-C at a terminal ends gnuplot, too.
    if (!stop::due()) return failed(*failure);
    failed("bounded: " + stop::reason());
    return exit_bounded;
}

int run_figures(const FiguresFlags& flags) {
    if (flags.names.empty()) {
        (flags.json ? print_list_json : print_list)();
        return exit_ok;
    }
    stop::on_signals();
    const auto job = prepare(flags);
    if (!job) return wrong_usage(job.error());
    int code = exit_ok;
    boost::json::array reports;
    for (const Figure* figure : job->figures) {
        Product product;
        code = produce(*figure, *job, product);
        if (code == exit_usage) return code;
        if (code != exit_ok) break;
        if (flags.json)
            reports.push_back(as_json(product));
        else
            print_for_people(product);
        if (product.no_picture) print_error("no picture: " + *product.no_picture);
    }
    if (flags.json) fmt::print("{}\n", boost::json::serialize(reports));
    return code;
}

}  // namespace

void add_figures(CommandLine& line) {
    auto flags = std::make_shared<FiguresFlags>();
    Command& command = line.command("figures", "Repeat the papers' evaluations, as CSV and SVG");
    command.footer(
        "Examples:\n"
        "  allot figures\n"
        "  allot figures crashes --out figures\n"
        "  allot figures waiting --seeds 2     (waiting-by-load and waiting-by-size)\n"
        "Exit code: 0 all runs ended, even if gnuplot is missing and there is no picture; 1 a run violated a "
        "property; 2 wrong usage; 3 bounded (Ctrl-C).");
    const Argument names = command.option("name", flags->names, "Names of figures; without one, lists them");
    const auto text = [&](const char* name, std::string& target, const char* meaning) {
        command.option(name, target, meaning).needs(names);
    };
    text("--out", flags->out, "the directory for the files; default figures");
    text("--seeds", flags->seeds, "runs at every point, with seeds from 1 on; default 5");
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_figures(*flags); });
}

}  // namespace allot::cli
