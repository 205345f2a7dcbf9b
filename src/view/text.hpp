// The width of a text on paper, which a picture must know before it places anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace allot::view {

// How much wider bold letters are.
constexpr double boldness = 1.07;

// In the same unit as the size of the type. Latin letters have the widths of Helvetica; a picture
// has this width written into it, so another font changes the letters and not the layout.
double text_width(std::string_view text, double size);

// The text in lines no wider than `width`, broken between words; a longer word is broken anywhere.
std::vector<std::string> wrapped(std::string_view text, double size, double width);

}  // namespace allot::view
