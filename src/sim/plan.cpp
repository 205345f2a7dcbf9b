#include "sim/plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

namespace allot::sim {

namespace {

// The same limit as in `allot check`.
constexpr std::uint32_t most_noise = 1000;
std::optional<Schedule::Item> read_item(std::string_view text) {
    const auto at = text.find('@');
    if (at == std::string_view::npos) return std::nullopt;
    const auto site = world::parse_site(text.substr(0, at));
    const auto time = parse_time("", text.substr(at + 1));
    if (!site || !time) return std::nullopt;
    return Schedule::Item{*site, *time};
}

}  // namespace

Result<Schedule> Schedule::parse(std::string_view name, std::string_view text) {
    Schedule schedule;
    if (text == "none") return schedule;
    for (const std::string& word : split_list(text)) {
        const auto item = read_item(word);
        if (!item)
            return Error{
                fmt::format("--{} {}: write sites and times, as in 2@1s or 2@1s,5@300ms", name, text)};
        schedule.items.push_back(*item);
    }
    return schedule;
}

std::string Schedule::text() const {
    std::vector<std::string> words;
    for (const Item& item : items) words.push_back(fmt::format("{}@{}", item.site, time_text(item.at)));
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ","));
}

Result<TimeList> TimeList::parse(std::string_view name, std::string_view text) {
    TimeList list;
    if (text == "none") return list;
    for (const std::string& word : split_list(text)) {
        const auto time = parse_time(name, word);
        if (!time) return Error{fmt::format("--{} {}: write times, as in 1s or 1s,3s", name, text)};
        list.times.push_back(*time);
    }
    return list;
}

std::string TimeList::text() const {
    std::vector<std::string> words;
    for (const Time time : times) words.push_back(time_text(time));
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ","));
}

Result<DemandChoice> DemandChoice::parse(std::string_view name, std::string_view text) {
    DemandChoice choice;
    if (text == "any") return choice;
    Demand demand;
    if (const auto units = parse_number(name, text, 1, std::numeric_limits<std::uint32_t>::max())) {
        demand.units = static_cast<std::uint32_t>(*units);
    } else {
        for (const std::string& resource : split_list(text)) {
            if (resource.empty() || resource.front() == '-' || resource == "0")
                return Error{
                    fmt::format("--{} {}: write units, as in 3, resources, as in a,b, or any", name, text)};
            demand.resources.emplace_back(resource);
        }
        if (std::set(demand.resources.begin(), demand.resources.end()).size() < demand.resources.size())
            return Error{fmt::format("--{} {}: name each resource once, as in a,b", name, text)};
    }
    choice.fixed = std::move(demand);
    return choice;
}

std::string DemandChoice::text() const {
    if (!fixed) return "any";
    if (fixed->resources.empty()) return std::to_string(fixed->units);
    std::vector<std::string> names;
    for (const ResourceId resource : fixed->resources) names.push_back(resource.name());
    return fmt::format("{}", fmt::join(names, ","));
}

Result<GiveUp> GiveUp::parse(std::string_view name, std::string_view text) {
    if (text == "never") return GiveUp{};
    const auto after = Distribution::parse(name, text);
    if (!after) return Error{after.error() + ", or never"};
    return GiveUp{*after};
}

Result<OptionalTime> OptionalTime::parse(std::string_view name, std::string_view text) {
    if (text == "auto") return OptionalTime{};
    const auto time = parse_time(name, text);
    if (!time) return Error{time.error()};
    return OptionalTime{*time};
}

Result<OptionalCount> OptionalCount::parse(std::string_view name, std::string_view text) {
    if (text == "auto") return OptionalCount{};
    const auto count = parse_number(name, text, 0, std::numeric_limits<std::uint64_t>::max());
    if (!count) return Error{count.error()};
    return OptionalCount{*count};
}

namespace {

constexpr std::uint32_t millionths_per_percent = 10'000;
constexpr std::uint32_t most_drift_percent = 50;

std::optional<std::uint32_t> read_percentage(std::string_view text) {
    constexpr std::size_t most_decimals = 4;
    if (!text.ends_with('%')) return text == "0" ? std::optional(0u) : std::nullopt;
    text.remove_suffix(1);
    const auto point = std::min(text.find('.'), text.size());
    std::string decimals(text.substr(std::min(point + 1, text.size())));
    if (decimals.size() > most_decimals || (point < text.size() && decimals.empty())) return std::nullopt;
    decimals.resize(most_decimals, '0');
    const auto whole = parse_number("", text.substr(0, point), 0, most_drift_percent);
    const auto part = parse_number("", decimals, 0, millionths_per_percent - 1);
    if (!whole || !part) return std::nullopt;
    const auto sum = *whole * millionths_per_percent + *part;
    if (sum > most_drift_percent * millionths_per_percent) return std::nullopt;
    return static_cast<std::uint32_t>(sum);
}

}  // namespace

Result<Drift> Drift::parse(std::string_view name, std::string_view text) {
    if (const auto millionths = read_percentage(text)) return Drift{*millionths};
    return Error{fmt::format("--{} {}: write a percentage up to {}%, as in 1% or 0.05%", name, text,
                             most_drift_percent)};
}

std::string Drift::text() const {
    if (millionths == 0) return "0";
    std::string decimals = fmt::format("{:04}", millionths % millionths_per_percent);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    return fmt::format("{}{}{}%", millionths / millionths_per_percent, decimals.empty() ? "" : ".", decimals);
}

