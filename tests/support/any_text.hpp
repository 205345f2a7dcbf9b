// Texts that somebody may send on purpose: bytes, and pieces that are known to break terminals, lists and
// JSON.
#pragma once

#include <rapidcheck.h>
#include <string>

namespace allot::test {

rc::Gen<std::string> any_text();

}  // namespace allot::test
