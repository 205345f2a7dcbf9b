// expect: cannot convert|invalid conversion|no matching function
// A hook with another signature does not fit.
#ifdef BROKEN
#define MODEL_MEMBER .reduction = {.prompt = &Sample::prompt}
#endif
#include "protocol.hpp"
