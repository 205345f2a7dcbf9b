// Stamp: a Lamport time.
//
// A stamp may only be compared, maximised and incremented. Protocols that keep to this can't tell a run from
// the same run with all stamps renamed in order, which is what lets the checker replace stamps by their ranks
// and so make unbounded clocks finite. A default stamp is zero and comes before every other; it belongs into
// initial states. A handler makes new stamps from those it knows, not from Stamp{}.
#pragma once

#include <compare>
#include <cstdint>

namespace allot {

class Stamp {
public:
    constexpr Stamp() = default;

    constexpr Stamp next() const { return Stamp(value_ + 1); }

    friend constexpr auto operator<=>(Stamp, Stamp) = default;
    friend constexpr bool operator==(Stamp, Stamp) = default;
    friend constexpr Stamp max(Stamp a, Stamp b) { return a < b ? b : a; }

private:
    friend struct StampAccess;

    constexpr explicit Stamp(std::uint64_t value) : value_(value) {}

    std::uint64_t value_ = 0;
};

// The single back door to a stamp's number. Bytes, JSON, arbitrary starts and the ranking of stamps need the
// number; a protocol that used it would break the renaming above, so nothing under protocols/ may.
struct StampAccess {
    static constexpr std::uint64_t value(Stamp stamp) { return stamp.value_; }
    static constexpr Stamp make(std::uint64_t value) { return Stamp(value); }
};

// The stamp that comes with the n-th grant of an epoch: later than all of earlier epochs. An epoch must end
// before its numbers are used up.
inline constexpr unsigned bits_within_epoch = 40;
constexpr Stamp in_epoch(std::uint32_t epoch, Stamp n) {
    return StampAccess::make(std::uint64_t{epoch} << bits_within_epoch | StampAccess::value(n));
}
constexpr std::uint64_t number_within_epoch(Stamp stamp) {
    return StampAccess::value(stamp) & ((std::uint64_t{1} << bits_within_epoch) - 1);
}

// The stamp of a site among all: sites may make equal stamps, and their places tell them apart.
constexpr Stamp at_place(Stamp stamp, std::uint32_t place) {
    constexpr unsigned bits_of_place = 8;
    return StampAccess::make(StampAccess::value(stamp) << bits_of_place | place);
}

}  // namespace allot