Result<Plan> take_plan(Parameters& given) {
    using Limit = std::pair<const char*, std::uint32_t>;
    for (const auto& [flag, most] :
         {Limit{"noise", most_noise}, Limit{"crash-inside", 100}, Limit{"crashes", world::most_faults},
          Limit{"cuts", world::most_faults}, Limit{"pauses", world::most_faults}})
        if (const auto text = given.find(flag); text != given.end())
            if (const auto number = parse_number(flag, text->second, 0, most); !number)
                return Error{number.error()};
    // `with` and `without` name repairs of the protocol; a plan has none.
    Parameters mine;
    for (const ParameterInfo& parameter : parameters_of<Plan>())
        if (const auto place = given.find(parameter.name); place != given.end())
            mine.insert(given.extract(place));
    return take_config<Plan>(mine);
}

namespace {

std::optional<std::string> times_error(const Plan& plan) {
    if (plan.time.value == 0) return "--time 0: write a time, as in 10s";
    if (plan.warm_up.value >= plan.time.value)
        return fmt::format("--warm-up {}: write less than --time {}", plan.warm_up.text(), plan.time.text());
    if (plan.tick.value == Time{0}) return "--tick 0: write a time, as in 1ms";
    if (plan.draws_faults() && plan.to() >= plan.time.value)
        return fmt::format("--crash-to {}: the run ends at --time {}; write an earlier time",
                           time_text(plan.to()), plan.time.text());
    if (plan.draws_faults() && plan.from() > plan.to())
        return fmt::format("--crash-from {}: write no more than --crash-to {}", time_text(plan.from()),
                           time_text(plan.to()));
    return std::nullopt;
}

std::optional<std::string> sites_error(const Plan& plan, std::uint32_t sites) {
    if (auto error = world::requests_error(plan.requests, sites)) return error;
    if (auto error = world::sites_error("campers", plan.campers, sites)) return error;
    if (auto error = world::anchor_error(plan.anchor, sites)) return error;
    return std::nullopt;
}

// A site restarts only after a crash.
bool may_be_down(const Plan& plan, const Schedule::Item& restart) {
    return plan.crashes > 0 || std::ranges::any_of(plan.crash.items, [&](const Schedule::Item& crash) {
               return crash.site == restart.site && crash.at <= restart.at;
           });
}

// The site that a schedule names again before something undoes the first time.
std::optional<SiteId> repeated_site(const Schedule& schedule, const Schedule& undone_by) {
    for (const Schedule::Item& first : schedule.items)
        for (const Schedule::Item& again : schedule.items) {
            const auto between = [&](const Schedule::Item& undoing) {
                return undoing.site == first.site && first.at <= undoing.at && undoing.at <= again.at;
            };
            const bool twice = &first != &again && first.site == again.site && first.at <= again.at;
            if (twice && std::ranges::none_of(undone_by.items, between)) return first.site;
        }
    return std::nullopt;
}

std::optional<std::string> repetition_error(const Plan& plan) {
    if (const auto site = repeated_site(plan.crash, plan.restart))
        return fmt::format("--crash {}: site {} is down already; write it once, or --restart it between",
                           plan.crash.text(), *site);
    if (const auto site = repeated_site(plan.join, {}))
        return fmt::format("--join {}: site {} is there twice; write it once", plan.join.text(), *site);
    return std::nullopt;
}

std::optional<std::string> schedules_error(const Plan& plan, std::uint32_t sites) {
    using Named = std::pair<const char*, const Schedule*>;
    for (const auto& [flag, schedule] :
         {Named{"crash", &plan.crash}, Named{"restart", &plan.restart}, Named{"leave", &plan.leave},
          Named{"join", &plan.join}, Named{"cut", &plan.cut}, Named{"pause", &plan.pause}})
        for (const Schedule::Item& item : schedule->items) {
            if (auto error = world::site_error(flag, schedule->text(), item.site, sites)) return error;
            if (item.at >= plan.time.value)
                return fmt::format("--{} {}: the run ends at --time {}; write an earlier time", flag,
                                   schedule->text(), plan.time.text());
        }
    for (const Schedule::Item& item : plan.restart.items)
        if (!may_be_down(plan, item))
            return fmt::format("--restart {}: site {} does not crash before that; add --crash {}@TIME",
                               plan.restart.text(), item.site, item.site);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> values_error(const Plan& plan, std::uint32_t sites) {
    if (auto error = times_error(plan)) return error;
    if (auto error = sites_error(plan, sites)) return error;
    if (auto error = schedules_error(plan, sites)) return error;
    if (auto error = repetition_error(plan)) return error;
    if (plan.founders > sites)
        return fmt::format("--founders {}: write a whole number from 1 to {}", plan.founders, sites);
    if (plan.crashes > sites && !plan.restart_after.after)
        return fmt::format("--crashes {}: write a whole number from 0 to {}", plan.crashes, sites);
    if (plan.noise > most_noise)
        return fmt::format("--noise {}: write a whole number from 0 to {}", plan.noise, most_noise);
    for (const Time time : plan.corrupt_at.times)
        if (time >= plan.time.value)
            return fmt::format("--corrupt-at {}: write times before --time {}", plan.corrupt_at.text(),
                               plan.time.text());
    if (plan.crash_inside > 100)
        return fmt::format("--crash-inside {}: write a whole number from 0 to 100", plan.crash_inside);
    return std::nullopt;
}

}  // namespace allot::sim
