// The picture of a run, for papers and slides: what is drawn, and where. svg.hpp writes it.
#pragma once

#include <string>
#include <vector>

#include "view/layout.hpp"

namespace allot::view {

struct Point {
    double x = 0, y = 0;
};

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    bool meets(const Box& other) const {
        return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
               other.y < y + height;
    }
    bool holds(const Box& other) const {
        return other.x >= x && other.y >= y && other.x + other.width <= x + width &&
               other.y + other.height <= y + height;
    }
};

enum class Ink : std::uint8_t { plain, faint, strong, title };
struct Label {
    Box box;
    std::string text;
    double size = label_size;
    Ink ink{};
};

// The condition of a site, for a while.
struct Bar {
    Box box;
    Look look{};
    bool paused = false;
};

enum class Stroke : std::uint8_t { lane, lane_down, message, message_lost, rule, verdict };
struct Line {
    Point from, to;
    Stroke stroke{};
    bool arrow = false;  // at `to`
    bool loop = false;   // from a site to itself
};

struct Sign {
    Point at;
    Mark mark{};
    bool lost = false;  // a message ends here
};

struct Picture {
    double width = 0;
    double height = 0;
    std::string title;
    std::vector<Box> bands;  // across the lanes, behind the text that says what is violated
    std::vector<Line> lines;
    std::vector<Bar> bars;
    std::vector<Sign> signs;
    std::vector<Label> labels;
};

Picture draw(const Run& run, Direction direction);

}  // namespace allot::view
