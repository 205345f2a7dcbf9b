// A picture as a file.
#pragma once

#include <string>

#include "view/picture.hpp"

namespace allot::view {

std::string svg(const Picture& picture);

}  // namespace allot::view
