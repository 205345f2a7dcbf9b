// Names of locks and semaphores, as far as programs may choose them. They stand in lists with commas, before
// an equals sign in the variable ALLOT_HELD, in tables and in logs.
#pragma once

#include <string>
#include <string_view>

namespace allot::host {

// Why a resource cannot have this name, without the name itself; empty if it can.
std::string objection_to_name(std::string_view name);

}  // namespace allot::host
