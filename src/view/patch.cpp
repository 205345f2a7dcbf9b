#include "view/patch.hpp"

#include <algorithm>

namespace allot::view {

namespace json = boost::json;

namespace {

bool same_members(const json::object& one, const json::object& other) {
    return one.size() == other.size() &&
           std::ranges::all_of(one, [&](const auto& member) { return other.contains(member.key()); });
}

void collect(json::array& path, const json::value& before, const json::value& after, json::array& patch) {
    if (before == after) return;
    const auto* object = before.if_object();
    const auto* array = before.if_array();
    if (object != nullptr && after.is_object() && same_members(*object, after.get_object())) {
        for (const auto& member : *object) {
            path.emplace_back(member.key());
            collect(path, member.value(), after.get_object().at(member.key()), patch);
            path.pop_back();
        }
    } else if (array != nullptr && after.is_array() && array->size() == after.get_array().size()) {
        for (std::size_t i = 0; i < array->size(); ++i) {
            path.emplace_back(i);
            collect(path, (*array)[i], after.get_array()[i], patch);
            path.pop_back();
        }
    } else {
        patch.push_back(json::array{path, after});
    }
}

}  // namespace

json::array patch_between(const json::value& before, const json::value& after) {
    json::array patch;
    json::array path;
    collect(path, before, after, patch);
    return patch;
}

json::value patched(json::value value, const json::array& patch) {
    for (const json::value& change : patch) {
        json::value* place = &value;
        for (const json::value& step : change.at(0).as_array())
            place = step.is_string() ? &place->as_object().at(step.get_string())
                                     : &place->as_array().at(step.to_number<std::size_t>());
        *place = change.at(1);
    }
    return value;
}

}  // namespace allot::view
