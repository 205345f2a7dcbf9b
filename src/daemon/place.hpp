// Where the token of a lock is, as far as one host knows.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "core/stamp.hpp"

namespace allot::daemon {

struct Place {
    std::string lock;
    std::uint32_t host = 0;  // it went there ...
    Stamp hop;               // ... with its so manieth move; who knows of the latest knows best
    bool here = false;       // and is there: this is the word of that host itself
    bool operator==(const Place&) const = default;

    bool is_better_than(const Place& other) const {
        return here != other.here ? here : !other.here && hop > other.hop;
    }
};
BOOST_DESCRIBE_STRUCT(Place, (), (lock, host, hop, here))

}  // namespace allot::daemon
