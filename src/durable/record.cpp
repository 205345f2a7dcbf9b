#include "durable/record.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <vector>
#include <xxhash.h>

#include "base/whole_file.hpp"

namespace allot::durable {

namespace {

constexpr std::string_view mark = "allot";
constexpr std::size_t longest_head = 128;

// The line without the checksum.
std::string head_of(const Record& record) {
    return fmt::format("{} {} {} {} {}", mark, record.kind, record.edition, record.sequence,
                       record.content.size());
}

std::string checksum_of(std::string_view head, std::string_view content) {
    const XXH64_hash_t of_head = XXH3_64bits(head.data(), head.size());
    return fmt::format("{:016x}", XXH3_64bits_withSeed(content.data(), content.size(), of_head));
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t end = 0; end != std::string_view::npos; line.remove_prefix(end + 1)) {
        end = line.find(' ');
        words.push_back(line.substr(0, end));
        if (end == std::string_view::npos) break;
    }
    return words;
}

template <class Number>
bool read_number(std::string_view word, Number& number) {
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    return failure == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string text_of(const Record& record) {
    const std::string head = head_of(record);
    return head + " " + checksum_of(head, record.content) + "\n" + record.content;
}

Result<Record> parse_record(std::string_view text, std::string_view kind, const std::string& name,
                            Editions known) {
    const auto wrong = [&](const std::string& what) { return Error{name + ": " + what}; };
    const std::size_t end = text.substr(0, longest_head).find('\n');
    const auto words = words_of(text.substr(0, end == std::string_view::npos ? longest_head : end));
    if (words.front() != mark || words.size() < 2) return wrong("allot did not write this");
    if (words[1] != kind) return wrong(fmt::format("allot wrote this, but it is no {}", kind));
    Record record{.kind = std::string(kind)};
    std::size_t length = 0;
    if (end == std::string_view::npos || words.size() != 6 || !read_number(words[2], record.edition) ||
        !read_number(words[3], record.sequence) || !read_number(words[4], length))
        return wrong("its first line is damaged");
    record.content = text.substr(end + 1);
    if (record.content.size() != length)
        return wrong(fmt::format("{} of its {} bytes are there", record.content.size(), length));
    if (words[5] != checksum_of(head_of(record), record.content))
        return wrong("it is damaged: its content does not fit its checksum");
    if (record.edition > known.newest || record.edition < known.oldest)
        return wrong(fmt::format("{} allot wrote it (edition {}; this one reads {} to {})",
                                 record.edition > known.newest ? "a later" : "an earlier", record.edition,
                                 known.oldest, known.newest));
    return record;
}

Result<bool> write_record(const std::string& path, const Record& record) {
    constexpr mode_t private_file = 0600;
    auto file = WholeFile::open(path, private_file);
    if (!file) return Error{file.error()};
    file->stream() << text_of(record);
    if (auto failure = file->commit()) return Error{std::move(*failure)};
    return true;
}

Result<std::optional<Record>> read_record(const std::string& path, std::string_view kind, Editions known) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        // To look again would find a file that was made in between.
        if (errno == ENOENT || errno == ENOTDIR) return std::optional<Record>();
        return Error{path + ": cannot read this file: " + std::strerror(errno)};
    }
    std::stringstream text;
    text << file.rdbuf();
    auto record = parse_record(std::move(text).str(), kind, path, known);
    if (!record) return Error{record.error()};
    return std::optional(std::move(*record));
}

}  // namespace allot::durable
