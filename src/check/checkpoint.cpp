#include "check/checkpoint.hpp"

#include <algorithm>
#include <vector>
#include <xxhash.h>

#include "base/ensure.hpp"

namespace allot::check {

namespace {

constexpr std::string_view first_words = "allot checkpoint ";
constexpr std::string_view format = "1";

using Hash = std::unique_ptr<XXH3_state_s, void (*)(XXH3_state_s*)>;

Hash fresh_hash() {
    Hash hash(XXH3_createState(), [](XXH3_state_s* state) { XXH3_freeState(state); });
    ensure(hash != nullptr, "no memory for a checksum");
    XXH3_64bits_reset(hash.get());
    return hash;
}

// True if the last 8 bytes are the checksum of all others.
bool is_whole(std::istream& in) {
    in.seekg(0, std::ios::end);
    const auto size = static_cast<std::streamoff>(in.tellg());
    std::uint64_t wanted = 0;
    if (size < static_cast<std::streamoff>(sizeof wanted)) return false;
    in.seekg(0);
    const Hash hash = fresh_hash();
    std::vector<char> part(std::size_t{1} << 20);
    for (auto left = size - static_cast<std::streamoff>(sizeof wanted); left > 0 && in; left -= in.gcount()) {
        in.read(part.data(), std::min(left, static_cast<std::streamoff>(part.size())));
        XXH3_64bits_update(hash.get(), part.data(), static_cast<std::size_t>(in.gcount()));
    }
    in.read(reinterpret_cast<char*>(&wanted), sizeof wanted);
    return in && wanted == XXH3_64bits_digest(hash.get());
}

std::string next_line(std::istream& in) {
    std::string line;
    std::getline(in, line);
    return line;
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::ostream& out, const Subject& subject)
    : out_(out), hash_(fresh_hash()) {
    std::string preface(first_words);
    for (const std::string_view line :
         {format, std::string_view(subject.program), std::string_view(subject.instance)})
        preface.append(line).append("\n");
    raw(preface.data(), preface.size());
}

void CheckpointWriter::raw(const void* data, std::size_t size) {
    XXH3_64bits_update(hash_.get(), data, size);
    out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void CheckpointWriter::finish() {
    number(XXH3_64bits_digest(hash_.get()));
}

void CheckpointReader::raw(void* data, std::size_t size) {
    in_.read(static_cast<char*>(data), static_cast<std::streamsize>(size));
    ensure(static_cast<std::size_t>(in_.gcount()) == size, "the end of a checkpoint that was whole");
}

std::optional<std::string> checkpoint_error(std::istream& in, const Subject& subject) {
    std::string begin(first_words.size(), '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (!in || begin != first_words) return "this is no checkpoint; write one with --checkpoint";
    const bool whole = is_whole(in);
    in.clear();
    in.seekg(static_cast<std::streamoff>(first_words.size()));
    if (!whole) return "this checkpoint is damaged or incomplete; begin again without --resume";
    if (next_line(in) != format)
        return "this checkpoint has another format; resume it with the program that wrote it";
    if (const std::string program = next_line(in); program != subject.program)
        return "another build wrote this checkpoint, " + program + ", and this is " + subject.program +
               "; resume it with that build";
    if (const std::string instance = next_line(in); instance != subject.instance)
        return "this is a checkpoint of `" + instance + "`, not of `" + subject.instance + "`";
    return std::nullopt;
}

}  // namespace allot::check
