// expect: could not convert|no matching function for call to .allot::Required
// A model must have a summary.
#ifdef BROKEN
#define REQUIRED_MEMBER
#endif
#include "protocol.hpp"
