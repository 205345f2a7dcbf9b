#include "protocols/semaphore/permits.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/semaphore/permits_open.hpp"

namespace allot {

void permits::FencesGrowInOrder::observe(const Event& event, Report& report) {
    if (event.kind != Event::Kind::granted || event.fences.empty()) return;
    const std::pair next(event.fences.front(), event.site);
    if (next <= std::pair(stamp, site))
        report.violated("fences-grow", "fence " + FencesGrow::text(next.first) + " of site " +
                                           std::to_string(next.second) + " after " + FencesGrow::text(stamp) +
                                           " of site " + std::to_string(site));
    stamp = next.first;
    site = next.second;
}

std::optional<std::string> Permits::config_error(const Config& config) {
    const auto number = [](const char* flag, std::uint32_t value, std::uint32_t most) {
        return "--" + std::string(flag) + " " + std::to_string(value) + ": write a number from 1 to " +
               std::to_string(most);
    };
    if (config.permits < 1 || config.permits > config.sites * std::max(config.max_request, 1u))
        return number("permits", config.permits, config.sites * std::max(config.max_request, 1u));
    if (config.max_request < 1 || config.max_request > config.permits)
        return number("max-request", config.max_request, config.permits);
    if (config.founders > config.sites) return number("founders", config.founders, config.sites);
    if (config.first_members() < config.sites && !config.open())
        return "--founders " + std::to_string(config.founders) +
               ": no site joins a fixed group; permits-open has open ones";
    return std::nullopt;
}

std::optional<Domain> Permits::domain(const Context& ctx, std::string_view member) {
    if (member == "units") return Domain{0, ctx.config.permits};
    // Some members keep an incarnation plus 1.
    for (const std::string_view incarnation : {"life", "sender", "addressee", "incarnation"})
        if (member == incarnation) return Domain{0, std::numeric_limits<std::uint32_t>::max() - 1};
    if (member == "members" || member == "gone") return Domain{.longest = ctx.config.sites};
    return std::nullopt;
}

std::optional<std::string> Permits::state_error(const Context& ctx) const {
    if (peers_.size() != ctx.config.sites) return "peers needs one entry per site";
    if (phase_ != Phase::idle && !stamp_) return "a site that waits or holds has a stamp";
    return std::nullopt;
}

// Any faults except undetectable ones: a site that is not watched must not crash.
std::uint32_t Permits::sample_any(Draw& draw) {
    const auto sites = draw.number("sites", 2, 5);
    const auto permits = draw.number("permits", 1, sites);
    draw.number("max-request", 1, permits);
    draw.requests(3);
    draw.toggle("cancel");
    draw.faults("crashes", sites - 1);
    draw.faults("leaves", 2);
    draw.faults("duplicate", 2);
    draw.faults("lose", 2);
    return sites;
}

void Permits::sample(Draw& draw) {
    const auto sites = sample_any(draw);
    draw.toggle("start-up");
    draw.number("anchor", 0, sites - 1);
    draw.choice("trust", {"dense", "sparse", "anchor"});
}

void PermitsOpen::sample(Draw& draw) {
    const auto sites = sample_any(draw);
    draw.number("founders", 1, sites);
    draw.faults("restarts", 3);
    draw.choice("anchor", {"none", "0"});
    if (draw.toggle("start-up"))
        draw.choice("trust", {"dense", "sparse"});
    else
        draw.choice("trust", {"dense"});
}

std::vector<Demand> Permits::demands(const Context& ctx) {
    std::vector<Demand> list;
    for (std::uint32_t units = 1; units <= ctx.config.max_request; ++units) list.push_back({units, {}});
    return list;
}

template <class F>
void Permits::for_each_peer(const Context& ctx, F&& f) const {
    for (SiteId site = 0; site < peers_.size(); ++site)
        if (site != ctx.self && peers_[site].standing == PeerStatus::member) f(site);
}

// --- Registration.

void Permits::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
    peers_.share();
}

