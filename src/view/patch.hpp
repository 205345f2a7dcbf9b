// The differences of two JSON values, as people want to read them: one entry for each place that changed.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace allot::view {

// [[path, new value], ...]: a path is an array of names and indices. A container whose members come or go
// changes as a whole.
boost::json::array patch_between(const boost::json::value& before, const boost::json::value& after);

// The value with these changes.
boost::json::value patched(boost::json::value value, const boost::json::array& patch);

}  // namespace allot::view
