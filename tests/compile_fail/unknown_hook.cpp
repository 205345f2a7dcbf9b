// expect: has no non-static data member named .promt.
// A misspelt member of a model is no hook that is silently off.
#ifdef BROKEN
#define MODEL_MEMBER .reduction = {.promt = nullptr}
#endif
#include "protocol.hpp"
