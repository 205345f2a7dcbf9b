#include "etcd/gateway.hpp"

#include <boost/json.hpp>
#include <charconv>
#include <fmt/format.h>

#include "base/base64.hpp"

namespace allot::etcd {

namespace {

namespace json = boost::json;

// etcd refuses values of more than 1.5 MiB by default; base64 adds a third.
constexpr std::size_t most_bytes = std::size_t{8} << 20;

Error malformed(const char* what) {
    return Error{fmt::format("its answer is none of etcd's: {}", what)};
}

// The member of an object; nothing if it is left out.
const json::value* member(const json::value& value, std::string_view name) {
    const json::object* object = value.if_object();
    return object == nullptr ? nullptr : object->if_contains(name);
}

// A 64-bit number is a text; etcd leaves out zero.
std::optional<std::int64_t> number(const json::value& of, std::string_view name) {
    const json::value* value = member(of, name);
    if (value == nullptr) return 0;
    if (const std::int64_t* plain = value->if_int64(); plain != nullptr && *plain >= 0) return *plain;
    const json::string* text = value->if_string();
    if (text == nullptr || text->empty()) return std::nullopt;
    std::int64_t found = 0;
    const char* const end = text->data() + text->size();
    const auto [rest, failure] = std::from_chars(text->data(), end, found);
    if (failure != std::errc() || rest != end || found < 0) return std::nullopt;
    return found;
}

// False if it is left out.
std::optional<bool> flag(const json::value& of, std::string_view name) {
    const json::value* value = member(of, name);
    if (value == nullptr) return false;
    return value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

std::optional<std::string> bytes(const json::value& of, std::string_view name) {
    const json::value* value = member(of, name);
    if (value == nullptr) return "";
    const json::string* text = value->if_string();
    return text == nullptr ? std::nullopt : from_base64({text->data(), text->size()});
}

// Every answer has a header, and the revision of a store begins with 1.
Result<std::int64_t> revision_of(const json::value& answer) {
    const json::value* header = member(answer, "header");
    const auto revision = header == nullptr ? std::nullopt : number(*header, "revision");
    if (!revision || *revision < 1) return malformed("it has no revision");
    return *revision;
}

Result<Entry> parse_entry(const json::value& kv, std::string_view key) {
    const auto name = bytes(kv, "key");
    if (!name) return malformed("the key is no base64");
    if (*name != key) return malformed("it is about another key");
    auto value = bytes(kv, "value");
    if (!value) return malformed("the value is no base64");
    const auto revision = number(kv, "mod_revision");
    if (!revision || *revision < 1) return malformed("the key has no revision");
    return Entry{std::move(*value), *revision};
}

// The content of a range.
Result<std::optional<Entry>> parse_kvs(const json::value& range, std::string_view key) {
    const auto count = number(range, "count");
    const json::value* kvs = member(range, "kvs");
    if (!count) return malformed("the count is no number");
    if (kvs == nullptr && *count == 0) return std::optional<Entry>();
    const json::array* list = kvs == nullptr ? nullptr : kvs->if_array();
    if (list == nullptr || list->size() != 1 || *count != 1) return malformed("it does not hold one key");
    auto entry = parse_entry(list->front(), key);
    if (!entry) return Error{entry.error()};
    return std::optional(std::move(*entry));
}

Result<json::value> parse_json(std::string_view text) {
    boost::system::error_code failure;
    json::value value = json::parse({text.data(), text.size()}, failure);
    if (failure || !value.is_object()) return malformed("it is no JSON object");
    return value;
}

std::string number_text(std::int64_t number) {
    return std::to_string(number);
}

json::object put(const Put& one) {
    return {{"request_put", {{"key", to_base64(one.key)}, {"value", to_base64(one.value)}}}};
}

}  // namespace

// --- Requests.

std::string range_request(std::string_view key) {
    return json::serialize(json::object{{"key", to_base64(key)}});
}

std::string exchange_request(std::string_view key, const Found& before, const std::vector<Put>& puts) {
    const std::string name = to_base64(key);
    json::array writes;
    for (const Put& one : puts) writes.push_back(put(one));
    const json::object comparison{{"key", name},
                                  {"target", "MOD"},
                                  {"result", "EQUAL"},
                                  {"mod_revision", number_text(before.mod_revision())}};
    const json::object otherwise{{"request_range", {{"key", name}}}};
    return json::serialize(json::object{{"compare", json::array{comparison}},
                                        {"success", std::move(writes)},
                                        {"failure", json::array{otherwise}}});
}

std::string watch_request(std::string_view key, std::int64_t from_revision) {
    return json::serialize(json::object{
        {"create_request", {{"key", to_base64(key)}, {"start_revision", number_text(from_revision)}}}});
}

// --- Answers.

Result<Found> parse_range(std::string_view text, std::string_view key) {
    const auto answer = parse_json(text);
    if (!answer) return Error{answer.error()};
    const auto revision = revision_of(*answer);
    if (!revision) return Error{revision.error()};
    auto entry = parse_kvs(*answer, key);
    if (!entry) return Error{entry.error()};
    return Found{*revision, std::move(*entry)};
}

Result<Exchanged> parse_exchange(std::string_view text, std::string_view key, std::string_view written) {
    const auto answer = parse_json(text);
    if (!answer) return Error{answer.error()};
    const auto revision = revision_of(*answer);
    if (!revision) return Error{revision.error()};
    const auto succeeded = flag(*answer, "succeeded");
    if (!succeeded) return malformed("it does not say whether it succeeded");
    if (*succeeded) return Exchanged{true, {*revision, Entry{std::string(written), *revision}}};
    const json::value* responses = member(*answer, "responses");
    const json::array* list = responses == nullptr ? nullptr : responses->if_array();
    if (list == nullptr || list->size() != 1) return malformed("it holds no response");
    const json::value* range = member(list->front(), "response_range");
    if (range == nullptr) return malformed("it holds no range");
    auto entry = parse_kvs(*range, key);
    if (!entry) return Error{entry.error()};
    return Exchanged{false, {*revision, std::move(*entry)}};
}

namespace {

// An error of a request is a text; one of a stream is an object.
std::string message_of(const json::value& answer) {
    const json::value* error = member(answer, "error");
    if (error == nullptr) return "";
    const json::value* text = error->is_object() ? member(*error, "message") : error;
    if (text == nullptr || !text->is_string()) return "";
    const json::string& found = text->get_string();
    return {found.data(), found.size()};
}

// It comes from outside and goes into a log.
std::string printable(std::string_view text) {
    constexpr std::size_t longest = 200;
    std::string line(text.substr(0, longest));
    for (char& one : line)
        if (static_cast<unsigned char>(one) < 0x20 || one == 0x7f) one = ' ';
    while (line.ends_with(' ')) line.pop_back();
    return line;
}

std::string reason_of(const std::string& message) {
    if (message.find("no leader") != std::string::npos)
        return "etcd has no leader; a majority of its members must run and reach each other";
    if (message.find("user name is empty") != std::string::npos ||
        message.find("permission denied") != std::string::npos)
        return "etcd asks for a user, and allot has certificates only (" + printable(message) + ")";
    return "etcd says: " + printable(message);
}

}  // namespace

std::string refusal(unsigned status, std::string_view text) {
    const auto answer = parse_json(text);
    const std::string message = answer ? message_of(*answer) : "";
    if (!message.empty()) return reason_of(message);
    if (status == 404)
        return "it has no JSON gateway of version 3 (etcd 3.4 or later, --enable-grpc-gateway)";
    return fmt::format("it answers with HTTP status {}: {}", status, printable(text));
}

// --- The watch.

namespace {

Result<News> parse_news(const json::value& result, std::string_view key) {
    const auto compacted = number(result, "compact_revision");
    if (!compacted || *compacted > 0) return Error{"etcd has compacted the revisions that were missed"};
    const auto cancelled = flag(result, "canceled");
    if (!cancelled || *cancelled) return Error{"etcd has cancelled the watch"};
    const auto revision = revision_of(result);
    if (!revision) return Error{revision.error()};
    News news{*revision, {}};
    const json::value* events = member(result, "events");
    if (events == nullptr) return news;
    if (!events->is_array()) return malformed("its events are no list");
    for (const json::value& event : events->get_array()) {
        if (member(event, "type") != nullptr && *member(event, "type") != "PUT") continue;
        const json::value* kv = member(event, "kv");
        if (kv == nullptr) return malformed("an event has no key");
        auto entry = parse_entry(*kv, key);
        if (!entry) return Error{entry.error()};
        news.changes.push_back(std::move(*entry));
    }
    return news;
}

}  // namespace

Result<std::vector<News>> WatchReader::read(std::string_view bytes) {
    std::vector<News> all;
    while (!bytes.empty()) {
        boost::system::error_code failure;
        const std::size_t used = parser_.write_some(bytes.data(), bytes.size(), failure);
        if (failure) return malformed("the watch is no JSON");
        bytes.remove_prefix(used);
        unfinished_ += used;
        if (unfinished_ > most_bytes) return malformed("one object of the watch is too long");
        if (!parser_.done()) break;
        const json::value object = parser_.release();
        parser_.reset();
        unfinished_ = 0;
        if (const std::string why = message_of(object); !why.empty()) return Error{reason_of(why)};
        const json::value* result = member(object, "result");
        if (result == nullptr) return malformed("the watch has no result");
        auto news = parse_news(*result, key_);
        if (!news) return Error{news.error()};
        all.push_back(std::move(*news));
    }
    return all;
}

}  // namespace allot::etcd
