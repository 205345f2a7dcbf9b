// A charge: one lease of a program, and the processes that must not outlive it.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/control_group.hpp"
#include "base/descriptor.hpp"

namespace allot::guardian {

struct ChargeId {
    std::uint64_t session = 0;
    std::uint64_t ticket = 0;
    auto operator<=>(const ChargeId&) const = default;
    friend std::size_t hash_value(const ChargeId& id) {
        std::size_t hash = 0;
        boost::hash_combine(hash, id.session);
        boost::hash_combine(hash, id.ticket);
        return hash;
    }
};

struct Charge {
    ChargeId id;
    std::string record;  // the daemon's own notes, at most record_bytes_most; the guardian only keeps them
    Descriptor owner;    // pidfd of the program that has the session
    Descriptor command;  // pidfd of the program that it runs; may be empty
    // False: the lease is only fenced, so the guardian signals nobody.
    bool stoppable = true;
    // The command and all descendants of owner and command are stopped. True: the owner itself as well.
    bool stoppable_owner = false;
    // Of the command, if it has one: all that run there are stopped, whoever their parents are by then.
    std::optional<ControlGroup> group{};
};

}  // namespace allot::guardian
