// Headers that nearly every file includes: the compiler parses them once.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/model.hpp"
#include "world/instance_of.hpp"