void Permits::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::trusted:
            return trusted(ctx, peer, fx);
        case Detection::dead:
            return dead(ctx, peer, fx);
        case Detection::suspected:
            return suspected(ctx, peer, fx);
        case Detection::reconnected:
            return reconnected(ctx, peer, fx);
        default:
            return;
    }
}

void Permits::start(const Context& ctx, Effects& fx) {
    peers_.resize(ctx.config.sites);
    const SiteId founders = ctx.config.first_members();
    for (SiteId site = 0; site < founders; ++site)
        if (site != ctx.self) peers_[site].standing = PeerStatus::member;
    starting_ = ctx.config.start_up || !founder(ctx);
    if (!starting_) return;
    for_each_peer(ctx, [&](SiteId peer) { fx.send(peer, Init{ctx.incarnation}); });
    go_on(ctx, fx);
}

void Permits::receive(const Context& ctx, SiteId from, const Init& init, Effects& fx) {
    if (about(from).is_over(init.life)) return fx.reached("word-of-the-gone");
    meet(ctx, {from, init.life}, fx);
    peers_[from].parked = std::max(about(from).parked, init.life + 1);
    try_admit(ctx, from, fx);
    go_on(ctx, fx);
}

void Permits::try_admit(const Context& ctx, SiteId newcomer, Effects& fx) {
    Acquaintance& peer = peers_[newcomer];
    if (peer.parked == 0 || peer.parked > peer.life + 1) return;  // no request, or another incarnation
    // A starting site knows too little to vouch for a stranger; it answers when it has started.
    const bool too_early = starting_ && ctx.config.open() && peer.standing == PeerStatus::stranger;
    if (peer.is_over(peer.parked - 1)) {
        peer.parked = 0;
    } else if (peer.is_trusted() && !too_early) {
        peer.parked = 0;
        admit(ctx, newcomer, fx);
    } else {
        fx.reached("init-parked");
    }
}

void Permits::admit(const Context& ctx, SiteId newcomer, Effects& fx) {
    Acquaintance& peer = peers_[newcomer];
    if (peer.standing == PeerStatus::stranger) {
        if (!ctx.config.open()) return;
        peer.standing = PeerStatus::member;
        // The newcomer does not ask yet, and its first stamp will exceed the clock it gets with the
        // acknowledgement.
        if (phase_ == Phase::waiting) {
            peer.permitted = true;
            fx.reached("implied-permission");
        }
    }
    acknowledge(ctx, newcomer, fx);
}

void Permits::acknowledge(const Context& ctx, SiteId newcomer, Effects& fx) {
    Ack ack{.lives = lives(ctx, newcomer)};
    const bool open = ctx.config.open();
    if (open) {
        ack.clock = clock_;
        ack.started = !starting_;
    }
    for (SiteId site = 0; site < peers_.size(); ++site) {
        const Acquaintance& peer = about(site);
        if (open && peer.standing == PeerStatus::member) ack.members.push_back({site, peer.life});
        if (open && peer.standing == PeerStatus::gone) ack.gone.push_back({site, peer.life});
        // It is back but no member yet: word of the end of its earlier incarnation is still missing.
        if (open && peer.standing == PeerStatus::stranger && peer.life > 0)
            ack.gone.push_back({site, peer.life - 1});
    }
    fx.send(newcomer, std::move(ack));
}

void Permits::receive(const Context& ctx, SiteId from, const Ack& ack, Effects& fx) {
    if (ack.lives.addressee != ctx.incarnation) return;
    if (ack.clock) clock_ = max(clock_, *ack.clock);
    take_word(ctx, from, ack, fx);
    if (meet(ctx, {from, ack.lives.sender}, fx) && starting_) {
        if (ctx.config.open()) peers_[from].standing = PeerStatus::member;
        peers_[from].acked = true;
        vouched_ = vouched_ || ack.started;
        conclude(ctx, from, fx);
    }
    if (starting_) meet_members(ctx, ack.members, fx);
    go_on(ctx, fx);
}

