// Prompt messages of the protocols of this problem.
#pragma once

#include "core/view.hpp"

namespace allot::neighborhood {

// A message to oneself is prompt: its reception commutes with every other step.
template <class Message>
bool is_to_itself(const EnvelopeOf<Message>& envelope) {
    return envelope.from == envelope.to;
}

}  // namespace allot::neighborhood
