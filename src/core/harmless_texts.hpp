// Makes all texts within a value harmless (base/harmless.hpp).
#pragma once

#include <string>

#include "base/harmless.hpp"
#include "core/visit.hpp"

namespace allot {

template <Reflectable T>
void make_harmless(T& value) {
    for_each_of<std::string>(value, [](std::string& text) {
        if (!is_harmless(text)) text = harmless(text);
    });
}

}  // namespace allot
