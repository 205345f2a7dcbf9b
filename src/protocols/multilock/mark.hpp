// Mark: the place of a request in the order on which all sites agree. It is the average of one counter value
// per resource of the request, kept as an exact fraction: rounded marks could order two requests differently
// at two sites (E20).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

namespace allot::counters {

struct Mark {
    std::uint64_t sum = 0;    // of the values
    std::uint32_t count = 1;  // number of values

    // 2/1 and 4/2 are different values of the same place.
    bool operator==(const Mark&) const = default;
};
BOOST_DESCRIBE_STRUCT(Mark, (), (sum, count))

constexpr bool operator<(const Mark& a, const Mark& b) {
    __extension__ using Wide = unsigned __int128;
    return Wide{a.sum} * b.count < Wide{b.sum} * a.count;
}

}  // namespace allot::counters
