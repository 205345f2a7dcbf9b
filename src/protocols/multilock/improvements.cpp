#include "protocols/multilock/improvements.hpp"

#include "core/parameters.hpp"

namespace allot::counters {

const Improvements& Improvements::all() {
    static const Improvements every = [] {
        Improvements one_by_one;
        for (const Improvement one : enum_values<Improvement>()) one_by_one.insert(one);
        return one_by_one;
    }();
    return every;
}

Result<Improvements> Improvements::parse(std::string_view name, std::string_view text) {
    if (text == "all") return all();
    Improvements chosen;
    if (text == "none") return chosen;
    for (const std::string& word : split_list(text)) {
        const std::size_t before = chosen.size();
        for (const Improvement one : all())
            if (spelled(enum_name(one)) == word) chosen.insert(one);
        if (chosen.size() == before)
            return Error{"--" + std::string(name) + " " + std::string(text) + ": write all, none, or " +
                         "each once and with commas stop, single, lamport, home, early-loan or reask"};
    }
    return chosen;
}

std::string Improvements::text() const {
    if (empty()) return "none";
    if (size() == all().size()) return "all";
    std::string list;
    for (const Improvement one : *this) list += (list.empty() ? "" : ",") + spelled(enum_name(one));
    return list;
}

}  // namespace allot::counters