// The sender vouches for these ends: a member in a later incarnation has no earlier one. Nor has the sender
// itself, and if it has started it knows what its earlier incarnations were granted.
void Permits::take_word(const Context& ctx, SiteId from, const Ack& ack, Effects& fx) {
    const auto earlier_lives_over = [&](const Peer& peer) {
        if (peer.site != ctx.self && peer.incarnation > 0)
            learn_gone(ctx, {peer.site, peer.incarnation - 1}, ctx.config.repairs.relay, fx);
    };
    for (const Peer& victim : ack.gone) learn_gone(ctx, victim, ctx.config.repairs.relay, fx);
    for (const Peer& member : ack.members) earlier_lives_over(member);
    if (ack.started) earlier_lives_over({from, ack.lives.sender});
}

// All members first, so that an acknowledgement that I send now names them all.
void Permits::meet_members(const Context& ctx, const std::vector<Peer>& members, Effects& fx) {
    for (const Peer& member : members)
        if (member.site != ctx.self && meet(ctx, member, fx)) greet(ctx, member.site, fx);
    for (const Peer& member : members)
        if (member.site != ctx.self) try_admit(ctx, member.site, fx);
}

void Permits::greet(const Context& ctx, SiteId stranger, Effects& fx) {
    if (about(stranger).standing != PeerStatus::stranger) return;
    peers_[stranger].standing = PeerStatus::member;
    fx.send(stranger, Init{ctx.incarnation});
}

void Permits::finish_start(const Context& ctx, Effects& fx) {
    starting_ = vouched_ = false;
    for (SiteId site = 0; site < peers_.size(); ++site) {
        peers_[site].acked = peers_[site].excused = false;
        conclude(ctx, site, fx);
        try_admit(ctx, site, fx);
    }
}

// The end of every handler that may have brought me closer to a grant. Not earlier: in the middle of a
// handler a member may be missing that is about to be added.
void Permits::go_on(const Context& ctx, Effects& fx) {
    if (starting_ && started(ctx)) finish_start(ctx, fx);
    if (phase_ != Phase::waiting || !may_enter(ctx)) return;
    phase_ = Phase::holding;
    // With several permits the stamps of successive holders need not grow, so they are no fences.
    fx.granted(ctx.config.permits == 1 ? std::vector<Fence>{*stamp_} : std::vector<Fence>{});
}

bool Permits::started(const Context& ctx) const {
    const bool open = ctx.config.open();
    if (!open && ctx.incarnation > 0) return false;  // no site returns to a fixed group
    // A site that may ask knows all others that may. A starting site does not, and a founder needs no one.
    if (!founder(ctx) && !vouched_) return false;
    if (!ctx.config.repairs.join_barrier) return true;
    for (SiteId site = 0; site < peers_.size(); ++site) {
        const Acquaintance& peer = peers_[site];
        if (site == ctx.self || peer.standing != PeerStatus::member) continue;
        if (open ? !peer.acked || !peer.is_trusted() : !peer.acked && !peer.excused) return false;
    }
    return true;
}

// --- Asking and answering.

void Permits::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(!starting_ && phase_ == Phase::idle,
           "a request before the start is over, or while another is open");
    phase_ = Phase::waiting;
    stamp_ = clock_.next();
    units_ = demand.units;
    if (ctx.config.repairs.advance_clock) clock_ = *stamp_;
    for_each_peer(ctx, [&](SiteId site) {
        peers_[site].permitted = false;
        peers_[site].bound = 0;
        fx.send(site, Request{lives(ctx, site), *stamp_});
    });
    go_on(ctx, fx);
}

