// Sticky resources that the register keeps, as people read them.
#pragma once

#include <string>

#include "protocols/agreement/register.hpp"

namespace allot::daemon {

// The first of them and their owners, as in "rack1 of root@h1"; empty if nothing is kept.
std::string kept_text(const agreement::Value& value);
// Why a register with this value is not replaced; empty if nothing is kept.
std::string kept_refusal(const agreement::Value& value);

}  // namespace allot::daemon
