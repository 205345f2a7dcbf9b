// A run as data: what a picture of it needs, whoever draws it. The player records it (play/recorder.hpp);
// picture.hpp draws it for paper, and the page of run_page.hpp shows it in a browser.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace allot::view {

// The condition of a site: the phase of one that is up, the standing of another.
enum class Look : std::uint8_t { absent, idle, waiting, holding, revoked, leaving, down, left };
BOOST_DESCRIBE_ENUM(Look, absent, idle, waiting, holding, revoked, leaving, down, left)

// The sort of an event, which has a sign of its own in a picture.
enum class Mark : std::uint8_t { program, message, start, crash, timer, detector, view, link, disk, hand };
BOOST_DESCRIBE_ENUM(Mark, program, message, start, crash, timer, detector, view, link, disk, hand)

// lost: the network dropped it. vanished: its receiver was not there, or it was taken out of flight.
enum class Fate : std::uint8_t { in_flight, delivered, lost, vanished };
BOOST_DESCRIBE_ENUM(Fate, in_flight, delivered, lost, vanished)

struct Message {
    SiteId from = 0;
    SiteId to = 0;
    std::string kind;
    boost::json::value content;
    std::optional<std::uint32_t> sent;  // the event; nothing if it was in flight at the beginning
    std::optional<std::uint32_t> ended;
    Fate fate = Fate::in_flight;
    bool copied = false;  // by the network
};

struct Change {
    SiteId site = 0;
    Look look{};
    bool paused = false;
};

// The difference that an event made to the state of a site: see patch.hpp.
struct StateChange {
    SiteId site = 0;
    boost::json::array patch;
};

struct Event {
    std::size_t line = 0;  // of the scenario
    std::string text;      // as a line of a scenario
    std::string label;     // the same in short, for a picture in which the site can be seen
    std::string note;      // why a request was refused
    std::string time;      // in the log of a simulation
    Mark mark{};
    std::optional<SiteId> site;  // nothing if all are concerned
    std::optional<std::uint32_t> received;
    std::vector<std::string> wants;  // resources that a request names
    std::vector<Change> changes;
    std::vector<StateChange> states;
};

struct Lane {
    Look look{};  // at the beginning
    bool paused = false;
    boost::json::value state;  // null: the site is not up
};

// The violation that the run shows. Without an event it concerns the first world.
struct Verdict {
    std::string property;
    std::string detail;
    std::optional<std::uint32_t> event;
};

struct Run {
    std::string title;   // the first comment of the scenario
    std::string header;  // its first line
    std::vector<Lane> lanes;
    std::vector<Event> events;
    std::vector<Message> messages;
    std::optional<Verdict> verdict;
    std::optional<std::uint32_t> loop;  // the events from this one on repeat forever
};

}  // namespace allot::view
