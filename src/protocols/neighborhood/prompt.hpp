// Prompt messages of the protocols of this problem.
#pragma once

#include "core/view.hpp"

namespace allot::neighborhood {

// A site may as well know at once what it tells itself: the reception commutes with every other step.
template <class Message>
bool is_to_itself(const EnvelopeOf<Message>& envelope) {
    return envelope.from == envelope.to;
}

}  // namespace allot::neighborhood
