// A run as a page: one file that shows it in a browser and loads nothing. The page itself is built from page/
// and is part of the program.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "view/run.hpp"

namespace allot::view {

// The data of the page; page/src/viewer/run.ts describes it.
boost::json::value run_json(const Run& run);

std::string run_page(const Run& run);

}  // namespace allot::view
