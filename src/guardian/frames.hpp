// The language of the daemon and its guardian: one message per packet, as canonical bytes. Pidfds and the
// page come along with their packet.
//
//     daemon                          guardian
//     Hello with standard error ->
//                               <-    Welcome, with the page
//                               <-    Keep for each charge of an earlier daemon, with its pidfds
//                               <-    Complete
//     Keep with pidfds, Drop,   ->
//     Stop
//                               <-    Confirmed or Refused for each Keep; Ended, Stopped
//
// A guardian that cannot read the greeting of the daemon sends its Welcome without the page and closes the
// connection.
#pragma once

#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/bytes.hpp"
#include "durable/certificate.hpp"
#include "guardian/charge.hpp"

namespace allot::guardian {

constexpr std::size_t record_bytes_most = 64 * 1024;
// A record and the rest of its Keep, which takes less than 64 bytes.
constexpr std::size_t packet_bytes_most = record_bytes_most + 512;

BOOST_DESCRIBE_STRUCT(ChargeId, (), (session, ticket))

// The first packet of each end begins alike in every edition: 0, the newest one of its sender, and one more
// number. All that follows is in the newest edition that both know.
struct Opening {
    Edition newest = newest_edition;
    std::uint32_t number = 0;
};
BOOST_DESCRIBE_STRUCT(Opening, (), (newest, number))

struct Hello {
    Edition newest = newest_edition;
    std::uint32_t grace_ms = 0;  // between SIGTERM and SIGKILL
};
BOOST_DESCRIBE_STRUCT(Hello, (), (newest, grace_ms))

struct Welcome {
    Edition newest = newest_edition;
    std::uint32_t charges = 0;  // a guardian that cannot speak with the daemon ends if it has none
};
BOOST_DESCRIBE_STRUCT(Welcome, (), (newest, charges))

// Comes with the pidfd of the owner and, if has_command, that of the command.
struct Keep {
    ChargeId id;
    std::string record;
    bool has_command = false;
    bool stoppable = true;
    bool stoppable_owner = false;
};
BOOST_DESCRIBE_STRUCT(Keep, (), (id, record, has_command, stoppable, stoppable_owner))

struct Drop {
    ChargeId id;
};
BOOST_DESCRIBE_STRUCT(Drop, (), (id))

// The lease is lost: its processes end by this time, even if the deadline moves on for others.
struct Stop {
    ChargeId id;
    std::uint64_t until_ns = 0;  // of BootClock
};
BOOST_DESCRIBE_STRUCT(Stop, (), (id, until_ns))

// The deadline passed before the daemon moved it: no charge so far may profit from the new one.
struct Expire {};
BOOST_DESCRIBE_STRUCT(Expire, (), ())

// The deadline is earlier than before, so the guardian's timer is wrong.
struct Look {};
BOOST_DESCRIBE_STRUCT(Look, (), ())

// All charges of the earlier daemon have been sent.
struct Complete {};
BOOST_DESCRIBE_STRUCT(Complete, (), ())

// The owner, and the command if there is one, have ended. The guardian has forgotten the charge.
struct Ended {
    ChargeId id;
    bool operator==(const Ended&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ended, (), (id))

// The deadline has passed and all processes of the charge are gone. The guardian has forgotten the charge.
struct Stopped {
    ChargeId id;
    bool operator==(const Stopped&) const = default;
};
BOOST_DESCRIBE_STRUCT(Stopped, (), (id))

// The guardian keeps this charge from now on, also if the daemon ends.
struct Confirmed {
    ChargeId id;
    bool operator==(const Confirmed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Confirmed, (), (id))

// The guardian cannot keep this charge.
struct Refused {
    ChargeId id;
    std::string why;
    bool operator==(const Refused&) const = default;
};
BOOST_DESCRIBE_STRUCT(Refused, (), (id, why))

// If the daemon ends and does not come back, the guardian writes this certificate into the file when all
// programs of the daemon have ended, too.
struct Testament {
    std::string file;
    durable::Certificate certificate;
};
BOOST_DESCRIBE_STRUCT(Testament, (), (file, certificate))

using ToGuardian = std::variant<Hello, Keep, Drop, Stop, Expire, Look, Testament>;
using ToDaemon = std::variant<Welcome, Keep, Complete, Ended, Stopped, Refused, Confirmed>;

// The beginning of a first packet, whatever its edition; nothing if it is something else.
inline std::optional<Opening> opening_of(std::string_view packet) {
    std::uint32_t kind = 0;
    Opening opening;
    if (!decode(packet, kind) || kind != 0 || !decode(packet, opening)) return std::nullopt;
    return opening;
}

inline Keep keep_of(const Charge& charge) {
    return {charge.id, charge.record, static_cast<bool>(charge.command), charge.stoppable,
            charge.stoppable_owner};
}

}  // namespace allot::guardian
