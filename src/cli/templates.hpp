// The files of examples/protocol, which the build embeds in the program: `allot new` writes them.
#pragma once

#include <span>
#include <string_view>

namespace allot::cli {

struct Template {
    std::string_view file;
    std::string_view text;
};

std::span<const Template> protocol_templates();

}  // namespace allot::cli
