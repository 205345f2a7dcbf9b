#include <fmt/format.h>

#include "figures/figure.hpp"

namespace allot::figures {

Figure crashes();

std::span<const Figure> all() {
    static const std::vector<Figure> list{
        crashes(),
    };
    return list;
}

Result<const Figure*> find(const std::string& name) {
    std::vector<std::string> known;
    for (const Figure& figure : all()) {
        if (figure.name == name) return &figure;
        known.push_back(figure.name);
    }
    return Error{fmt::format("{}: no such figure; there is {}", name, listed(known))};
}

}  // namespace allot::figures
