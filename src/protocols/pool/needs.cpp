#include "protocols/pool/needs.hpp"

#include <algorithm>
#include <optional>

#include "core/parameters.hpp"

namespace allot::pool {

namespace {

// `0` alone stands for no request at all.
std::optional<Needs::Amounts> read_amounts(std::string_view text) {
    if (text == "0") return Needs::Amounts{};
    Needs::Amounts amounts;
    for (const std::string& word : split_list(text, '/')) {
        const auto units = parse_number("", word, 1, 0xFFFFFFFF);
        if (!units) return std::nullopt;
        amounts.push_back(static_cast<std::uint32_t>(*units));
    }
    std::ranges::sort(amounts);
    amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
    return amounts;
}

}  // namespace

Result<Needs> Needs::parse(std::string_view name, std::string_view text) {
    Needs needs;
    needs.text_ = text;
    if (text == "any") return needs;
    for (const std::string& site : split_list(text, ';')) {
        const auto amounts = read_amounts(site);
        if (!amounts)
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write any, or units as in 1/3 (0: it never asks), for each site after ;"};
        needs.choices_.push_back(*amounts);
    }
    return needs;
}

std::uint32_t Needs::largest() const {
    std::uint32_t most = 0;
    for (const Amounts& amounts : choices_)
        if (!amounts.empty()) most = std::max(most, amounts.back());
    return most;
}

}  // namespace allot::pool