void Permits::receive(const Context& ctx, SiteId from, const Request& request, Effects& fx) {
    clock_ = max(clock_, request.stamp);
    // A starting site uses nothing and will ask with a later stamp, so it permits every request, even of
    // strangers.
    if (starting_) return fx.send(from, Reply{{ctx.incarnation, request.lives.sender}, request.stamp});
    if (!is_of_member(ctx, from, request.lives, fx)) return go_on(ctx, fx);
    if (!goes_first(ctx, from, request.stamp)) return fx.send(from, Reply{lives(ctx, from), request.stamp});
    peers_[from].owed = max(about(from).owed.value_or(request.stamp), request.stamp);
    if (ctx.config.max_request > 1) fx.send(from, Defer{lives(ctx, from), request.stamp, units_});
}

void Permits::receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx) {
    if (!is_of_member(ctx, from, reply.lives, fx)) return go_on(ctx, fx);
    if (phase_ != Phase::waiting || reply.stamp < *stamp_) return fx.reached("reply-too-late");
    peers_[from].permitted = true;
    go_on(ctx, fx);
}

void Permits::receive(const Context& ctx, SiteId from, const Defer& defer, Effects& fx) {
    const bool counts = is_of_member(ctx, from, defer.lives, fx);
    if (counts && phase_ == Phase::waiting && defer.stamp == *stamp_) peers_[from].bound = defer.units;
    go_on(ctx, fx);
}

void Permits::release(const Context& ctx, Effects& fx) {
    phase_ = Phase::idle;
    stamp_.reset();
    units_ = 0;
    for_each_peer(ctx, [&](SiteId site) {
        Acquaintance& peer = peers_[site];
        peer.permitted = false;
        peer.bound = 0;
        if (!peer.owed) return;
        fx.send(site, Reply{lives(ctx, site), *peer.owed});
        peer.owed.reset();
    });
    fx.released();
}

// True if a member sent this message to my present incarnation, in the incarnation in which I know it.
bool Permits::is_of_member(const Context& ctx, SiteId from, const Lives& lives, Effects& fx) {
    if (lives.addressee != ctx.incarnation) {
        fx.reached("earlier-incarnation");
        return false;
    }
    if (!meet(ctx, {from, lives.sender}, fx)) {
        fx.reached("word-of-the-gone");
        return false;
    }
    // Without the barrier, a member is discovered by its request.
    if (!ctx.config.repairs.join_barrier) peers_[from].standing = PeerStatus::member;
    return about(from).standing == PeerStatus::member;
}

bool Permits::goes_first(const Context& ctx, SiteId other, Stamp others_stamp) const {
    if (phase_ == Phase::holding) return true;
    return phase_ == Phase::waiting && std::pair(*stamp_, ctx.self) < std::pair(others_stamp, other);
}

// A peer that has not permitted my request may hold the units that it named, or else the maximum of a
// request.
bool Permits::may_enter(const Context& ctx) const {
    std::uint64_t units = units_;
    for (SiteId site = 0; site < peers_.size() && units <= ctx.config.permits; ++site) {
        const Acquaintance& peer = peers_[site];
        if (site == ctx.self || peer.standing != PeerStatus::member || peer.permitted) continue;
        units += peer.bound > 0 ? peer.bound : ctx.config.max_request;
    }
    return units <= ctx.config.permits;
}

// --- Deaths.

void Permits::trusted(const Context& ctx, Peer peer, Effects& fx) {
    Acquaintance& known = peers_[peer.site];
    if (known.is_over(peer.incarnation)) return;
    known.trusted = std::max(known.trusted, peer.incarnation + 1);
    meet(ctx, peer, fx);
    try_admit(ctx, peer.site, fx);
    go_on(ctx, fx);
}

void Permits::suspected(const Context& ctx, Peer peer, Effects& fx) {
    if (!starting_ || ctx.config.open()) return;
    peers_[peer.site].excused = true;
    go_on(ctx, fx);
}

