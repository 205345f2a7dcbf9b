#include "view/bundle.hpp"

#include <boost/json/serialize.hpp>

#include "base/ensure.hpp"

namespace allot::view {

std::string page_with(std::string_view page, const boost::json::value& data) {
    constexpr std::string_view place = "/*run*/";
    const auto begin = page.find(place);
    ensure(begin != std::string_view::npos, "the page has a place for its data");
    std::string text(page.substr(0, begin));
    for (const char c : boost::json::serialize(data)) {
        if (c == '<')
            text += "\\u003c";  // within a string of JSON, the only place where it can be
        else
            text += c;
    }
    text += page.substr(begin + place.size());
    return text;
}

}  // namespace allot::view
