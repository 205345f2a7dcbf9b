// Where the events of a run stand along the axis of time.
//
// A spot is something with a label at a site: an event, or the end of a message that was not delivered. Spots
// stand one behind the other. With time downwards each has a line of its own. With time to the right a spot
// stands close behind the one before it, except where their labels would meet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "view/run.hpp"

namespace allot::view {

// Of the axis of time.
enum class Direction : std::uint8_t { down, right };
BOOST_DESCRIBE_ENUM(Direction, down, right)

// On which side of its lane a label stands: the one that the message does not come from.
enum class Side : std::uint8_t { before, after };

enum class SpotKind : std::uint8_t { event, vanished, in_flight, verdict, loop };

struct Spot {
    SpotKind kind{};
    std::optional<std::uint32_t> event;
    std::optional<std::uint32_t> message;  // that ends here
    std::optional<SiteId> site;            // nothing: all
    Side side = Side::after;
    std::string label;
    double at = 0;
};

constexpr double label_size = 11;
constexpr double label_height = 13;
constexpr double label_distance = 9;  // from the middle of a lane, with time downwards

struct Layout {
    std::vector<Spot> spots;
    std::vector<double> at_event;  // where each event stands
    // Where the event of the verdict and all that belongs to it are over.
    double length = 0;
    // With time to the right: where each row of the picture begins.
    std::vector<double> rows{0};
};

// `width`: how long a row may be, with time to the right.
Layout layout_of(const Run& run, Direction direction, double width);

}  // namespace allot::view
