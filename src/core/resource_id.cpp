#include "core/resource_id.hpp"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/stable_vector.hpp"
#include "core/resource_names.hpp"

namespace allot {

namespace {

// A place for a name, which another name may have later.
struct Place {
    mutable std::string name;
};

// A thread that has an id reads its name without the lock.
struct Names {
    std::mutex lock;
    StableVector<Place> places;
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    std::vector<std::uint32_t> free;  // numbers whose names are forgotten

    Names() { add(""); }

    std::uint32_t add(std::string_view name) {
        const std::uint32_t number = free_number();
        places[number].name = name;
        numbers.emplace(places[number].name, number);
        return number;
    }

    std::uint32_t free_number() {
        if (free.empty()) return static_cast<std::uint32_t>(places.push_back({}));
        const std::uint32_t number = free.back();
        free.pop_back();
        return number;
    }

    void forget(std::uint32_t number) {
        std::string().swap(places[number].name);
        free.push_back(number);
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
    return all().places[number_].name;
}

std::size_t known_resource_names() {
    Names& names = all();
    const std::lock_guard guard(names.lock);
    return names.numbers.size();
}

void keep_resource_names(const std::unordered_set<std::string_view>& used) {
    Names& names = all();
    const std::lock_guard guard(names.lock);
    for (auto place = names.numbers.begin(); place != names.numbers.end();) {
        const auto [name, number] = *place;
        if (name.empty() || used.contains(name)) {
            ++place;
            continue;
        }
        place = names.numbers.erase(place);
        names.forget(number);
    }
}

}  // namespace allot
