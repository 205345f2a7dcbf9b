#include "daemon/section.hpp"

#include <fmt/ranges.h>

#include "base/duration.hpp"

namespace allot::daemon {

using std::chrono::milliseconds;

Section::~Section() {
    for (const auto& [key, value] : table_)
        if (!known_.contains(std::string(key.str())))
            complain(value, fmt::format("{}: no such setting; there is {}", path(std::string(key.str())),
                                        fmt::join(known_, ", ")));
}

const toml::node* Section::find(const std::string& key) {
    known_.insert(key);
    return table_.get(key);
}

void Section::text(const std::string& key, std::string& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<std::string>())
        target = *value;
    else
        complain(*node, fmt::format("{}: write a text, as in {} = \"...\"", path(key), key));
}

void Section::number(const std::string& key, std::uint32_t& target, std::uint32_t low, std::uint32_t high) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::int64_t>();
    if (value && *value >= low && *value <= high)
        target = static_cast<std::uint32_t>(*value);
    else
        complain(*node, fmt::format("{}: write a whole number from {} to {}", path(key), low, high));
}

void Section::flag(const std::string& key, bool& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<bool>())
        target = *value;
    else
        complain(*node, fmt::format("{}: write true or false", path(key)));
}

void Section::duration(const std::string& key, milliseconds& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::string>();
    const auto time = value ? parse_duration(*value) : std::nullopt;
    if (time)
        target = std::chrono::round<milliseconds>(*time);
    else
        complain(*node, fmt::format("{}: write a time, as in \"250ms\" or \"5s\"", path(key)));
}

void Section::texts(const std::string& key, std::vector<std::string>& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) return complain(*node, path(key) + ": write a list, as in [\"a\", \"b\"]");
    for (const toml::node& one : *list) {
        if (const auto value = one.value_exact<std::string>())
            target.push_back(*value);
        else
            complain(one, path(key) + ": write a list of texts, as in [\"a\", \"b\"]");
    }
}

std::vector<std::string> Section::keys() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : table_) all.emplace_back(key.str());
    return all;
}

void Section::complain(const toml::node& where, const std::string& what) {
    if (first_.text.empty()) first_ = {where.source().begin.line, what};
}

}  // namespace allot::daemon
