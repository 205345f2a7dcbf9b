// The part of RunOf<P> that speaks for failure and participant detectors.
#pragma once

#include "sim/run_of.hpp"

namespace allot::sim {

template <Protocol P>
void RunOf<P>::begin_detectors() {
    if constexpr (HearsTrusted<P>)
        for (SiteId self = 0; self < surroundings_.founders; ++self)
            for (SiteId peer = 0; peer < surroundings_.founders; ++peer) {
                if (!listens(self, peer)) continue;
                if (plan_.trust == world::Trust::dense || self == surroundings_.anchor) {
                    const Phase before = sites_[self].application.phase;
                    stepper_.detect(self, sites_[self], InputKind::trusted, {peer, 0});
                    settle(self, before);
                } else if (plan_.trust == world::Trust::sparse) {
                    say_later(self, InputKind::trusted, peer);
                }
            }
}

template <Protocol P>
void RunOf<P>::say_later(SiteId to, InputKind kind, SiteId about) {
    const std::uint32_t slot = words_.take();
    words_[slot] = {to, sites_[to].incarnation, kind, about};
    push(now_ + plan_.detect.draw(detector_), What::report, slot);
}

template <Protocol P>
void RunOf<P>::hear(std::uint32_t slot) {
    const Word word = words_[slot];
    words_.give_back(slot);
    Site<P>& site = sites_[word.to];
    const auto life = life_meant(word);
    if (!site.up() || site.incarnation != word.life || !life) return;
    if (log_ != nullptr) log_step(word.to, enum_name(word.kind), fmt::format(" {}", word.about));
    take(word.to, site.application.phase, [&] {
        stepper_.detect(word.to, site, word.kind, {word.about, *life});
    });
    // The next life is trusted only when the last one is known to be over.
    if (HearsTrusted<P> && word.kind == InputKind::dead && sites_[word.about].up() &&
        plan_.trust != world::Trust::anchor)
        say_later(word.to, InputKind::trusted, word.about);
}

// The axioms of the detectors, as world::Walker has them, for a detector that never lies: of which life of
// the peer this may be said now, if of any.
template <Protocol P>
std::optional<std::uint32_t> RunOf<P>::life_meant(const Word& word) const {
    const Site<P>& peer = sites_[word.about];
    const auto known = sites_[word.to].detector.find(word.about);
    const Watch watch = known == sites_[word.to].detector.end() ? Watch{} : known->second;
    const bool gone = peer.standing == Standing::down || peer.standing == Standing::left;
    switch (word.kind) {
        case InputKind::trusted:
            if (!peer.up() || watch.reported < watch.trusted || peer.incarnation < watch.reported)
                return std::nullopt;
            return peer.incarnation;
        case InputKind::dead: {
            // Without a handler for trust, every life counts as trusted.
            const std::uint32_t trusted = HearsTrusted<P> ? watch.trusted : watch.reported + 1;
            if (watch.reported >= trusted || !(gone || peer.incarnation >= trusted)) return std::nullopt;
            return trusted - 1;
        }
        case InputKind::suspected:
            if (watch.suspected || !gone || word.about == surroundings_.anchor) return std::nullopt;
            return peer.incarnation;
        case InputKind::unsuspected:
            if (!watch.suspected || !peer.up()) return std::nullopt;
            return peer.incarnation;
        default:  // departed
            if (!gone || !listens(word.to, word.about)) return std::nullopt;
            return peer.incarnation;
    }
}

template <Protocol P>
void RunOf<P>::announce_start(SiteId self) {
    if constexpr (HearsTrusted<P> || HearsUnsuspected<P>)
        for (SiteId peer = 0; peer < sites(); ++peer) {
            if (!sites_[peer].up() || !listens(peer, self)) continue;
            if (HearsTrusted<P> && plan_.trust != world::Trust::anchor)
                say_later(peer, InputKind::trusted, self);
            if (HearsUnsuspected<P>) say_later(peer, InputKind::unsuspected, self);
        }
}

template <Protocol P>
void RunOf<P>::announce_end(SiteId self) {
    if constexpr (HearsDead<P> || HearsSuspected<P> || HearsDeparted<P>)
        for (SiteId peer = 0; peer < sites(); ++peer) {
            if (!sites_[peer].up() || !listens(peer, self)) continue;
            if (HearsDead<P>) say_later(peer, InputKind::dead, self);
            if (HearsSuspected<P>) say_later(peer, InputKind::suspected, self);
            if (HearsDeparted<P>) say_later(peer, InputKind::departed, self);
        }
}

// Whoever is gone, and is named by the message, but not watched by its receiver.
template <Protocol P>
std::vector<SiteId> RunOf<P>::forgotten_ghosts(const Envelope<Message>& envelope) const {
    std::vector<SiteId> ghosts;
    const auto look = [&](SiteId site) {
        if (site < sites() && !sites_[site].up() && sites_[site].standing != Standing::absent &&
            !listens(envelope.to, site) && std::ranges::find(ghosts, site) == ghosts.end())
            ghosts.push_back(site);
    };
    if constexpr (HearsDeparted<P>) {
        look(envelope.from);
        for_each_of<SiteId>(envelope.message, look);
    }
    return ghosts;
}

// A site that joins or comes back is told of the others.
template <Protocol P>
void RunOf<P>::inform(SiteId self) {
    if constexpr (HearsTrusted<P> || HearsDead<P> || HearsSuspected<P> || HearsDeparted<P>)
        for (SiteId peer = 0; peer < sites(); ++peer) {
            const Site<P>& other = sites_[peer];
            if (other.standing == Standing::absent || !listens(self, peer)) continue;
            if (HearsTrusted<P> && other.up() && plan_.trust != world::Trust::anchor)
                say_later(self, InputKind::trusted, peer);
            const std::uint32_t lives_over = other.incarnation + (other.up() ? 0 : 1);
            if (HearsDead<P> && !HearsTrusted<P>)
                for (std::uint32_t life = 0; life < lives_over; ++life)
                    say_later(self, InputKind::dead, peer);
            if (HearsSuspected<P> && !other.up()) say_later(self, InputKind::suspected, peer);
            if (HearsDeparted<P> && !other.up()) say_later(self, InputKind::departed, peer);
        }
}

}  // namespace allot::sim
