// Plays scenario files: takes their steps one by one, judges every world on the way, and says which line
// was not as it should be and what was found instead.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "play/expectations.hpp"
#include "world/entry.hpp"

namespace allot::play {

struct Outcome {
    int exit_code = 0;    // 0: all as expected; 1: something was not; 2: the scenario makes no sense
    std::string message;  // FILE:LINE: what was wrong
    bool ok() const { return exit_code == 0; }
};

class Player {
public:
    // Without `servable`, a scenario that expects a site to be unservable cannot be judged.
    explicit Player(std::span<const world::Entry> protocols, Servable servable = {})
        : protocols_(protocols), servable_(std::move(servable)) {}

    // Where `log` is given, tells there what each line does.
    Outcome play(std::string_view file_name, std::string_view text, std::ostream* log = nullptr) const;

private:
    std::span<const world::Entry> protocols_;
    Servable servable_;
};

}  // namespace allot::play
