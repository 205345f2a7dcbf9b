// expect: a parameter or a repair has no meaning
// --help would list a flag and not say what it does.
#ifdef BROKEN
#define EXPLAINED "round"
#endif
#include "protocol.hpp"
