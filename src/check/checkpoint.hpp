// A checkpoint is everything that an exploration knows between two rounds, in a file: a check that resumes it
// ends with the same verdict, states and transitions as one that was never stopped.
//
//     allot checkpoint 1                     the version of the format
//     0.1.0 58716358dedd                     the program: its version and the id of its build
//     protocol raymond sites=3 permits=1     the instance
//     numbers, strings, records of stores    binary, in the byte order of the host
//     XXH3 of everything before              8 bytes
//
// The explorer says what the binary part is (explorer.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace allot::check {

// The check that a checkpoint belongs to: only the same program can resume it, with the same parameters.
struct Subject {
    std::string program;   // in one line
    std::string instance;  // protocol and parameters, in one line
};

class CheckpointWriter {
public:
    CheckpointWriter(std::ostream& out, const Subject& subject);

    void number(std::uint64_t value) { raw(&value, sizeof value); }
    void text(std::string_view bytes) {
        number(bytes.size());
        raw(bytes.data(), bytes.size());
    }
    void raw(const void* data, std::size_t size);
    void finish();

private:
    std::ostream& out_;
    std::unique_ptr<XXH3_state_s, void (*)(XXH3_state_s*)> hash_;
};

// Why this is no whole checkpoint of the subject. Afterwards the binary part is next.
std::optional<std::string> checkpoint_error(std::istream& in, const Subject& subject);

// Reads the binary part of a checkpoint that is whole.
class CheckpointReader {
public:
    explicit CheckpointReader(std::istream& in) : in_(in) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        raw(&value, sizeof value);
        return value;
    }
    std::string text() {
        std::string bytes(number(), '\0');
        raw(bytes.data(), bytes.size());
        return bytes;
    }
    void raw(void* data, std::size_t size);

private:
    std::istream& in_;
};

}  // namespace allot::check
