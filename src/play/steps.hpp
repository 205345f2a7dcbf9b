// Statements that are steps: turns their words into a possible move, or into the reason why there is none.
#pragma once

#include "base/result.hpp"
#include "play/stage.hpp"
#include "play/words.hpp"

namespace allot::play {

// For every verb that is one step of the world. All words must be consumed.
Result<walk::Move> read_step(Stage& stage, Verb verb, Words& words);

// `Reply {"answers": 1}`
std::string content_text(const walk::Machine& machine, walk::EnvelopeId envelope);
// The messages in flight as text; a long list is cut.
std::string flight_text(const Stage& stage, const std::vector<walk::EnvelopeId>& flight);
// `waiting`, `down`, `absent`: the phase of a site that is up, the standing of another.
std::string_view condition(const walk::LocalInfo& site);
}  // namespace allot::play
