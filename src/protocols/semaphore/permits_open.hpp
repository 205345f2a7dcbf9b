// `permits` in an open group: sites join, leave and return. Open groups are unsafe: two newcomers whom
// different members admit, both of which then die, end their starts without knowing of each other (erratum
// two-holders). The laboratory keeps them as the record of what fails, and the daemon until views replace
// them.
#pragma once

#include "protocols/semaphore/permits.hpp"

namespace allot {

class PermitsOpen : public Permits {
public:
    static const Model<PermitsOpen, permits::FencesGrowInOrder> model;

    static void sample(Draw& draw);

    bool operator==(const PermitsOpen&) const = default;

private:
    BOOST_DESCRIBE_CLASS(PermitsOpen, (Permits), (), (), ())
};

}  // namespace allot
