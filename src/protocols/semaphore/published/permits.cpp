#include "protocols/semaphore/published/permits.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/model.hpp"

namespace allot {

std::optional<std::string> PermitsPublished::config_error(const Config& config) {
    if (config.permits < 1 || config.permits > config.sites)
        return "--permits " + std::to_string(config.permits) + ": with --sites " +
               std::to_string(config.sites) + " write a number from 1 to " + std::to_string(config.sites);
    return std::nullopt;
}

std::optional<std::string> PermitsPublished::state_error(const Context& ctx) const {
    if (peers_.size() != ctx.config.sites) return "peers needs one entry per site";
    return std::nullopt;
}

// --- Lines 1 to 8 and 34 to 37. INIT goes to the others only (erratum 9), and an INIT from an untrusted site
// waits beside the handler, not inside it (erratum 10): otherwise no site would ever start.

void PermitsPublished::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void PermitsPublished::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::trusted:
            return trusted(ctx, peer, fx);
        case Detection::dead:
            return dead(ctx, peer, fx);
        case Detection::suspected:
            return suspected(ctx, peer, fx);
        default:
            return;
    }
}

void PermitsPublished::start(const Context& ctx, Effects& fx) {
    peers_.resize(ctx.config.sites);
    alive_ = static_cast<std::int32_t>(ctx.config.sites);
    starting_ = ctx.config.start_up;
    if (!starting_) return;
    for (SiteId peer = 0; peer < ctx.config.sites; ++peer)
        if (peer != ctx.self) fx.send(peer, Init{});
    finish_start(ctx);
}

void PermitsPublished::receive(const Context&, SiteId from, const Init&, Effects& fx) {
    if (peers_[from].trusted)
        fx.send(from, Ack{});
    else
        peers_[from].parked = true;
}

void PermitsPublished::trusted(const Context&, Peer peer, Effects& fx) {
    peers_[peer.site].trusted = true;
    if (std::exchange(peers_[peer.site].parked, false)) fx.send(peer.site, Ack{});
}

void PermitsPublished::receive(const Context& ctx, SiteId from, const Ack&, Effects&) {
    if (!starting_) return;
    peers_[from].acked = true;
    finish_start(ctx);
}

void PermitsPublished::suspected(const Context& ctx, Peer peer, Effects&) {
    if (!starting_) return;
    peers_[peer.site].acked = true;
    finish_start(ctx);
}

void PermitsPublished::finish_start(const Context& ctx) {
    for (SiteId peer = 0; peer < peers_.size(); ++peer)
        if (peer != ctx.self && !peers_[peer].acked) return;
    starting_ = false;
    for (Acquaintance& peer : peers_) peer.acked = false;
}

// --- Lines 9 to 16.

void PermitsPublished::request(const Context& ctx, const Demand&, Effects& fx) {
    ensure(!starting_ && phase_ == Phase::idle,
           "a request before the start is over, or while another is open");
    phase_ = Phase::waiting;  // line 9
    line_ = Line::stamp;
    take_lines(ctx, fx);
}

void PermitsPublished::timeout(const Context& ctx, Timer, Effects& fx) {
    take_line(ctx, fx);
    take_lines(ctx, fx);
}

// Continues to the next point at which other messages are handled.
void PermitsPublished::take_lines(const Context& ctx, Effects& fx) {
    while (line_ != Line::none && !pauses(ctx, line_)) take_line(ctx, fx);
    if (line_ != Line::none)
        fx.arm(Timer::next_line, 0);
    else
        try_enter(ctx, fx);  // line 15
}

bool PermitsPublished::pauses(const Context& ctx, Line before) const {
    const Config::Repairs& repairs = ctx.config.repairs;
    switch (before) {
        case Line::stamp:
            return !repairs.stamp_first;
        case Line::clear:
        case Line::send:
            return !repairs.send_at_once;
        case Line::count:
            return !repairs.count_first && !repairs.send_at_once;
        default:
            return false;
    }
}

void PermitsPublished::take_line(const Context& ctx, Effects& fx) {
    switch (line_) {
        case Line::stamp:  // line 10; the clock itself stays behind (erratum 11)
            last_ = clock_.next();
            line_ = Line::clear;
            return;
        case Line::clear:  // line 11
            perm_count_ = 0;
            addressee_ = 0;
            return skip_to_addressee(ctx);
        case Line::send:  // line 13
            fx.send(addressee_, Request{last_});
            line_ = Line::count;
            return;
        case Line::count:  // line 14
            ++peers_[addressee_].reply_count;
            ++addressee_;
            return skip_to_addressee(ctx);
        case Line::none:
            return;
    }
}

