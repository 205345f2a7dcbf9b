// What two ends of a link say to each other (docs/links.md). The first frame of each is its Hello; every
// other is a Head and, for some kinds, content: all the bytes that follow it in the frame.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/link.hpp"

namespace allot::net {

constexpr std::uint32_t link_version = 1;
constexpr std::string_view link_magic = "allot link";
// Enough for a Hello, and all that is taken from someone who has not said who he is.
constexpr std::size_t hello_limit = 4096;

// How every Hello begins, in every version: so versions can tell each other apart.
struct Opening {
    std::string magic{link_magic};
    std::uint32_t version = link_version;
    bool operator==(const Opening&) const = default;
};
BOOST_DESCRIBE_STRUCT(Opening, (), (magic, version))

// A process, for others who run under the same kernel: it can tell them when it is gone.
struct ProcessMark {
    std::string boot;           // /proc/sys/kernel/random/boot_id
    std::string pid_namespace;  // where /proc/self/ns/pid points
    std::int32_t pid = 0;
    std::uint64_t started = 0;  // field 22 of /proc/PID/stat: tells it from a later one with the same number
    bool operator==(const ProcessMark&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProcessMark, (), (boot, pid_namespace, pid, started))

struct Hello {
    std::string from;  // names of hosts: its own,
    std::string to;    // and whom it means to talk to
    std::uint64_t agreement = 0;
    std::uint64_t payload_limit = 0;  // the most bytes of a payload that it takes
    Position position;
    std::uint64_t process = 0;     // a random number that each process draws,
    std::uint64_t connection = 0;  // and how many connections it made to this host: the later one counts
    std::optional<ProcessMark> mark;
    bool operator==(const Hello&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hello, (), (from, to, agreement, payload_limit, position, process, connection, mark))

enum class FrameKind : std::uint8_t {
    payload,      // number: its own; content: the payload
    acknowledge,  // number: how many payloads came so far; also says that its sender lives
    goodbye,      // this host stops in order, and may come back as the same incarnation
    refusal       // number: 0; content: why the link is closed, for people
};
BOOST_DESCRIBE_ENUM(FrameKind, payload, acknowledge, goodbye, refusal)

struct Head {
    FrameKind kind = FrameKind::payload;
    std::uint64_t number = 0;
    bool operator==(const Head&) const = default;
};
BOOST_DESCRIBE_STRUCT(Head, (), (kind, number))
constexpr std::size_t head_limit = 11;  // no Head is longer

struct LinkFrame {
    Head head;
    std::string_view content;
};

// Whole frames, with their length.
void put_hello(const Hello& hello, std::string& out);
void put_link_frame(const Head& head, std::string_view content, std::string& out);
// The same without the content, which is to follow.
void put_link_head(const Head& head, std::size_t content, std::string& out);

// What is in a frame. An error says what is wrong with it.
Result<Hello> read_hello(std::string_view frame);
std::optional<LinkFrame> read_link_frame(std::string_view frame);

// Text from another host, fit for a log: short, and without control characters.
std::string printable(std::string_view text);

}  // namespace allot::net
