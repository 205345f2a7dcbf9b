// How far apart the stamps of a world are, and the names they get in a canonical world.
//
// A protocol can only compare, maximise and increment stamps. So their order matters, and distances that a
// few increments may use up: those up to 3 are kept, and all larger ones have one name, wide. A step after a
// canonical world, a wide distance of which increments took something away may be anything from what is left
// of 4; then the world has several canonical forms, one for each name that the distance may have.
#pragma once

#include <vector>

#include "walk/machine.hpp"

namespace allot::walk {

class Spacing {
public:
    enum class Of {
        real_stamps,
        named_stamps,  // a step after a canonical world
    };

    // Of these stamps, ascending, where the earliest clock stands at `clock`: new stamps come after it, so
    // before it only the order of stamps matters.
    void measure(std::vector<std::uint64_t> stamps, std::uint64_t clock, Of what);

    std::uint64_t forms() const;
    // In the form of that number; empty where every stamp keeps its name.
    StampNames names(std::uint64_t form) const;
    // Whether some stamp is further ahead of the known ones, ascending, than a step may go: then a handler
    // may have compared it with one that was called far away and is not.
    bool leaps(const std::vector<std::uint64_t>& known) const;
    // The distances between real stamps that a canonical world does not keep.
    std::vector<std::uint64_t> wide_distances() const;

private:
    // A name for distances: exactly this one, or this one and all larger ones.
    struct Gap {
        std::uint64_t name = 0;
        bool or_more = false;
    };
    static Gap real_gap(std::uint64_t distance);
    static Gap gap_after_step(std::uint64_t sum);

    std::vector<std::uint64_t> stamps_;
    std::vector<Gap> gaps_;  // of each to the one before
};

}  // namespace allot::walk
