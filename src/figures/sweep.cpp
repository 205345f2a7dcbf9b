#include "figures/sweep.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <regex>
#include <set>

namespace allot::figures {

namespace {

constexpr std::size_t most_values = 100;

// --- Values.

bool has_commas_itself(const std::string& name, const std::string& text) {
    static const std::set<std::string> lists{"bounds",   "campers", "corrupt-at", "crash", "demand",
                                             "improve",  "initial", "join",       "leave", "property",
                                             "requests", "restart", "wants",      "with",  "without"};
    return lists.contains(name) || text.starts_with("edges:") || text.starts_with("parents:");
}

std::optional<std::uint32_t> number_of(const std::string& text) {
    std::uint32_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// How the user wrote it. The protocol is the one parameter without a flag.
std::string written(const std::string& name, const std::string& text) {
    return name == "protocol" ? text : fmt::format("--{} {}", name, text);
}

Error too_many(const std::string& name, const std::string& text) {
    return Error{fmt::format("{}: write at most {} values", written(name, text), most_values)};
}

// Adds the numbers of a range, or the item itself if it is none.
std::optional<Error> add_item(std::vector<std::string>& values, const std::string& name,
                              const std::string& item) {
    static const std::regex range(R"((\d{1,9})\.\.(\d{1,9})(?:([+*])(\d{1,9}))?)");
    static const std::regex almost_range(R"([\d+*.]*\.\.[\d+*.]*)");
    const auto wrong_range = [&] {
        return Error{fmt::format("{}: write a range that ascends, as in 1..8, 0..20+5 or 1..16*2",
                                 written(name, item))};
    };
    std::smatch part;
    if (!std::regex_match(item, part, range)) {
        if (std::regex_match(item, almost_range)) return wrong_range();
        values.push_back(item);
        return std::nullopt;
    }
    const std::uint64_t last = std::stoull(part[2]);
    const bool factor = part[3] == "*";
    const std::uint64_t step = part[4].matched ? std::stoull(part[4]) : 1;
    std::uint64_t number = std::stoull(part[1]);
    if (number >= last || step == 0 || (factor && (step == 1 || number == 0))) return wrong_range();
    for (; number <= last; number = factor ? number * step : number + step) {
        values.push_back(std::to_string(number));
        if (values.size() > most_values) return too_many(name, item);
    }
    return std::nullopt;
}

// --- Axes.

Axis axis_of(const std::string& name, std::vector<std::string> values) {
    Axis axis{name, std::move(values)};
    axis.numeric =
        std::ranges::all_of(axis.values, [](const auto& text) { return number_of(text).has_value(); });
    if (axis.numeric) std::ranges::sort(axis.values, {}, number_of);
    return axis;
}

// Values that grow by factors.
bool geometric(const std::vector<std::uint32_t>& xs) {
    if (xs.size() < 3 || xs.front() == 0) return false;
    const auto grows_little = [](double before, double after) { return after < 1.9 * before; };
    return std::ranges::adjacent_find(xs, grows_little) == xs.end();
}

void set_x_axis(Figure& figure, const Axis& axis) {
    figure.x_label = axis.name;
    for (std::uint32_t place = 0; place < axis.values.size(); ++place)
        figure.xs.push_back(axis.numeric ? *number_of(axis.values[place]) : place);
    if (axis.numeric && geometric(figure.xs)) figure.x_scale = Scale::logarithmic;
    if (axis.numeric) return;
    figure.x_names = axis.values;
    // Times have an order, and words have none.
    figure.categories = !std::ranges::all_of(
        axis.values, [](const std::string& text) { return text.front() >= '0' && text.front() <= '9'; });
}

// --- Panels.

// The first ones are drawn.
constexpr std::size_t drawn_panels = 4;
std::vector<Panel> panels() {
    const auto number = [](auto of) {
        return [of](const sim::Figures& run, std::uint32_t) { return of(run); };
    };
    return {
        {"use rate", number([](const sim::Figures& run) { return run.use_rate; })},
        {"waiting, mean (ms)", number([](const sim::Figures& run) { return run.waiting_ms.mean; })},
        {"grants per second", number([](const sim::Figures& run) { return run.grants_per_second; })},
        {"messages per grant", number([](const sim::Figures& run) { return run.messages_per_grant; })},
        {"waiting, 99 % (ms)", number([](const sim::Figures& run) { return run.waiting_ms.p99; })},
    };
}

std::string curve_name(const Sweep& sweep, std::size_t curve) {
    if (!sweep.curves) return "";
    const std::string& value = sweep.curves->values[curve];
    return sweep.curves->name == "protocol" ? value : sweep.curves->name + " " + value;
}

}  // namespace

Result<std::vector<std::string>> values_of(const std::string& name, const std::string& text) {
    const auto items = has_commas_itself(name, text) ? std::vector{text} : split_list(text);
    std::vector<std::string> values;
    for (const std::string& item : items) {
        if (item.empty() && items.size() > 1)
            return Error{fmt::format("{}: write a value before and after each comma", written(name, text))};
        if (auto error = add_item(values, name, item)) return std::move(*error);
    }
    if (values.size() > most_values) return too_many(name, text);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::count(values.begin(), values.end(), values[i]) > 1)
            return Error{fmt::format("{}: {} is there twice; write it once", written(name, text), values[i])};
    return values;
}

Result<std::optional<Sweep>> sweep_of(const Parameters& given) {
    std::vector<Axis> axes;
    std::vector<std::string> names;
    for (const auto& [name, text] : given) {
        auto values = values_of(name, text);
        if (!values) return Error{values.error()};
        if (values->size() < 2) continue;
        names.push_back(name == "protocol" ? name : "--" + name);
        axes.push_back(axis_of(name, std::move(*values)));
    }
    if (axes.empty()) return std::optional<Sweep>();
    if (axes.size() > 2)
        return Error{enumerated(names) +
                     ": at most two may have several values; choose one value for the rest"};
    std::ranges::stable_sort(axes, std::ranges::greater(),
                             [](const Axis& axis) { return std::pair(axis.numeric, axis.values.size()); });
    Sweep sweep{std::move(axes.front()), std::nullopt};
    if (axes.size() > 1) sweep.curves = std::move(axes.back());
    return std::optional(std::move(sweep));
}

Parameters parameters_at(const Sweep& sweep, Parameters given, std::size_t curve, std::size_t x) {
    given[sweep.x.name] = sweep.x.values[x];
    if (sweep.curves) given[sweep.curves->name] = sweep.curves->values[curve];
    return given;
}

Figure figure_of(const Sweep& sweep, const std::string& title,
                 const std::vector<std::vector<Point>>& points) {
    Figure figure;
    figure.name = "sweep";
    figure.title = title;
    set_x_axis(figure, sweep.x);
    figure.y_scale = Scale::automatic;
    figure.panels = panels();
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel)
        for (std::size_t curve = 0; curve < sweep.curve_count(); ++curve) {
            const auto at = [xs = figure.xs, along = points[curve]](std::uint32_t x) {
                return along[static_cast<std::size_t>(std::ranges::find(xs, x) - xs.begin())];
            };
            figure.series.push_back({curve_name(sweep, curve), panel, at});
        }
    return figure;
}

Figure picture_of(Figure sweep) {
    sweep.panels.resize(drawn_panels);
    std::erase_if(sweep.series, [](const Series& series) { return series.panel >= drawn_panels; });
    return sweep;
}

}  // namespace allot::figures
