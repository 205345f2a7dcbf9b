#include "daemon/toml_text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace allot::daemon {

std::string toml_text(std::string_view text) {
    std::string all = "\"";
    for (const char one : text) {
        const auto code = static_cast<unsigned char>(one);
        if (one == '"' || one == '\\')
            all += fmt::format("\\{}", one);
        else if (code < ' ' || code == 0x7f)
            all += fmt::format("\\u{:04X}", code);
        else
            all += one;
    }
    return all + '"';
}

std::string toml_key(std::string_view key) {
    const auto is_bare = [](char one) {
        return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_' || one == '-';
    };
    return !key.empty() && std::ranges::all_of(key, is_bare) ? std::string(key) : toml_text(key);
}

}  // namespace allot::daemon
