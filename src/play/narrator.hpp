// Prints what a scenario does, line by line, in columns: the line of the file, the step, the changes, and the
// messages sent.
#pragma once

#include <iosfwd>
#include <string>

#include "play/stage.hpp"

namespace allot::play {

class Narrator {
public:
    explicit Narrator(std::ostream* log) : log_(log) {}

    void step(std::size_t line, const std::string& text, const Stage& stage, const Taken& taken);
    void note(std::size_t line, const std::string& text, const std::string& result);
    // Prints the world: the sites in a table, then the messages in flight by channel.
    void show(const Stage& stage);

private:
    void row(std::size_t line, const std::string& text, const std::string& changes, const std::string& sent);

    std::ostream* log_;  // null: print nothing
};

}  // namespace allot::play
