// expect: lacks input::Timeout
// A timer without its input would fire without a word.
#ifdef BROKEN
#define TIMER Clock
#endif
#include "protocol.hpp"
