#include "core/graph.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/stop.hpp"
#include "core/random.hpp"

namespace allot {

namespace {

using Edges = std::set<std::pair<SiteId, SiteId>>;

constexpr std::uint32_t most_sites = 1'000'000;
constexpr std::uint64_t most_edges = 4'000'000;

void join(Edges& edges, SiteId a, SiteId b) {
    stop::poll();
    if (a != b) edges.insert(std::minmax(a, b));
}

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

// Two numbers with a separator between them, as in 10x10 and 0-1.
std::optional<std::pair<std::uint64_t, std::uint64_t>> two_numbers(std::string_view text, char separator) {
    const auto parts = split(text, separator);
    if (parts.size() != 2) return std::nullopt;
    const auto first = number(parts[0]);
    const auto second = number(parts[1]);
    if (!first || !second) return std::nullopt;
    return std::pair(*first, *second);
}

struct Drawing {
    std::uint64_t sites = 0;
    Edges edges;
};

std::optional<Drawing> regular(std::string_view shape, std::uint64_t n) {
    const std::uint64_t least = shape == "cycle" ? 3 : 1;
    if (n < least || n > most_sites) return std::nullopt;
    const auto sites = static_cast<SiteId>(n);
    Drawing drawing{n, {}};
    for (SiteId i = 0; i < sites; ++i) {
        if (shape == "path" && i > 0) join(drawing.edges, i - 1, i);
        if (shape == "cycle") join(drawing.edges, i, (i + 1) % sites);
        if (shape == "star") join(drawing.edges, 0, i);
        if (shape == "complete")
            for (SiteId j = 0; j < i; ++j) join(drawing.edges, j, i);
    }
    return drawing;
}

std::optional<Drawing> grid(std::string_view text) {
    const auto size = two_numbers(text, 'x');
    if (!size || size->first < 1 || size->second < 1 || size->first * size->second > most_sites)
        return std::nullopt;
    const auto columns = static_cast<SiteId>(size->second);
    Drawing drawing{size->first * size->second, {}};
    for (SiteId i = 0; i < drawing.sites; ++i) {
        if (i % columns != 0) join(drawing.edges, i - 1, i);
        if (i >= columns) join(drawing.edges, i - columns, i);
    }
    return drawing;
}

// A random tree keeps it connected; further random edges bring the mean degree up.
std::optional<Drawing> random(std::string_view text) {
    const auto parts = split(text, ':');
    if (parts.size() != 3) return std::nullopt;
    const auto n = number(parts[0]);
    const auto degree = number(parts[1]);
    const auto seed = number(parts[2]);
    if (!n || !degree || !seed || *n < 2 || *n > most_sites || *degree < 2 || *degree >= *n)
        return std::nullopt;
    Random draw(*seed);
    Drawing drawing{*n, {}};
    for (SiteId i = 1; i < *n; ++i) join(drawing.edges, i, static_cast<SiteId>(draw(i)));
    while (drawing.edges.size() * 2 < *n * *degree)
        join(drawing.edges, static_cast<SiteId>(draw(*n)), static_cast<SiteId>(draw(*n)));
    return drawing;
}

std::optional<Drawing> listed_edges(std::string_view text) {
    Drawing drawing;
    for (const std::string_view edge : split(text, ',')) {
        const auto ends = two_numbers(edge, '-');
        if (!ends || ends->first == ends->second || std::max(ends->first, ends->second) >= most_sites)
            return std::nullopt;
        join(drawing.edges, static_cast<SiteId>(ends->first), static_cast<SiteId>(ends->second));
        drawing.sites = std::max({drawing.sites, ends->first + 1, ends->second + 1});
    }
    return drawing;
}

std::optional<Drawing> draw(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view shape = text.substr(0, colon);
    const std::string_view rest = text.substr(colon + 1);
    if (shape == "grid") return grid(rest);
    if (shape == "random") return random(rest);
    if (shape == "edges") return listed_edges(rest);
    const auto n = number(rest);
    const bool known = shape == "path" || shape == "cycle" || shape == "complete" || shape == "star";
    return known && n ? regular(shape, *n) : std::nullopt;
}

// Where so many are drawn that it would take too long, it is better to know before.
bool too_many_edges(std::string_view text) {
    const auto parts = split(text, ':');
    const auto sites = parts.size() < 2 ? std::nullopt : number(parts[1]);
    if (!sites || *sites > most_sites) return false;
    const auto degree = parts[0] == "complete"                      ? *sites - 1
                        : parts[0] == "random" && parts.size() == 4 ? number(parts[2]).value_or(0)
                                                                    : 0;
    return *sites * std::min(*sites, degree) / 2 > most_edges;
}

}  // namespace

Result<Graph> Graph::parse(std::string_view name, std::string_view text) {
    if (too_many_edges(text))
        return Error{"--" + std::string(name) + " " + std::string(text) + ": write a graph with at most " +
                     std::to_string(most_edges) + " edges"};
    const auto drawing = draw(text);
    if (!drawing)
        return Error{
            "--" + std::string(name) + " " + std::string(text) +
            ": write path:3, cycle:5 (3 or more), complete:5, star:4, grid:10x10, random:200:4:1 (sites, "
            "degree, seed) or edges:0-1,1-2, with at most " +
            std::to_string(most_sites) + " sites"};
    Graph graph;
    graph.shape = text;
    graph.neighbours.assign(drawing->sites, {});
    for (const auto& [a, b] : drawing->edges) {
        graph.neighbours[a].push_back(b);
        graph.neighbours[b].push_back(a);
    }
    for (auto& list : graph.neighbours) std::sort(list.begin(), list.end());
    return graph;
}

}  // namespace allot
