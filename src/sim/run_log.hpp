// The part of RunOf<P> that writes a run down as a scenario.
#pragma once

#include "sim/run_of.hpp"

namespace allot::sim {

template <Protocol P>
void RunOf<P>::log_step(SiteId self, std::string_view verb, std::string_view rest) {
    if (log_ == nullptr) return;
    log_death(self);
    fmt::print(*log_, "{} {}{}", verb, self, rest);
}

template <Protocol P>
void RunOf<P>::log_delivery(const Envelope<Message>& envelope) {
    log_death(envelope.to);
    log_envelope("deliver", envelope);
}

template <Protocol P>
void RunOf<P>::log_envelope(std::string_view verb, const Envelope<Message>& envelope) {
    const auto content = std::visit([](const auto& kind) { return to_json(kind); }, envelope.message);
    fmt::print(*log_, "{} {} -> {} {} {}", verb, envelope.from, envelope.to, kind_name(envelope.message),
               boost::json::serialize(content));
}

template <Protocol P>
void RunOf<P>::log_death(SiteId self) {
    if (agents_[self].dies) fmt::print(*log_, "crash {} in ", self);
}

template <Protocol P>
void RunOf<P>::log_outcome(SiteId self, Phase before) {
    if (log_ == nullptr) return;
    const Phase after = sites_[self].application.phase;
    fmt::print(*log_, "  # {}", time_text(now_));
    if (after != before) fmt::print(*log_, ": {} is {}", self, enum_name(after));
    *log_ << '\n';
}

template <Protocol P>
void RunOf<P>::log_corruption(SiteId self) {
    if (log_ == nullptr) return;
    fmt::print(*log_, "state {} {}\n", self, boost::json::serialize(to_json(sites_[self].protocol)));
}

template <Protocol P>
void RunOf<P>::log_put(const Envelope<Message>& envelope) {
    if (log_ == nullptr) return;
    fmt::print(*log_, "put {} -> {} {}\n", envelope.from, envelope.to,
               boost::json::serialize(to_json(envelope.message)));
}

}  // namespace allot::sim
