// The name of a request.
#pragma once

#include <boost/describe.hpp>
#include <compare>
#include <cstdint>

namespace allot::host {

// The session of a program, and the number that the program gave its request.
struct Key {
    std::uint64_t session = 0;
    std::uint64_t ticket = 0;
    auto operator<=>(const Key&) const = default;
};
BOOST_DESCRIBE_STRUCT(Key, (), (session, ticket))

}  // namespace allot::host
