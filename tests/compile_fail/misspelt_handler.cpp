// expect: has no member named .release.
// A handler that nobody calls is a handler that is missing.
#ifdef BROKEN
#define HANDLER relase
#endif
#include "protocol.hpp"