void Permits::dead(const Context& ctx, Peer peer, Effects& fx) {
    if (!ctx.config.repairs.apply_crash) return tell_others(ctx, peer, fx);
    Acquaintance& known = peers_[peer.site];
    if (known.is_over(peer.incarnation)) return;
    known.reported = std::max(known.reported, peer.incarnation + 1);
    conclude(ctx, peer.site, fx);
    go_on(ctx, fx);
}

void Permits::receive(const Context& ctx, SiteId, const Crash& crash, Effects& fx) {
    if (crash.clock) clock_ = max(clock_, *crash.clock);
    learn_gone(ctx, crash.victim, ctx.config.repairs.relay, fx);
    go_on(ctx, fx);
}

void Permits::leave(const Context& ctx, Effects& fx) {
    for_each_peer(ctx, [&](SiteId peer) { fx.send(peer, Leave{ctx.incarnation, clock_to_tell(ctx)}); });
}

void Permits::receive(const Context& ctx, SiteId from, const Leave& leave, Effects& fx) {
    if (leave.clock) clock_ = max(clock_, *leave.clock);
    dead(ctx, {from, leave.life}, fx);
}

// A sign of life of a peer: true if it is the incarnation that I know and it may still be alive.
bool Permits::meet(const Context& ctx, Peer peer, Effects& fx) {
    if (peer.incarnation > about(peer.site).life)
        peers_[peer.site].later = std::max(about(peer.site).later, peer.incarnation);
    conclude(ctx, peer.site, fx);
    const Acquaintance& known = about(peer.site);
    return known.life == peer.incarnation && !known.is_over(peer.incarnation);
}

// Conclusions from my detector's reports and from signs of a later incarnation, which prove that the earlier
// ones have ended.
void Permits::conclude(const Context& ctx, SiteId site, Effects& fx) {
    const bool nothing_new =
        about(site).reported <= about(site).life && about(site).later <= about(site).life;
    if (nothing_new) return;
    Acquaintance& known = peers_[site];
    if (known.standing != PeerStatus::gone) {
        if (needs_word(ctx, site)) return fx.reached("death-needs-word");
        if (known.reported <= known.life) fx.reached("later-incarnation");
        bury(ctx, site, true, fx);
    }
    // While I start, the incarnations in between need word, too.
    const bool next = known.later == known.life + 1 || !starting_ || !ctx.config.open();
    if (known.later == 0 || !next) return;
    turn_to({site, known.later});
    conclude(ctx, site, fx);
}

// A site that has not acknowledged me does not count me, unless we founded the group together: it may have
// been granted something that I do not know. So its end must be reported by a site that knew it, with that
// site's clock; otherwise I could ask with a stamp below those of its grants.
bool Permits::needs_word(const Context& ctx, SiteId site) const {
    if (!ctx.config.open() || !ctx.config.repairs.dead_by_word || !starting_) return false;
    const bool founded_together = founder(ctx) && site < ctx.config.first_members() && peers_[site].life == 0;
    return !founded_together && !peers_[site].acked;
}

bool Permits::founder(const Context& ctx) {
    return ctx.self < ctx.config.first_members() && ctx.incarnation == 0;
}

void Permits::learn_gone(const Context& ctx, Peer victim, bool tell, Effects& fx) {
    if (victim.site == ctx.self) {
        ensure(victim.incarnation < ctx.incarnation, "this site is taken for dead: it must stop");
        return;
    }
    Acquaintance& known = peers_[victim.site];
    if (known.is_over(victim.incarnation)) return;
    if (known.life < victim.incarnation) turn_to(victim);
    bury(ctx, victim.site, tell, fx);
    conclude(ctx, victim.site, fx);
}

void Permits::bury(const Context& ctx, SiteId site, bool tell, Effects& fx) {
    Acquaintance& known = peers_[site];
    if (starting_) fx.reached("death-in-start");
    if (phase_ == Phase::waiting && !known.permitted) fx.reached("death-of-a-missing");
    forget(known, known.life + 1);
    known.standing = PeerStatus::gone;
    if (tell) tell_others(ctx, {site, known.life}, fx);
}