// Line 12: the next peer that is not known to have crashed.
void PermitsPublished::skip_to_addressee(const Context& ctx) {
    while (addressee_ < peers_.size() && (addressee_ == ctx.self || peers_[addressee_].crashed)) ++addressee_;
    line_ = addressee_ < peers_.size() ? Line::send : Line::none;
    if (line_ == Line::none) addressee_ = 0;
}

void PermitsPublished::try_enter(const Context& ctx, Effects& fx) {
    if (phase_ != Phase::waiting || line_ != Line::none) return;
    if (perm_count_ < alive_ - static_cast<std::int32_t>(ctx.config.permits)) return;
    phase_ = Phase::holding;
    fx.granted();
}

// --- Lines 17 to 33.

void PermitsPublished::release(const Context& ctx, Effects& fx) {
    phase_ = Phase::idle;
    for (SiteId peer = 0; peer < peers_.size(); ++peer) {
        Acquaintance& known = peers_[peer];
        if (peer == ctx.self || known.defer_count == 0 || known.crashed) continue;
        fx.send(peer, Reply{static_cast<std::int32_t>(known.defer_count)});
        known.defer_count = 0;
    }
    fx.released();
}

void PermitsPublished::receive(const Context& ctx, SiteId from, const Request& request, Effects& fx) {
    clock_ = max(clock_, request.stamp);
    if (peers_[from].crashed) return;
    const bool earlier = std::pair(last_, ctx.self) < std::pair(request.stamp, from);
    if (phase_ == Phase::holding || (phase_ == Phase::waiting && earlier))
        ++peers_[from].defer_count;
    else
        fx.send(from, Reply{1});
}

void PermitsPublished::receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx) {
    Acquaintance& peer = peers_[from];
    if (peer.crashed) return;
    peer.reply_count -= reply.answers;
    if (phase_ == Phase::waiting && peer.reply_count == 0) ++perm_count_;
    try_enter(ctx, fx);
}

// --- Lines 38 to 48.

void PermitsPublished::receive(const Context& ctx, SiteId, const Crash& crash, Effects& fx) {
    apply_crash(crash.victim);
    try_enter(ctx, fx);
}

void PermitsPublished::apply_crash(SiteId victim) {
    Acquaintance& known = peers_[victim];
    if (known.crashed) return;
    known.crashed = true;
    if (phase_ == Phase::waiting && known.reply_count == 0) --perm_count_;
    --alive_;
}

void PermitsPublished::dead(const Context& ctx, Peer peer, Effects& fx) {
    for (SiteId other = 0; other < peers_.size(); ++other)
        if (other != ctx.self && other != peer.site && !peers_[other].crashed)
            fx.send(other, Crash{peer.site});
    if (!ctx.config.repairs.apply_crash) return;
    apply_crash(peer.site);
    try_enter(ctx, fx);
}

void PermitsPublished::on_state(const View<PermitsPublished>& view, Report& report) {
    const auto holders =
        std::count_if(view.sites.begin(), view.sites.end(), [](auto* site) { return site->holding(); });
    if (holders > static_cast<std::ptrdiff_t>(view.config.permits))
        report.violated("at-most-k", std::to_string(holders) + " sites hold one of " +
                                         std::to_string(view.config.permits) + " permits");
    for (SiteId self = 0; self < view.sites.size(); ++self)
        for (SiteId other = 0; view.site(self).up() && other < view.sites.size(); ++other)
            if (view.site(self).protocol.peers_[other].crashed && view.site(other).up())
                report.violated("dead-are-dead", "site " + std::to_string(self) + " takes for dead site " +
                                                     std::to_string(other));
}

namespace {

constexpr std::array properties{
    PropertyName{"at-most-k", "no more than k live sites hold a permit"},
    PropertyName{"dead-are-dead", "no site takes a live site for dead"},
};

}  // namespace

constinit const Model<PermitsPublished> PermitsPublished::model{
    .name = "permits-published",
    .problem = "semaphore",
    .summary = "permits as printed in the paper, defects included",
    .source =
        "Bouillaguet, Arantes and Sens: Fault Tolerant K-Mutual Exclusion Algorithm Using Failure Detector, "
        "Algorithm 1",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .requests = {.may_request = &PermitsPublished::may_request,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.permits; },
                 .capacity_is_bound = true},
    .timers = {.fair = &fair},
    .faults = {.hears = {Detection::trusted, Detection::dead, Detection::suspected},
               .may_crash = &PermitsPublished::may_crash},
    .handwritten = {.state_error = &PermitsPublished::state_error},
};

}  // namespace allot
