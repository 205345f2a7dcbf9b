// expect: the description of the protocol lacks a member
// A member that the description leaves out would be missing in every hash: the checker would be unsound.
#ifdef BROKEN
#define UNDESCRIBED std::uint32_t forgotten_ = 0;
#endif
#include "protocol.hpp"
