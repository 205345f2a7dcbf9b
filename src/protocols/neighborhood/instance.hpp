// An instance of the neighbourhood problem: the graph, how many sites of each neighbourhood may be in
// service, and which are at the start. A neighbourhood is a site with all its neighbours.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/graph.hpp"
#include "core/types.hpp"

namespace allot::neighborhood {

// The paper that poses the problem.
inline constexpr std::string_view paper =
    "Kamei and Kakugawa: An Asynchronous Message-Passing Distributed Algorithm for the Generalized Local "
    "Critical Section Problem";

// By site: true if it is in service.
using Configuration = std::vector<bool>;
// Neighbours in ascending order, the site itself among them.
using Closed = std::vector<std::vector<SiteId>>;

// At least `low` and at most `high` of a neighbourhood are in service.
struct Range {
    std::uint32_t low = 0;   // l
    std::uint32_t high = 0;  // k
    bool contains(std::uint32_t count) const { return low <= count && count <= high; }
    bool operator==(const Range&) const = default;
};

// Written `1,4` for all sites, `1,*` up to the whole neighbourhood, or one pair per site: `0,1;1,2;0,*`.
class Bounds {
public:
    static Result<Bounds> parse(std::string_view name, std::string_view text);
    // Those of a protocol, for runs where nobody writes any.
    static Bounds by_default(std::string_view text);
    bool are_default() const { return default_; }
    const std::string& text() const { return text_; }
    // One, or one per site.
    std::size_t size() const { return pairs_.size(); }
    Range of(SiteId site, std::uint32_t neighbourhood) const;

private:
    struct Pair {
        std::uint32_t low = 0;
        std::optional<std::uint32_t> high;  // nothing: the whole neighbourhood
    };
    static std::optional<Pair> pair(std::string_view text);

    std::string text_ = "0,*";
    std::vector<Pair> pairs_{Pair{}};
    bool default_ = false;
    BOOST_DESCRIBE_CLASS(Bounds, (), (), (), (text_))
};

// The sites in service at the start: `Ioo` (in, out, out), one letter for all sites, or `any` safe
// configuration.
class Initial {
public:
    static Result<Initial> parse(std::string_view name, std::string_view text);
    const std::string& text() const { return text_; }
    bool any() const { return text_ == "any"; }
    // One, or one per site.
    std::size_t size() const { return text_.size(); }
    bool in(SiteId site) const { return text_[text_.size() == 1 ? 0u : std::uint32_t{site}] == 'I'; }

private:
    std::string text_ = "any";
    BOOST_DESCRIBE_CLASS(Initial, (), (), (), (text_))
};

std::uint32_t count_in(const std::vector<SiteId>& neighbourhood, const Configuration& in);
// The first site whose neighbourhood has too few or too many in service.
std::optional<SiteId> first_unsafe(const Closed& closed, const std::vector<Range>& ranges,
                                   const Configuration& in);
enum class Prospect : std::uint8_t { yes, never, unknown };
BOOST_DESCRIBE_ENUM(Prospect, yes, never, unknown)

// For one site: whether it can ever turn round, and why (not), in one line.
struct Outlook {
    Prospect prospect = Prospect::unknown;
    std::string reason;
};

// Whether to run an instance in which some sites can never turn round.
enum class Infeasible : std::uint8_t { refuse, allow };
BOOST_DESCRIBE_ENUM(Infeasible, refuse, allow)

// Effort of the search for such sites before a run; an undecided site does not stop the run but is reported.
constexpr std::uint64_t effort_before_a_run = 200'000;

// Shared by the configurations of all protocols of this problem. The graph fixes the number of sites, so
// there is no parameter for it.
struct Neighborhood {
    Graph graph;
    Bounds bounds;
    Initial initial;
    Infeasible infeasible = Infeasible::refuse;
    std::uint32_t founders = 0;

    // Derived (see `derive` in core/parameters.hpp): closed neighbourhoods, their bounds, and the sites in
    // service at the start.
    std::uint32_t sites = 0;
    Closed closed;
    std::vector<Range> ranges;
    Configuration starts_in;  // empty: none was found
    bool no_start = false;    // there is none
    // Which sites can ever turn round, as far as a short search decides (feasibility.hpp). Empty: there is no
    // start.
    std::vector<Outlook> prospects;

    void derive();
    // For protocols whose start must keep to narrower ranges than the run.
    void derive(const std::vector<Range>& start_ranges);

    std::uint32_t size(SiteId site) const { return static_cast<std::uint32_t>(closed[site].size()); }

    // The same after a longer search, if there is a start.
    std::vector<Outlook> outlook(std::uint64_t effort) const;

    static constexpr Meaning meanings[]{
        {"graph",
         "the neighbours of each site: path:3, cycle:5, grid:10x10, complete:4, edges:0-1,1-2 and others"},
        {"bounds", "bounds on the sites in service in a neighbourhood: 1,4 or 1,* or 0,1;1,2;0,2 (per site)"},
        {"initial", "the sites in service at the start: Ioo (in, out, out), or any safe configuration"},
        {"infeasible", "refuse or allow instances in which some sites can never turn round"},
        {"founders", "number of sites from the start on; it must be all sites; 0: all sites"},
    };
    BOOST_DESCRIBE_CLASS(Neighborhood, (), (graph, bounds, initial, infeasible, founders), (), ())
};

// The error in graph, bounds or start as written, in one line.
std::optional<std::string> ill_written(const Neighborhood& instance);
// The error if no safe start was found.
std::optional<std::string> startless(const Neighborhood& instance);
// Either of them.
std::optional<std::string> instance_error(const Neighborhood& instance);
// For a well-formed instance: the sites that can never turn round, and why, unless that is allowed. No site
// shall wait in vain.
std::optional<std::string> hopeless(const Neighborhood& instance);
// A hint for an error if the user wrote the graph but the bounds are the default's.
std::string default_bounds_note(const Neighborhood& instance, const Neighborhood& by_default);
// The number of sites of which it is not known before the run whether they can ever turn round, in one line.
std::optional<std::string> uncertain(const Neighborhood& instance);

}  // namespace allot::neighborhood