void Permits::turn_to(Peer peer) {
    peers_[peer.site].life = peer.incarnation;
    forget(peers_[peer.site], peer.incarnation);
}

// Forgets everything but its incarnation and the signs of incarnations from `first` on.
void Permits::forget(Acquaintance& known, std::uint32_t first) {
    const auto kept = [&](std::uint32_t life_plus_1) { return life_plus_1 > first ? life_plus_1 : 0; };
    known = {.life = known.life,
             .later = known.later > known.life ? known.later : 0,
             .reported = kept(known.reported),
             .trusted = kept(known.trusted),
             .parked = kept(known.parked)};
}

void Permits::tell_others(const Context& ctx, Peer victim, Effects& fx) {
    for_each_peer(ctx, [&](SiteId peer) {
        if (peer != victim.site) fx.send(peer, Crash{victim, clock_to_tell(ctx)});
    });
}

std::optional<Stamp> Permits::clock_to_tell(const Context& ctx) const {
    if (ctx.config.open() && ctx.config.repairs.clock_in_crash) return clock_;
    return std::nullopt;
}

// --- Links that lose messages.

// Every message may be received twice, so repeat everything that may have been lost: the requests that I
// still wait for, and the sites that I know to be gone.
void Permits::reconnected(const Context& ctx, Peer peer, Effects& fx) {
    const Acquaintance& known = about(peer.site);
    if (known.standing != PeerStatus::member) return;
    fx.reached("asked-again");
    if (starting_) fx.send(peer.site, Init{ctx.incarnation});
    if (phase_ == Phase::waiting && !known.permitted)
        fx.send(peer.site, Request{lives(ctx, peer.site), *stamp_});
    for (SiteId site = 0; site < peers_.size(); ++site) {
        const std::uint32_t lives_over =
            about(site).life + (about(site).standing == PeerStatus::gone ? 1 : 0);
        if (lives_over > 0) fx.send(peer.site, Crash{{site, lives_over - 1}, clock_to_tell(ctx)});
    }
}

bool Permits::prompt(const EnvelopeOf<Message>& envelope) {
    const Message& message = envelope.message;
    if (const auto* ack = std::get_if<Ack>(&message)) return !ack->clock && ack->gone.empty();
    return std::holds_alternative<Reply>(message) || std::holds_alternative<Defer>(message);
}

// --- Properties (section 11).

template <class P>
void Permits::on_state(const View<P>& view, Report& report) {
    check_units(view, report);
    check_order(view, report);
    for (SiteId self = 0; self < view.sites.size(); ++self)
        if (view.site(self).up()) check_site(view, self, report);
}

template <class P>
void Permits::check_units(const View<P>& view, Report& report) {  // I1
    std::uint64_t units = 0;
    for (const auto* site : view.sites)
        if (site->holding()) units += site->application.demand.units;
    if (units > view.config.permits)
        report.violated("at-most-k",
                        std::to_string(units) + " units are held of " + std::to_string(view.config.permits));
}

template <class P>
void Permits::check_order(const View<P>& view, Report& report) {  // I5
    const auto order = [&](SiteId site) { return std::pair(*view.site(site).protocol.stamp_, site); };
    for (SiteId early = 0; early < view.sites.size(); ++early) {
        if (!view.site(early).holding()) continue;
        for (SiteId late = 0; late < view.sites.size(); ++late)
            if (view.site(late).holding() && order(early) < order(late) &&
                view.site(late).protocol.peers_[early].permitted)
                report.violated("order-kept", "site " + std::to_string(early) +
                                                  " holds, and permitted site " + std::to_string(late) +
                                                  " to, which asked later");
    }
}

