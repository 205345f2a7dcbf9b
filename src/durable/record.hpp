// Durable records: files that must be there after a crash, and must not be believed if they were damaged, cut
// short, or belong to something else. A record is a line of text and its content:
//
//     allot register 1 42 317 5f0c1b2a99d0e3f1
//
// the kind of the record, the edition of its content, its place in the sequence of its kind (a later record
// has a higher number, so that one that was put back from an earlier time is noticed), the length of the
// content in bytes, and a checksum of all that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/edition.hpp"

namespace allot::durable {

// Those that can be read.
struct Editions {
    Edition oldest = first_edition;
    Edition newest = newest_edition;
};

struct Record {
    std::string kind;
    Edition edition = newest_edition;
    std::uint64_t sequence = 0;
    std::string content;
    bool operator==(const Record&) const = default;
};

std::string text_of(const Record& record);
// `name` is that of the file, for the error: one line that says what is wrong with it.
Result<Record> parse_record(std::string_view text, std::string_view kind, const std::string& name,
                            Editions known = {});

// The record is on the disk when this returns; a crash leaves the former one or this one. Only its owner can
// read it.
Result<bool> write_record(const std::string& path, const Record& record);
// Nothing if there is no such file.
Result<std::optional<Record>> read_record(const std::string& path, std::string_view kind,
                                          Editions known = {});

}  // namespace allot::durable
