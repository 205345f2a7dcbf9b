// The files of examples/protocol, which the build embeds in the program: `allot new` writes them under
// another name.
#pragma once

#include <span>
#include <string_view>

namespace allot::cli {

struct Template {
    std::string_view file;
    std::string_view text;
};

std::span<const Template> protocol_templates();
// The types of base/ and core/, which the protocol includes.
std::span<const std::string_view> library_types();

}  // namespace allot::cli
