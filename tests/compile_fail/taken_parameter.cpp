// expect: has the name of a flag of the laboratory
// A parameter `crashes` would take the flag away from the setup, and no site would ever crash.
#ifdef BROKEN
#define PARAMETER crashes
#endif
#include "protocol.hpp"
