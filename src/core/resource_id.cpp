#include "core/resource_id.hpp"

#include <mutex>
#include <unordered_map>

#include "base/stable_vector.hpp"

namespace allot {

namespace {

// A thread that has an id reads its name without the lock.
struct Names {
    std::mutex lock;
    StableVector<std::string> names;
    std::unordered_map<std::string_view, std::uint32_t> numbers;

    Names() { add(""); }

    std::uint32_t add(std::string_view name) {
        const auto number = static_cast<std::uint32_t>(names.push_back(std::string(name)));
        numbers.emplace(names[number], number);
        return number;
    }
};

Names& all() {
    static Names names;
    return names;
}

}  // namespace

std::uint32_t ResourceId::number_of(std::string_view name) {
    Names& names = all();
    const std::lock_guard guard(names.lock);
    const auto known = names.numbers.find(name);
    return known != names.numbers.end() ? known->second : names.add(name);
}

const std::string& ResourceId::name() const {
    return all().names[number_];
}

}  // namespace allot
