// What the tests of the protocols share: a check by name and flags.
#pragma once

#include <gtest/gtest.h>
#include <ostream>
#include <sstream>
#include <string>

#include "check/checker.hpp"
#include "registry/registry.hpp"

namespace allot::protocol_tests {

// `sites=3 resources=2` as a scenario's header has it.
inline Parameters parameters(const std::string& text) {
    Parameters given;
    std::istringstream words(text);
    for (std::string word; words >> word;)
        given[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    return given;
}

inline check::Result run(std::string_view protocol, const std::string& flags,
                         const check::Options& options = {}) {
    for (const world::Entry& entry : registry::protocols())
        if (entry.name == protocol) {
            auto machine = walk::make_machine(entry, parameters(flags));
            EXPECT_TRUE(machine) << (machine ? "" : machine.error());
            return check::check(**machine, options);
        }
    ADD_FAILURE() << "no protocol " << protocol;
    return {};
}

struct Pinned {
    const char* flags;
    std::uint64_t states;
    std::uint64_t transitions;
};

inline void PrintTo(const Pinned& pinned, std::ostream* out) {
    *out << pinned.flags;
}

// Five properties that every protocol has come to its own.
inline void expect_holds(std::string_view protocol, const Pinned& pinned, std::size_t own_properties) {
    const auto result = run(protocol, pinned.flags);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_TRUE(result.unchecked.empty());
    EXPECT_EQ(result.checked.size(), own_properties + 5);
    EXPECT_EQ(result.states, pinned.states);
    EXPECT_EQ(result.transitions, pinned.transitions);
    EXPECT_EQ(result.guesses, 0u);
}

}  // namespace allot::protocol_tests
