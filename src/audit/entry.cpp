#include "audit/entry.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/harmless.hpp"

namespace allot::audit {

namespace json = boost::json;

namespace {

// Fences are larger than numbers that every reader of JSON keeps exactly.
json::array resources_of(const Entry& entry) {
    json::array all;
    for (const session::Held& one : entry.resources) {
        json::object resource{{"name", one.name}};
        if (one.fence != 0) resource["fence"] = std::to_string(one.fence);
        all.push_back(std::move(resource));
    }
    return all;
}

std::string text_in(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::uint64_t number_in(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

bool read_time(const std::string& text, std::uint64_t& time_ms) {
    std::tm parts{};
    unsigned millis = 0;
    int end = 0;
    const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest == nullptr || std::sscanf(rest, ".%3uZ%n", &millis, &end) != 1 || rest[end] != '\0')
        return false;
    time_ms = static_cast<std::uint64_t>(::timegm(&parts)) * 1000 + millis;
    return true;
}

}  // namespace

std::string time_text(std::uint64_t time_ms) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(time_ms / 1000)),
                       time_ms % 1000);
}

Entry harmless_entry(Entry entry) {
    for (std::string* text : {&entry.host, &entry.event, &entry.user, &entry.command, &entry.reason})
        if (!is_harmless(*text)) *text = harmless(*text);
    for (session::Held& one : entry.resources)
        if (!is_harmless(one.name)) one.name = harmless(one.name);
    return entry;
}

std::string line_of(const Entry& raw) {
    const Entry entry = harmless_entry(raw);
    json::object line{{"time", time_text(entry.time_ms)}, {"host", entry.host}, {"event", entry.event}};
    if (!entry.user.empty()) line["user"] = entry.user;
    if (entry.pid != 0) line["pid"] = entry.pid;
    if (!entry.command.empty()) line["command"] = entry.command;
    if (!entry.resources.empty()) line["resources"] = resources_of(entry);
    if (!entry.reason.empty()) line["reason"] = entry.reason;
    if (entry.after_ms != 0) line["after_ms"] = entry.after_ms;
    return json::serialize(line) + "\n";
}

Result<Entry> parse_line(std::string_view line) {
    const Error wrong{"this is no line of an audit log"};
    boost::system::error_code failure;
    const json::value value = json::parse(line, failure);
    if (failure || !value.is_object()) return wrong;
    const json::object& object = value.get_object();
    Entry entry{.host = text_in(object, "host"),
                .event = text_in(object, "event"),
                .user = text_in(object, "user"),
                .pid = static_cast<std::int32_t>(number_in(object, "pid")),
                .command = text_in(object, "command"),
                .reason = text_in(object, "reason"),
                .after_ms = number_in(object, "after_ms")};
    if (entry.event.empty() || !read_time(text_in(object, "time"), entry.time_ms)) return wrong;
    const json::value* resources = object.if_contains("resources");
    if (resources == nullptr || !resources->is_array()) return entry;
    for (const json::value& one : resources->get_array()) {
        if (!one.is_object()) return wrong;
        const std::string fence = text_in(one.get_object(), "fence");
        entry.resources.push_back({text_in(one.get_object(), "name"),
                                   fence.empty() ? 0 : std::strtoull(fence.c_str(), nullptr, 10)});
    }
    return entry;
}

}  // namespace allot::audit
