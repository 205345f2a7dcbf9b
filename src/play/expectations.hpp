// Compares the expectations of a scenario with its world.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "play/stage.hpp"
#include "play/words.hpp"

namespace allot::play {

// Whether a waiting site can still be served from this world. The command line passes the checker.
using Servable = std::function<bool(walk::Machine&, const walk::World&, SiteId)>;

// Why a scenario ends before its last line: an expectation fails, or a line is malformed.
struct Fault {
    enum class Kind : std::uint8_t { failed, bad };
    Kind kind{};
    std::string message;
};
using Problem = std::optional<Fault>;

inline Fault failed(std::string message) {
    return {Fault::Kind::failed, std::move(message)};
}
inline Fault bad(std::string message) {
    return {Fault::Kind::bad, std::move(message)};
}

// The forms of `expect ...`, for error messages.
inline constexpr std::string_view expect_usage =
    "expect holding|waiting|idle|leaving|revoked SITE... [only], expect holding none, "
    "expect sent KIND COUNT, expect in-flight [FROM -> TO] COUNT, expect state SITE JSON, "
    "expect legitimate, expect violation PROPERTY, expect stuck SITE..., "
    "expect unservable SITE... or expect starving SITE...";

// Judges the words after `expect`. `violation`: what the last step violated; clean if nothing.
Problem judge_expectation(Stage& stage, const Report& violation, const Servable& servable, Words& words);

// True if these words after `expect` judge the endless loop, and so end it.
bool concludes_loop(const std::vector<std::string>& words);

}  // namespace allot::play
