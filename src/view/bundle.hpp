// The pages that are built from page/, as CMake puts them into the program.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace allot::view {

extern const std::string_view viewer_page_text;
extern const std::string_view graph_page_text;

// The page with its data. Nothing in the data can end the element that holds it.
std::string page_with(std::string_view page, const boost::json::value& data);

}  // namespace allot::view
