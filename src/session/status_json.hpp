// A status for programs to read, as `allot status --json` and the page /status print it.
#pragma once

#include <boost/json/value.hpp>

#include "session/status.hpp"

namespace allot::session {

// All texts are harmless (base/harmless.hpp), so this is JSON. A fence is a string: many readers of JSON
// round numbers above 2^53, and two fences must not become one.
boost::json::value status_json(Status status);

}  // namespace allot::session
