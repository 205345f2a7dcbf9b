// Statements that are steps: from their words to a move that may happen now, or to the reason why none may.
#pragma once

#include "base/result.hpp"
#include "play/stage.hpp"
#include "play/words.hpp"

namespace allot::play {

// For every verb that is one step of the world. All words must be used up.
Result<world::Move> read_step(Stage& stage, Verb verb, Words& words);

// `Reply {"answers": 1}`
std::string content_text(const world::Machine& machine, world::EnvelopeId envelope);
// What is in flight, for people; a long list is cut.
std::string flight_text(const Stage& stage, const std::vector<world::EnvelopeId>& flight);
// `waiting`, `down`, `absent`: the phase of a site that is up, the standing of another.
std::string_view condition(const world::LocalInfo& site);
}  // namespace allot::play
