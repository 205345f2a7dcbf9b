// Named parameters as people write them: `--sites 3` on the command line, `sites=3` in a scenario. A
// protocol's Config is filled by member name, so a parameter exists because a member does.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/type_of.hpp"

namespace allot {

using Parameters = std::map<std::string, std::string>;

// A member `max_request` is written `max-request`.
std::string spelled(std::string_view member);

// Each reads one value; the error names the parameter, the value and what is allowed.
Result<std::uint64_t> parse_number(std::string_view name, std::string_view text, std::uint64_t low,
                                   std::uint64_t high);
Result<bool> parse_switch(std::string_view name, std::string_view text);
std::string listed(std::span<const std::string> names);                            // a, b or c
std::string enumerated(std::span<const std::string> names);                        // a, b and c
std::vector<std::string> split_list(std::string_view text, char separator = ',');  // a,b,c
// The error of a list in which an item is empty or stands twice.
std::optional<std::string> list_error(std::string_view name, std::string_view text);

struct ParameterInfo {
    std::string name;
    std::string fallback;
    std::string meaning;
};
struct RepairInfo {
    std::string name;
    bool on = true;
    std::string meaning;
};

// A parameter is a member that is a bool, a number, an enum or a struct written as one word (Type::parse). A
// member that is any other struct holds repairs, which are bools. Repairs are on by default, and off where a
// protocol is the published one.
constexpr bool is_parameter(const Type& type) {
    return type.form != Form::structure || type.parse != nullptr;
}
std::vector<ParameterInfo> parameters_of(const Type& config, const void* defaults);
std::vector<RepairInfo> repairs_of(const Type& config, const void* defaults);
// Whether each parameter and each repair has a meaning.
constexpr bool explains_everything(const Type& config) {
    return std::ranges::all_of(config.parts, [](const Part& part) {
        return is_parameter(*part.type) ? !part.meaning.empty() : explains_everything(*part.type);
    });
}
std::string parameter_text(const Type& type, const void* value);
// Each reads text into a value and returns what was wrong, if something was.
std::optional<std::string> parse_parameter(const Type& type, void* value, std::string_view name,
                                           std::string_view text);

// Takes what the configuration knows out of `given`; there `with` and `without` name repairs to switch on and
// off, or say `all`: all but one is `with=all without=NAME`.
std::optional<std::string> take_parameters(const Type& config, void* value, Parameters& given);

template <class T>
std::string parameter_text(const T& value) {
    return parameter_text(type_of<T>, &value);
}
template <class T>
std::optional<std::string> parse_parameter(T& target, std::string_view name, std::string_view text) {
    return parse_parameter(type_of<T>, &target, name, text);
}
template <class Config>
std::vector<ParameterInfo> parameters_of() {
    const Config defaults;
    return parameters_of(type_of<Config>, &defaults);
}
template <class Config>
Result<Config> take_config(Parameters& given) {
    Config config;
    if (auto error = take_parameters(type_of<Config>, &config, given)) return Error{std::move(*error)};
    return config;
}

}  // namespace allot
