#include "core/parameters.hpp"

#include <algorithm>
#include <charconv>

#include "base/did_you_mean.hpp"

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

namespace {

std::string joined(std::span<const std::string> names, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? last : ", ";
        text += names[i];
    }
    return text;
}

}  // namespace

std::string listed(std::span<const std::string> names) {
    return joined(names, " or ");
}

std::string enumerated(std::span<const std::string> names) {
    return joined(names, " and ");
}

std::vector<std::string> split_list(std::string_view text, char separator) {
    std::vector<std::string> items;
    while (true) {
        const auto end = text.find(separator);
        items.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return items;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::string> list_error(std::string_view name, std::string_view text) {
    const std::vector<std::string> items = split_list(text);
    const std::string where = "--" + std::string(name) + " " + std::string(text) + ": ";
    for (const std::string& item : items) {
        if (item.empty()) return where + "write a value before and after each comma";
        if (std::ranges::count(items, item) > 1) return where + item + " is there twice; write it once";
    }
    return std::nullopt;
}

namespace {

std::optional<std::string> parse_enumerator(const Type& type, void* value, std::string_view name,
                                            std::string_view text) {
    std::vector<std::string> names;
    for (const Enumerator& one : type.enumerators) {
        names.push_back(spelled(one.name));
        if (names.back() != text) continue;
        type.set_number(value, one.number);
        return std::nullopt;
    }
    return "--" + std::string(name) + " " + std::string(text) + ": write " + listed(names) +
           did_you_mean(text, names);
}

// Calls f(part of a repair, its place) for each repair.
template <class F>
void for_each_repair(const Type& config, void* value, F&& f) {
    for (const Part& group : config.parts) {
        if (is_parameter(*group.type)) continue;
        void* const repairs = config.part_of(value, group);
        for (const Part& repair : group.type->parts)
            f(repair, *static_cast<bool*>(group.type->part_of(repairs, repair)));
    }
}

std::optional<std::string> switch_repairs(const Type& config, void* value, std::string_view flag,
                                          std::string_view names, bool on) {
    if (auto error = list_error(flag, names)) return error;
    const std::vector<std::string> list = split_list(names);
    if (list.size() > 1 && std::ranges::count(list, "all") > 0)
        return "--" + std::string(flag) + " " + std::string(names) +
               ": all names every repair; write it alone";
    for (const std::string& wanted : list) {
        bool known = false;
        std::vector<std::string> all;
        for_each_repair(config, value, [&](const Part& repair, bool& state) {
            all.push_back(spelled(repair.name));
            if (wanted != "all" && wanted != all.back()) return;
            known = true;
            state = on;
        });
        if (known) continue;
        return "--" + std::string(flag) + " " + wanted + ": " +
               (all.empty() ? "this protocol has no repairs"
                            : "write all, or repairs of " + listed(all) + did_you_mean(wanted, all));
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> parse_parameter(const Type& type, void* value, std::string_view name,
                                           std::string_view text) {
    if (type.parse != nullptr) return type.parse(value, name, text);
    if (!type.enumerators.empty()) return parse_enumerator(type, value, name, text);
    if (type.form == Form::boolean) {
        const auto on = parse_switch(name, text);
        if (!on) return on.error();
        type.set_number(value, *on ? 1 : 0);
        return std::nullopt;
    }
    // Only the whole configuration says what is too little; the default never is.
    const auto number = parse_number(name, text, 0, type.greatest);
    if (!number)
        return "--" + std::string(name) + " " + std::string(text) + ": write a whole number up to " +
               std::to_string(type.greatest) + ", as in " + std::to_string(type.number(value));
    type.set_number(value, *number);
    return std::nullopt;
}

std::string parameter_text(const Type& type, const void* value) {
    if (type.text != nullptr) return type.text(value);
    const std::uint64_t number = type.number(value);
    if (type.form == Form::boolean) return number != 0 ? "on" : "off";
    for (const Enumerator& one : type.enumerators)
        if (one.number == number) return spelled(one.name);
    return std::to_string(number);
}

std::vector<ParameterInfo> parameters_of(const Type& config, const void* defaults) {
    std::vector<ParameterInfo> list;
    for (const Part& part : config.parts) {
        if (!is_parameter(*part.type)) continue;
        list.push_back({spelled(part.name), parameter_text(*part.type, config.part_of(defaults, part)),
                        std::string(part.meaning)});
    }
    return list;
}

std::vector<RepairInfo> repairs_of(const Type& config, const void* defaults) {
    std::vector<RepairInfo> list;
    for_each_repair(config, const_cast<void*>(defaults), [&](const Part& repair, bool& on) {
        list.push_back({spelled(repair.name), on, std::string(repair.meaning)});
    });
    return list;
}

// Why the two lists of repairs make no sense together.
static std::optional<std::string> contradiction(const Parameters& given) {
    const auto with = given.find("with");
    const auto without = given.find("without");
    if (with == given.end() || without == given.end()) return std::nullopt;
    const auto off = split_list(without->second);
    for (const std::string& name : split_list(with->second))
        if (std::ranges::find(off, name) != off.end())
            return "--with " + name + ": --without names it, too; write one of the two flags";
    return std::nullopt;
}

std::optional<std::string> take_parameters(const Type& config, void* value, Parameters& given) {
    for (const Part& part : config.parts) {
        const auto place = given.find(spelled(part.name));
        if (place == given.end() || !is_parameter(*part.type)) continue;
        if (auto error =
                parse_parameter(*part.type, config.part_of(value, part), place->first, place->second))
            return error;
        given.erase(place);
    }
    if (auto error = contradiction(given)) return error;
    for (const auto& [flag, on] : {std::pair("with", true), std::pair("without", false)}) {
        const auto place = given.find(flag);
        if (place == given.end()) continue;
        if (auto error = switch_repairs(config, value, flag, place->second, on)) return error;
        given.erase(place);
    }
    return std::nullopt;
}

}  // namespace allot
