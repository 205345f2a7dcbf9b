// expect: has no member named .cancel.
// A protocol that takes an input must handle it.
#ifdef BROKEN
#define ALSO , input::Cancel
#else
#define ALSO , input::Detected
#endif
#include "protocol.hpp"
