#include "cli/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace allot::cli {

namespace {

std::string fence_variable(const std::string& name) {
    std::string variable = "ALLOT_FENCE_";
    for (const char letter : name) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9');
        variable += plain ? letter : '_';
    }
    return variable;
}

// As a shell reads it.
std::string quoted(const std::string& word) {
    if (!word.empty() && word.find_first_of(" \t\n\\'\"") == std::string::npos) return word;
    std::string text = "'";
    for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

}  // namespace

Environment environment_of(const std::vector<client::Held>& held) {
    Environment environment;
    std::vector<std::string> all;
    for (const client::Held& one : held) {
        const std::string fence = std::to_string(one.fence);
        const auto [entry, fresh] = environment.emplace(fence_variable(one.name), fence);
        // Two names with the same variable would hide one fence behind the other.
        if (!fresh) entry->second.reset();
        all.push_back(one.name + "=" + fence);
    }
    environment["ALLOT_HELD"] = fmt::format("{}", fmt::join(all, ","));
    environment["ALLOT_FENCE"].reset();
    if (held.size() == 1) environment["ALLOT_FENCE"] = std::to_string(held.front().fence);
    return environment;
}

std::string command_text(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words) all.push_back(quoted(word));
    return fmt::format("{}", fmt::join(all, " "));
}

}  // namespace allot::cli
