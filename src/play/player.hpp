// Plays scenario files: takes their steps one by one, judges every world on the way, and reports the line
// that failed and what it found instead.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "play/audience.hpp"
#include "play/expectations.hpp"
#include "world/entry.hpp"

namespace allot::play {

struct Outcome {
    int exit_code = 0;    // 0: as expected; 1: not as expected; 2: malformed scenario
    std::string message;  // FILE:LINE: what was wrong
    bool ok() const { return exit_code == 0; }
};

class Player {
public:
    // Without `servable`, no scenario may expect that a site is unservable.
    explicit Player(std::span<const world::Entry> protocols, Servable servable = {})
        : protocols_(protocols), servable_(std::move(servable)) {}

    // With a `log`, prints there what each line does. Throws stop::Due.
    Outcome play(std::string_view file_name, std::string_view text, std::ostream* log = nullptr) const;
    Outcome play(std::string_view file_name, std::string_view text, Audience& audience) const;

private:
    std::span<const world::Entry> protocols_;
    Servable servable_;
};

}  // namespace allot::play
