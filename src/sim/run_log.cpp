// The part of Run that writes a run as a scenario. The line of a step comes before the step, and its results
// follow as a comment. If the site crashes inside the step, the line waits until it is known which messages
// left.
#include <fmt/ostream.h>

#include "core/json.hpp"
#include "sim/run.hpp"
#include "world/lines.hpp"

namespace allot::sim {

void Run::log_step(SiteId self, std::string line) {
    if (agents_[self].dies)
        cut_short_ = std::move(line);
    else
        *log_ << line;
}

std::string Run::envelope_line(std::string_view verb, const Envelope& envelope) const {
    return world::message_line(verb, envelope, world::kind_name(instance_, envelope),
                               world::message_json(instance_, envelope));
}

void Run::log_outcome(SiteId self, Phase before) {
    if (log_ == nullptr) return;
    const Phase after = at(self).application.phase;
    fmt::print(*log_, "  # {}", time_text(now_));
    if (after != before) fmt::print(*log_, ": {} is {}", self, enum_name(after));
    *log_ << '\n';
}

void Run::log_corruption(SiteId self) {
    if (log_ == nullptr) return;
    *log_ << world::state_line(self, to_json(instance_.state_type(), instance_.state(at(self)))) << '\n';
}

void Run::log_put(const Envelope& envelope) {
    if (log_ == nullptr) return;
    *log_ << world::put_line(envelope, to_json(instance_.message_type(), instance_.message(envelope)))
          << '\n';
}

}  // namespace allot::sim
