// The part of Run for failure and participant detectors.
#include <algorithm>

#include "core/leaves.hpp"
#include "sim/run.hpp"
#include "world/axioms.hpp"
#include "world/lines.hpp"

namespace allot::sim {

void Run::begin_detectors() {
    if (facts().listens(Detection::trusted))
        for (SiteId self = 0; self < surroundings_.founders; ++self)
            for (SiteId peer = 0; peer < surroundings_.founders && may_go_on(); ++peer) {
                if (!listens(self, peer)) continue;
                if (plan_.trust == world::Trust::dense || self == surroundings_.anchor) {
                    const Phase before = at(self).application.phase;
                    stepper_.detect(self, at(self), InputKind::trusted, {peer, 0});
                    settle(self, before);
                } else if (plan_.trust == world::Trust::sparse) {
                    say_later(self, InputKind::trusted, peer);
                }
            }
}

void Run::say_later(SiteId to, InputKind kind, SiteId about) {
    const std::uint32_t slot = words_.take();
    words_[slot] = {to, at(to).incarnation, kind, about};
    push(now_ + plan_.detect.draw(detector_), What::report, slot);
}

void Run::hear(std::uint32_t slot) {
    const Word word = words_[slot];
    Site& site = at(word.to);
    if (site.paused()) return held_words_.push_back(slot);
    words_.give_back(slot);
    const auto incarnation = incarnation_meant(word);
    if (!site.up() || site.incarnation != word.incarnation || !incarnation) return;
    if (log_ != nullptr) log_step(word.to, world::detection_line(word.kind, word.to, word.about));
    take(word.to, site.application.phase, [&] {
        stepper_.detect(word.to, site, word.kind, {word.about, *incarnation});
    });
    // The detector trusts the next incarnation only when the observer knows that the last one has ended.
    if (facts().listens(Detection::trusted) && word.kind == InputKind::dead && at(word.about).up() &&
        plan_.trust != world::Trust::anchor)
        say_later(word.to, InputKind::trusted, word.about);
}

// The incarnation of the peer that this report may name now, if any. This detector never lies, and suspects
// only sites that are gone.
std::optional<std::uint32_t> Run::incarnation_meant(const Word& word) const {
    if (!listens(word.to, word.about)) return std::nullopt;
    const Watch heard = at(word.to).watch(word.about);
    const Detection detection = *world::detection_of(word.kind);
    const auto incarnation =
        world::next_incarnation(detection, heard, facts().listens(Detection::trusted), plan_.trust);
    if (!incarnation) return std::nullopt;
    const Site& peer = at(word.about);
    const auto statement = world::may_say(
        detection, *incarnation, {peer.standing, peer.incarnation, world::stopped_incarnations(peer, false)},
        word.about == surroundings_.anchor, false);
    if (!statement || !statement->fair) return std::nullopt;
    return statement->incarnation;
}

void Run::announce_start(SiteId self) {
    if (!facts().listens(Detection::trusted) || plan_.trust == world::Trust::anchor) return;
    for (SiteId peer = 0; peer < sites(); ++peer)
        if (at(peer).up() && listens(peer, self)) say_later(peer, InputKind::trusted, self);
}

void Run::announce_end(SiteId self) {
    some_are_gone_ = true;
    if (facts().listens(Detection::dead) || facts().listens(Detection::suspected) ||
        facts().listens(Detection::departed) || facts().listens(Detection::stopped))
        for (SiteId peer = 0; peer < sites(); ++peer) {
            if (!at(peer).up() || !listens(peer, self)) continue;
            if (facts().listens(Detection::stopped)) say_later(peer, InputKind::stopped, self);
            if (facts().listens(Detection::dead)) say_later(peer, InputKind::dead, self);
            if (facts().listens(Detection::suspected)) say_later(peer, InputKind::suspected, self);
            if (facts().listens(Detection::departed)) say_later(peer, InputKind::departed, self);
        }
}

// Sites that are gone and named in the message, but not watched by its receiver.
std::vector<SiteId> Run::forgotten_ghosts(const Envelope& envelope) const {
    std::vector<SiteId> ghosts;
    const auto look = [&](SiteId site) {
        if (site < sites() && !at(site).up() && at(site).standing != Standing::absent &&
            !listens(envelope.to, site) && std::ranges::find(ghosts, site) == ghosts.end())
            ghosts.push_back(site);
    };
    if (some_are_gone_ && facts().listens(Detection::departed)) {
        look(envelope.from);
        for_each_site_id(instance_.message_type(), instance_.message(envelope), look);
    }
    return ghosts;
}

// Tells a site that joins or restarts about the others.
void Run::inform(SiteId self) {
    if (facts().listens(Detection::trusted) || facts().listens(Detection::dead) ||
        facts().listens(Detection::suspected) || facts().listens(Detection::departed))
        for (SiteId peer = 0; peer < sites(); ++peer) {
            const Site& other = at(peer);
            if (other.standing == Standing::absent || !listens(self, peer)) continue;
            if (facts().listens(Detection::trusted) && other.up() && plan_.trust != world::Trust::anchor)
                say_later(self, InputKind::trusted, peer);
            const std::uint32_t ended = other.incarnation + (other.up() ? 0 : 1);
            if (facts().listens(Detection::dead) && !facts().listens(Detection::trusted))
                for (std::uint32_t incarnation = 0; incarnation < ended; ++incarnation)
                    say_later(self, InputKind::dead, peer);
            if (facts().listens(Detection::suspected) && !other.up())
                say_later(self, InputKind::suspected, peer);
            if (facts().listens(Detection::departed) && !other.up())
                say_later(self, InputKind::departed, peer);
        }
}

}  // namespace allot::sim
