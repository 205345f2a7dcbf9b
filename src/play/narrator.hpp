// Prints what a scenario does, line by line, in columns: the line of the file, the step, the changes, and the
// messages sent.
#pragma once

#include <iosfwd>
#include <string>

#include "play/audience.hpp"

namespace allot::play {

class Narrator : public Audience {
public:
    explicit Narrator(std::ostream* log) : log_(log) {}

    void step(std::size_t line, const std::string& text, const Stage& stage, const walk::Move& move,
              const Taken& taken) override;
    void note(std::size_t line, const std::string& text, const std::string& result) override;
    // Prints the world: the sites in a table, then the messages in flight by channel.
    void show(const Stage& stage) override;

private:
    void row(std::size_t line, const std::string& text, const std::string& changes, const std::string& sent);

    std::ostream* log_;  // null: print nothing
};

}  // namespace allot::play
