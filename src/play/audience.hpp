// Hears what happens while a scenario is played: the narrator (narrator.hpp) prints it as lines for people,
// the recorder (recorder.hpp) makes a run of it that can be drawn.
#pragma once

#include <string>

#include "play/stage.hpp"

namespace allot::play {

class Audience {
public:
    virtual ~Audience() = default;

    // The founders have started; nothing else has happened.
    virtual void beginning(const Stage&) {}
    // A step was taken. `line` is that of the file, and `text` the step as a line of its own.
    virtual void step(std::size_t line, const std::string& text, const Stage& stage, const walk::Move& move,
                      const Taken& taken) = 0;
    // A line that is no step, and what came of it.
    virtual void note(std::size_t line, const std::string& text, const std::string& result) = 0;
    // A line changed the world by hand.
    virtual void rewritten(const Stage&) {}
    // The last step, or the world made by hand, violates a property.
    virtual void violated(const Report&) {}
    virtual void show(const Stage&) {}
};

}  // namespace allot::play
