// The language of a link (docs/links.md). The first frame of each end is its Hello; every other is a Head
// and, for some kinds, content: all bytes after it in the frame.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process_mark.hpp"
#include "base/result.hpp"
#include "core/edition.hpp"
#include "net/link.hpp"
#include "net/setting.hpp"

namespace allot::net {

constexpr std::string_view link_magic = "allot link";
// Large enough for a Hello; an unidentified sender may send no larger frame.
constexpr std::size_t hello_limit = 4096;
// Names and values of settings in a Hello, together. The rest of it takes less than the other half.
constexpr std::size_t settings_limit = hello_limit / 2;

// The beginning of a Hello in every edition, so that editions recognise each other.
struct Opening {
    std::string magic{link_magic};
    Edition newest = newest_edition;  // that the sender knows
    bool operator==(const Opening&) const = default;
};
BOOST_DESCRIBE_STRUCT(Opening, (), (magic, newest))

struct Hello {
    Opening opening{};
    std::string from;  // name of the sending host, and its number in its list
    std::uint32_t from_number = 0;
    std::string to;  // and of the host that it expects
    std::uint32_t to_number = 0;
    std::uint64_t agreement = 0;      // a hash of all settings that must be the same everywhere,
    std::vector<Setting> settings;    // and the first of them, to say which one differs
    std::uint64_t payload_limit = 0;  // largest payload that it accepts, in bytes
    Position position;
    std::uint64_t process = 0;     // random number of the process,
    std::uint64_t connection = 0;  // and the number of its connections to this host: the latest one counts
    std::optional<ProcessMark> mark;
    bool operator==(const Hello&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hello, (),
                      (opening, from, from_number, to, to_number, agreement, settings, payload_limit,
                       position, process, connection, mark))

enum class FrameKind : std::uint8_t {
    payload,      // number: of the payload; content: the payload
    acknowledge,  // number: of payloads that came so far; also a sign of life
    goodbye,      // this host stops in order
    refusal       // number: 0, or name_taken; content: why the sender closes the link, in one line
};
BOOST_DESCRIBE_ENUM(FrameKind, payload, acknowledge, goodbye, refusal)

struct Head {
    FrameKind kind = FrameKind::payload;
    std::uint64_t number = 0;
    bool operator==(const Head&) const = default;
};
BOOST_DESCRIBE_STRUCT(Head, (), (kind, number))
// A refusal: another process of the same name has a link that works.
constexpr std::uint64_t name_taken = 1;
constexpr std::size_t head_limit = 11;  // longest Head

struct LinkFrame {
    Head head;
    std::string_view content;
};

// Add whole frames, with their length.
void put_hello(const Hello& hello, std::string& out);
void put_link_frame(const Head& head, std::string_view content, std::string& out);
// The same without the content, which follows.
void put_link_head(const Head& head, std::size_t content, std::string& out);

// Read a frame. An error says what is wrong with it.
Result<Hello> read_hello(std::string_view frame);
std::optional<LinkFrame> read_link_frame(std::string_view frame);

// Reads the first frame of a connection, which begins with an Opening.
template <class Greeting>
Result<Greeting> read_greeting(std::string_view frame, std::string_view magic);

// The first settings, as many as a Hello has room for.
std::vector<Setting> settings_for_hello(const std::vector<Setting>& all);

// Text of another host, made safe for a log: short and without control characters.
std::string printable(std::string_view text);

}  // namespace allot::net
