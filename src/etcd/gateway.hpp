// The language of etcd's JSON gateway (etcd 3.4 or later), as far as one key needs it: texts of requests, and
// what the answers say. No sockets here.
//
// etcd leaves fields out that are zero or false, and writes 64-bit numbers as texts. So an answer without
// `kvs` says that the key is absent; it is believed only with a header, which every real answer has.
#pragma once

#include <boost/json/stream_parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace allot::etcd {

constexpr std::string_view range_path = "/v3/kv/range";
constexpr std::string_view txn_path = "/v3/kv/txn";
constexpr std::string_view watch_path = "/v3/watch";

// A key with its content. Every change of the key gives it the revision that the store has then.
struct Entry {
    std::string value;
    std::int64_t mod_revision = 0;
    bool operator==(const Entry&) const = default;
};

// The key at one moment.
struct Found {
    std::int64_t revision = 0;  // of the whole store
    std::optional<Entry> entry;
    bool operator==(const Found&) const = default;

    // As a comparison names it: 0 says that the key is absent.
    std::int64_t mod_revision() const { return entry ? entry->mod_revision : 0; }
};

// The answer to a compare-and-set.
struct Exchanged {
    bool succeeded = false;
    Found newest;  // with the value that was written, or the one that was there
};

struct Put {
    std::string key;
    std::string value;
};

std::string range_request(std::string_view key);
// Writes all of `puts` if the key has not changed since `before`; else nothing.
std::string exchange_request(std::string_view key, const Found& before, const std::vector<Put>& puts);
// All changes from that revision on.
std::string watch_request(std::string_view key, std::int64_t from_revision);

Result<Found> parse_range(std::string_view text, std::string_view key);
// `written`: the value that the key has if the exchange succeeded.
Result<Exchanged> parse_exchange(std::string_view text, std::string_view key, std::string_view written);
// One line that says why etcd did not do what was asked.
std::string refusal(unsigned status, std::string_view text);

// --- The watch: a stream of JSON objects without an end.

struct News {
    std::int64_t revision = 0;   // of the store
    std::vector<Entry> changes;  // in order; deletions are left out
};

class WatchReader {
public:
    explicit WatchReader(std::string key) : key_(std::move(key)) {}

    // Takes a piece of the stream, which may end anywhere. An error ends the watch: it was cancelled, or the
    // stream is damaged.
    Result<std::vector<News>> read(std::string_view bytes);

private:
    const std::string key_;
    boost::json::stream_parser parser_;
    std::size_t unfinished_ = 0;  // bytes of the object that has begun
};

}  // namespace allot::etcd
