#include "session/status_json.hpp"

#include <string>

#include "core/harmless_texts.hpp"
#include "core/json.hpp"

namespace allot::session {

boost::json::value status_json(Status status) {
    make_harmless(status);
    boost::json::value json = to_json(status);
    auto& resources = json.as_object().at("resources").as_array();
    for (std::size_t i = 0; i < status.resources.size(); ++i) {
        auto& holders = resources[i].as_object().at("holders").as_array();
        for (std::size_t j = 0; j < holders.size(); ++j)
            holders[j].as_object()["fence"] = std::to_string(status.resources[i].holders[j].fence);
    }
    return json;
}

}  // namespace allot::session
