#include "protocols/agreement/seats.hpp"

#include "core/parameters.hpp"

namespace allot::seats {

namespace {

constexpr std::uint64_t most_counted = 1'000'000;

std::string joined(const Counts& counts, std::uint32_t any) {
    std::string list;
    for (const std::uint32_t count : counts.counts)
        list += (list.empty() ? "" : ",") + (count == any ? "any" : std::to_string(count));
    return list;
}

}  // namespace

Result<Counts> Counts::parse(std::string_view name, std::string_view text) {
    Counts counts{{}};
    for (const std::string& word : split_list(text)) {
        const auto number = parse_number(name, word, 0, most_counted);
        if (!number)
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write a number, or some with commas as in 2,1,0"};
        counts.counts.push_back(static_cast<std::uint32_t>(*number));
    }
    return counts;
}

std::string Counts::text() const {
    return joined(*this, Requests::any_number);
}

Result<Requests> Requests::parse(std::string_view name, std::string_view text) {
    Requests requests{{{}}};
    for (const std::string& word : split_list(text)) {
        const auto number = parse_number(name, word, 0, most_counted);
        if (word != "any" && !number)
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write a number or any, or some with commas as in 2,any,0"};
        requests.counts.counts.push_back(word == "any" ? any_number : static_cast<std::uint32_t>(*number));
    }
    return requests;
}

std::string Requests::text() const {
    return joined(counts, any_number);
}

}  // namespace allot::seats
