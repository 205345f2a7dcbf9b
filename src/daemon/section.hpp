// A table of a configuration in TOML, which is read key by key.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace allot::daemon {

// The first error of a configuration.
struct Complaint {
    std::size_t line = 0;  // 0: it belongs to no line
    std::string text;      // empty: there is none
};

// Finally reports keys that were not read: a misspelt key must not be ignored silently.
class Section {
public:
    Section(const toml::table& table, std::string name, Complaint& first)
        : table_(table), name_(std::move(name)), first_(first) {}
    ~Section();
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

    const toml::node* find(const std::string& key);
    // Each of these changes its target only if the key is there.
    void text(const std::string& key, std::string& target);
    void number(const std::string& key, std::uint32_t& target, std::uint32_t low, std::uint32_t high);
    void flag(const std::string& key, bool& target);
    void duration(const std::string& key, std::chrono::milliseconds& target);
    void texts(const std::string& key, std::vector<std::string>& target);

    // Calls f(section) for the table of that key, if it is there.
    template <class F>
    void table(const std::string& key, F&& f) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        if (const toml::table* table = node->as_table()) {
            Section section(*table, path(key), first_);
            f(section);
        } else {
            complain(*node, fmt::format("{0}: write a table, as in [{0}]", path(key)));
        }
    }

    // Calls f(section, place) for each table of a list.
    template <class F>
    void tables(const std::string& key, F&& f) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        const std::string advice = fmt::format("{0}: write tables, each as [[{0}]]", path(key));
        const toml::array* list = node->as_array();
        if (list == nullptr) return complain(*node, advice);
        for (const toml::node& one : *list) {
            const toml::table* table = one.as_table();
            if (table == nullptr) return complain(one, advice);
            Section section(*table, path(key), first_);
            f(section, one);
        }
    }

    std::vector<std::string> keys() const;
    void complain(const toml::node& where, const std::string& what);
    std::string path(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

private:
    const toml::table& table_;
    std::string name_;
    Complaint& first_;
    std::set<std::string> known_;
};

}  // namespace allot::daemon
