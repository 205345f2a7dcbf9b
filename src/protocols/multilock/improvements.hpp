// The improvements of `counters` over the repaired paper (section 4.2, and the paper's own two in 4.1).
// Written as a list, `stop,home`, or `all` or `none`.
#pragma once

#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/describe.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace allot::counters {

// stop: a request goes no further than a site that will have the token before it. single: a request for one
// resource does not ask for a counter value first. lamport: values are Lamport times, so that values of
// different resources are comparable. home: each resource has a site that learns where its token goes.
// early_loan: a site asks for a loan as soon as it knows its mark. reask: and again when fewer tokens are
// missing.
enum class Improvement : std::uint8_t { stop, single, lamport, home, early_loan, reask };
BOOST_DESCRIBE_ENUM(Improvement, stop, single, lamport, home, early_loan, reask)

// For reflection it is a set, hence a list in JSON; for the command line it is one parameter, which a
// described struct would not be. It needs no memory of its own: a daemon makes a configuration in every step.
struct Improvements : boost::container::small_flat_set<Improvement, 6> {
    static const Improvements& all();
    static Result<Improvements> parse(std::string_view name, std::string_view text);
    std::string text() const;
};

}  // namespace allot::counters
