// Meaning: what a parameter or a repair does, in one line for --help. A struct of parameters keeps a table of
// them beside its members; entry_of (world/entry_of.hpp) does not compile where one is missing.
//
//     struct Config {
//         std::uint32_t sites = 3;
//         bool eager = false;
//         static constexpr Meaning meanings[]{meaning::sites, {"eager", "a site asks before it needs to"}};
//         BOOST_DESCRIBE_CLASS(Config, (), (sites, eager), (), ())
//     };
#pragma once

#include <span>
#include <string_view>

namespace allot {

struct Meaning {
    std::string_view name;  // of the member
    std::string_view text;
};

// The meaning of a member in a table; empty if the table lacks it.
constexpr std::string_view meaning_in(std::span<const Meaning> table, std::string_view member) {
    for (const Meaning& one : table)
        if (one.name == member) return one.text;
    return {};
}

// Parameters that most protocols have.
namespace meaning {

inline constexpr Meaning sites{"sites", "number of sites"};

}  // namespace meaning

}  // namespace allot
