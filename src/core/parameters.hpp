// Named parameters as people write them: `--sites 3` on the command line, `sites=3` in a scenario. A
// protocol's Config is filled by member name, so a parameter exists because a member does.
#pragma once

#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/graph.hpp"
#include "core/reflect.hpp"

namespace allot {

using Parameters = std::map<std::string, std::string>;

// A member `max_request` is written `max-request`.
std::string spelled(std::string_view member);

// Each reads one value; the error names the parameter, the value and what is allowed.
Result<std::uint64_t> parse_number(std::string_view name, std::string_view text, std::uint64_t low,
                                   std::uint64_t high);
Result<bool> parse_switch(std::string_view name, std::string_view text);
std::string listed(const std::vector<std::string>& names);   // a, b or c
std::vector<std::string> split_list(std::string_view text);  // a,b,c

namespace detail {

// A described struct is no parameter, unless it says how it is written.
template <class T>
concept IsParameter = !reflect::Struct<T> || requires(const T& value) {
    { T::parse(std::string_view(), std::string_view()) } -> std::same_as<Result<T>>;
    { value.text() } -> std::convertible_to<std::string>;
};

template <class T>
std::optional<std::string> parse_into(T& target, std::string_view name, std::string_view text) {
    if constexpr (reflect::Bool<T>) {
        auto value = parse_switch(name, text);
        if (!value) return value.error();
        target = *value;
    } else if constexpr (reflect::Integer<T>) {
        // What is too little only the whole configuration says; the default never is.
        auto value = parse_number(name, text, 0, std::numeric_limits<T>::max());
        if (!value)
            return "--" + std::string(name) + " " + std::string(text) + ": write a whole number up to " +
                   std::to_string(std::numeric_limits<T>::max()) + ", as in " + std::to_string(target);
        target = static_cast<T>(*value);
    } else if constexpr (reflect::DescribedEnum<T>) {
        std::vector<std::string> names;
        for (const T value : enum_values<T>()) {
            names.push_back(spelled(enum_name(value)));
            if (names.back() != text) continue;
            target = value;
            return std::nullopt;
        }
        return "--" + std::string(name) + " " + std::string(text) + ": write " + listed(names);
    } else {
        auto value = T::parse(name, text);
        if (!value) return value.error();
        target = std::move(*value);
    }
    return std::nullopt;
}

}  // namespace detail

struct ParameterInfo {
    std::string name;
    std::string fallback;
};
struct RepairInfo {
    std::string name;
    bool on = true;
};

// The parameters of a Config with their defaults, in the order of its members.
template <class Config>
std::vector<ParameterInfo> parameters_of();
// The repairs of a Config: members of its Repairs. They are on by default, and off where a protocol is the
// published one.
template <class Config>
std::vector<RepairInfo> repairs_of();

// Takes what Config knows out of `given`; there `with` and `without` name repairs to switch on and off, or
// say `all`. What is named by both is off: all but one is `with=all without=NAME`. What follows from the
// parameters and is no parameter itself, a Config fills in with a function `derive()`.
template <class Config>
Result<Config> take_config(Parameters& given);

template <class T>
std::string parameter_text(const T& value) {
    if constexpr (reflect::Bool<T>)
        return value ? "on" : "off";
    else if constexpr (reflect::Integer<T>)
        return std::to_string(value);
    else if constexpr (reflect::DescribedEnum<T>)
        return spelled(enum_name(value));
    else
        return value.text();
}

template <class Config>
std::vector<ParameterInfo> parameters_of() {
    std::vector<ParameterInfo> list;
    Config config;
    for_each_member(config, [&](std::string_view name, const auto& member) {
        if constexpr (detail::IsParameter<std::remove_cvref_t<decltype(member)>>)
            list.push_back({spelled(name), parameter_text(member)});
    });
    return list;
}

template <class Config>
std::vector<RepairInfo> repairs_of() {
    std::vector<RepairInfo> list;
    if constexpr (requires { typename Config::Repairs; }) {
        typename Config::Repairs repairs;
        for_each_member(repairs, [&](std::string_view name, const bool& on) {
            list.push_back({spelled(name), on});
        });
    }
    return list;
}

namespace detail {

template <class Config>
std::optional<std::string> switch_repairs(Config& config, std::string_view flag, std::string_view names,
                                          bool on) {
    for (const std::string& repair : split_list(names)) {
        bool known = false;
        if constexpr (requires { typename Config::Repairs; })
            for_each_member(config.repairs, [&](std::string_view name, bool& value) {
                if (repair != "all" && spelled(name) != repair) return;
                known = true;
                value = on;
            });
        if (known) continue;
        std::vector<std::string> all;
        for (const RepairInfo& info : repairs_of<Config>()) all.push_back(info.name);
        return "--" + std::string(flag) + " " + repair + ": " +
               (all.empty() ? "this protocol has no repairs" : "write all, or repairs of " + listed(all));
    }
    return std::nullopt;
}

}  // namespace detail

template <class Config>
Result<Config> take_config(Parameters& given) {
    Config config;
    std::optional<std::string> wrong;
    for_each_member(config, [&](std::string_view name, auto& member) {
        if constexpr (detail::IsParameter<std::remove_cvref_t<decltype(member)>>) {
            const auto place = given.find(spelled(name));
            if (wrong || place == given.end()) return;
            wrong = detail::parse_into(member, place->first, place->second);
            given.erase(place);
        }
    });
    for (const auto& [flag, on] : {std::pair("with", true), std::pair("without", false)})
        if (const auto place = given.find(flag); place != given.end() && !wrong) {
            wrong = detail::switch_repairs(config, flag, place->second, on);
            given.erase(place);
        }
    if (wrong) return Error{*wrong};
    if constexpr (requires { config.derive(); }) config.derive();
    return config;
}

}  // namespace allot
