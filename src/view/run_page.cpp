#include "view/run_page.hpp"

#include <boost/json/serialize.hpp>

#include "core/reflect.hpp"
#include "view/bundle.hpp"

namespace allot::view {

namespace json = boost::json;

namespace {

json::object message_json(const Message& message) {
    json::object object{{"from", message.from},
                        {"to", message.to},
                        {"kind", message.kind},
                        {"content", message.content},
                        {"fate", enum_name(message.fate)}};
    if (message.sent) object["sent"] = *message.sent;
    if (message.ended) object["ended"] = *message.ended;
    if (message.copied) object["copied"] = true;
    return object;
}

// Members that say nothing are left out: a long run has many of them.
json::object event_json(const Event& event) {
    json::object object{
        {"line", event.line}, {"text", event.text}, {"label", event.label}, {"mark", enum_name(event.mark)}};
    if (event.site) object["site"] = *event.site;
    if (!event.note.empty()) object["note"] = event.note;
    if (!event.time.empty()) object["time"] = event.time;
    if (event.received) object["received"] = *event.received;
    if (!event.wants.empty()) object["wants"] = json::array(event.wants.begin(), event.wants.end());
    json::array changes;
    for (const Change& change : event.changes)
        changes.push_back(json::array{change.site, enum_name(change.look), change.paused});
    if (!changes.empty()) object["changes"] = std::move(changes);
    json::array states;
    for (const StateChange& change : event.states) states.push_back(json::array{change.site, change.patch});
    if (!states.empty()) object["states"] = std::move(states);
    return object;
}

}  // namespace

json::value run_json(const Run& run) {
    json::array lanes;
    for (const Lane& lane : run.lanes)
        lanes.push_back({{"look", enum_name(lane.look)}, {"paused", lane.paused}, {"state", lane.state}});
    json::array events;
    for (const Event& event : run.events) events.push_back(event_json(event));
    json::array messages;
    for (const Message& message : run.messages) messages.push_back(message_json(message));
    json::object object{{"title", run.title},
                        {"header", run.header},
                        {"lanes", std::move(lanes)},
                        {"events", std::move(events)},
                        {"messages", std::move(messages)}};
    if (run.verdict) {
        json::object verdict{{"property", run.verdict->property}, {"detail", run.verdict->detail}};
        if (run.verdict->event) verdict["event"] = *run.verdict->event;
        object["verdict"] = std::move(verdict);
    }
    if (run.loop) object["loop"] = *run.loop;
    return object;
}

std::string run_page(const Run& run) {
    return page_with(viewer_page_text, run_json(run));
}

}  // namespace allot::view
