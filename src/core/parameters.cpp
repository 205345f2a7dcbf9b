#include "core/parameters.hpp"

#include <algorithm>

namespace allot {

std::string spelled(std::string_view member) {
    std::string name(member);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

Result<std::uint64_t> parse_number(std::string_view name, std::string_view text, std::uint64_t low,
                                   std::uint64_t high) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure == std::errc{} && end == text.data() + text.size() && value >= low && value <= high)
        return value;
    return Error{"--" + std::string(name) + " " + std::string(text) + ": write a whole number from " +
                 std::to_string(low) + " to " + std::to_string(high)};
}

Result<bool> parse_switch(std::string_view name, std::string_view text) {
    if (text == "on" || text == "true" || text == "1") return true;
    if (text == "off" || text == "false" || text == "0") return false;
    return Error{"--" + std::string(name) + " " + std::string(text) + ": write on or off"};
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
        text += names[i];
    }
    return text;
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> items;
    while (true) {
        const auto comma = text.find(',');
        items.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return items;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace allot