template <class P>
void Permits::check_site(const View<P>& view, SiteId self, Report& report) {
    const Permits& site = view.site(self).protocol;
    const auto tell = [&](const char* property, const char* what, SiteId other) {
        report.violated(property,
                        "site " + std::to_string(self) + " " + what + " site " + std::to_string(other));
    };
    for (SiteId other = 0; other < view.sites.size(); ++other) {
        const Acquaintance& known = site.peers_[other];
        const auto& peer = view.site(other);
        const bool same_life = peer.up() && peer.incarnation == known.life;
        if (known.standing == PeerStatus::gone && same_life)
            tell("dead-are-dead", "takes for dead", other);                                            // I2
        if (known.owed && site.phase_ == Phase::idle) tell("owed-in-use", "is idle and owes", other);  // I3
        // I8, and more: a starting site may still wait for word, but of two sites that may ask each counts
        // the other.
        const bool both = other != self && peer.up() && !site.starting_ && !peer.protocol.starting_;
        if (both && (known.standing != PeerStatus::member || !same_life))
            tell("mutual", "does not count", other);
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"at-most-k", "live sites hold no more than k units"},
    PropertyName{"dead-are-dead", "no site takes a live site for dead"},
    PropertyName{"owed-in-use", "only a site that waits or holds defers an answer"},
    PropertyName{"order-kept", "no holder has permitted a later request of another holder"},
    PropertyName{"mutual", "of two live sites that may ask, each counts the other"},
    PropertyName{"fences-grow", "with one permit, stamp and site of successive holders grow"},
};
constexpr std::array<std::string_view, 10> probes{
    "init-parked",    "reply-too-late",    "word-of-the-gone",   "earlier-incarnation", "death-of-a-missing",
    "death-in-start", "later-incarnation", "implied-permission", "asked-again",         "death-needs-word"};

}  // namespace

constinit const Model<Permits, permits::FencesGrowInOrder> Permits::model{
    .name = "permits",
    .problem = "semaphore",
    .summary = "k permits among N sites, live under any crashes",
    .source =
        "after Bouillaguet, Arantes and Sens: Fault Tolerant K-Mutual Exclusion Algorithm Using Failure "
        "Detector",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state<Permits>,
    .probes = probes,
    .config_error = &config_error,
    .founders = [](const Config& config) { return config.founders; },
    .domain = &domain,
    .sample = &sample,
    .requests = {.may_request = &Permits::may_request,
                 .demands = &demands,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.permits; },
                 .capacity_is_bound = true},
    .faults = {.hears = {Detection::trusted, Detection::dead, Detection::suspected, Detection::reconnected},
               .may_crash = &Permits::may_crash,
               .needs_anchor = &needs_anchor},
    .reduction = {.prompt = &prompt},
    .handwritten = {.state_error = &Permits::state_error},
};

constinit const Model<PermitsOpen, permits::FencesGrowInOrder> PermitsOpen::model{
    .name = "permits-open",
    .problem = "semaphore",
    .summary = "k permits among sites that join, leave and return; unsafe, see errata",
    .source =
        "after Bouillaguet, Arantes and Sens: Fault Tolerant K-Mutual Exclusion Algorithm Using Failure "
        "Detector",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state<PermitsOpen>,
    .probes = probes,
    .derive = [](Config& config) { config.make_open(); },
    .config_error = &config_error,
    .founders = [](const Config& config) { return config.founders; },
    .domain = &domain,
    .sample = &sample,
    .requests = {.may_request = &Permits::may_request,
                 .demands = &demands,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.permits; },
                 .capacity_is_bound = true},
    .faults = {.hears = {Detection::trusted, Detection::dead, Detection::suspected, Detection::reconnected},
               .may_crash = &Permits::may_crash,
               .needs_anchor = &needs_anchor},
    .reduction = {.prompt = &prompt},
    .handwritten = {.state_error = &Permits::state_error},
};

}  // namespace allot
