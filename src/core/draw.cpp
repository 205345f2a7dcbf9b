#include "core/draw.hpp"

#include "base/ensure.hpp"

namespace allot {

const std::string& Draw::keep(const std::string& name, std::string value, bool usual) {
    if (!usual) parameters_[name] = value;
    return drawn_[name] = std::move(value);
}

std::uint32_t Draw::number(const std::string& name, std::uint32_t low, std::uint32_t high) {
    // A value that the user fixed may leave no choice. Then the machine is refused later, with the reason.
    const std::uint64_t choices = high < low ? 1 : std::uint64_t{high} - low + 1;
    if (!knows(name)) keep(name, std::to_string(low + random_(choices)));
    const auto value = parse_number(name, drawn_[name], 0, 0xFFFFFFFF);
    return value ? static_cast<std::uint32_t>(*value) : low;
}

std::uint32_t Draw::faults(const std::string& name, std::uint32_t most) {
    if (!knows(name)) {
        const std::uint64_t count = most == 0 || random_.coin() ? 0 : 1 + random_(most);
        keep(name, std::to_string(count), count == 0);
    }
    return number(name, 0, most);
}

bool Draw::toggle(const std::string& name) {
    if (!knows(name)) {
        const bool on = random_.coin();
        keep(name, on ? "on" : "off", !on);
    }
    const auto value = parse_switch(name, drawn_[name]);
    return value && *value;
}

std::string Draw::choice(const std::string& name, const std::vector<std::string>& values) {
    ensure(!values.empty(), "a choice among nothing");
    if (!knows(name)) keep(name, values[random_(values.size())]);
    return drawn_[name];
}

void Draw::requests(std::uint32_t most) {
    if (knows("requests")) return;
    keep("requests", random_.coin() ? "any" : std::to_string(1 + random_(most)));
}

}  // namespace allot
