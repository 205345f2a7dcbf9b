#include "host/resource_name.hpp"

#include "base/harmless.hpp"
#include "base/utf8.hpp"

namespace allot::host {

std::string objection_to_name(std::string_view name) {
    if (!is_utf8(name)) return "is not UTF-8; write it in UTF-8";
    if (!is_harmless(name))
        return "has a control character, or one that cannot be seen; write one with letters that are shown";
    if (name.find_first_of(",=") != std::string_view::npos)
        return "has a comma or an equals sign; write one without them";
    return "";
}

}  // namespace allot::host
