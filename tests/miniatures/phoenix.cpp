#include "miniatures/phoenix.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot::miniatures {

std::optional<std::string> Phoenix::config_error(const Config& config) {
    if (config.sites < 2) return "--sites " + std::to_string(config.sites) + ": write 2 or more";
    return std::nullopt;
}

void Phoenix::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 4);
    draw.number("founders", 1, sites);
    draw.faults("restarts", draw.faults("crashes", 4));
    draw.choice("trust", {"dense", "sparse"});
}

void Phoenix::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Phoenix::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    switch (detection) {
        case Detection::trusted:
            return trusted(ctx, peer, fx);
        case Detection::dead:
            return dead(ctx, peer, fx);
        default:
            return;
    }
}

void Phoenix::start(const Context& ctx, Effects&) {
    if (ctx.self == lender_site) role_ = Lender{};
}

Phase Phoenix::phase() const {
    const auto* borrower = std::get_if<Borrower>(&role_);
    return borrower != nullptr ? borrower->phase : Phase::idle;
}

void Phoenix::request(const Context& ctx, const Demand&, Effects& fx) {
    Borrower& me = borrower();
    ensure(me.phase == Phase::idle, "a request while another is open");
    if (!me.lender) return fx.refused("there is no lender that may be trusted");
    me.phase = Phase::waiting;
    fx.send(lender_site, Ask{{ctx.incarnation, *me.lender}});
}

void Phoenix::receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx) {
    if (ask.lives.addressee != ctx.incarnation) return;
    if (ctx.incarnation > 0) return fx.send(from, Refuse{{ctx.incarnation, ask.lives.sender}});
    Lender& me = lender();
    if (ask.lives.sender < me.known[from].life) return;
    me.queue.push_back({from, ask.lives.sender});
    serve(ctx, me, fx);
}

void Phoenix::receive(const Context& ctx, SiteId, const Lend& loan, Effects& fx) {
    if (!is_for_me(ctx, loan.lives)) return;
    borrower().phase = Phase::holding;
    fx.granted();
}

void Phoenix::receive(const Context& ctx, SiteId, const Refuse& refuse, Effects& fx) {
    if (!is_for_me(ctx, refuse.lives)) return;
    borrower().phase = Phase::idle;
    fx.refused("the lender has forgotten who has the permit");
}

bool Phoenix::is_for_me(const Context& ctx, const Lives& lives) const {
    const auto& me = std::get<Borrower>(role_);
    if (me.phase != Phase::waiting || me.lender != lives.sender) return false;
    return lives.addressee == ctx.incarnation || !ctx.config.repairs.check_addressee;
}

void Phoenix::release(const Context& ctx, Effects& fx) {
    Borrower& me = borrower();
    me.phase = Phase::idle;
    if (me.lender) fx.send(lender_site, Return{{ctx.incarnation, *me.lender}});
    fx.released();
}

void Phoenix::receive(const Context& ctx, SiteId from, const Return& back, Effects& fx) {
    Lender& me = lender();
    if (back.lives.addressee != ctx.incarnation || me.borrower != Peer{from, back.lives.sender}) return;
    me.borrower.reset();
    serve(ctx, me, fx);
}

void Phoenix::trusted(const Context& ctx, Peer peer, Effects& fx) {
    if (ctx.self == lender_site) return meet(ctx, peer, true, fx);
    if (peer.site == lender_site) borrower().lender = peer.incarnation;
}

void Phoenix::dead(const Context& ctx, Peer peer, Effects& fx) {
    if (ctx.self == lender_site) return meet(ctx, {peer.site, peer.incarnation + 1}, false, fx);
    if (peer.site != lender_site) return;
    borrower().lender.reset();
    if (borrower().phase != Phase::waiting) return;
    borrower().phase = Phase::idle;
    fx.refused("the lender is dead");
}

// From now on no life of that site before this one counts.
void Phoenix::meet(const Context& ctx, Peer peer, bool trusted, Effects& fx) {
    Lender& me = lender();
    me.known[peer.site] = {peer.incarnation, trusted};
    const auto is_over = [&](Peer other) { return other.site == peer.site && other < peer; };
    std::erase_if(me.queue, is_over);
    if (me.borrower && is_over(*me.borrower)) me.borrower.reset();
    serve(ctx, me, fx);
}

void Phoenix::serve(const Context& ctx, Lender& lender, Effects& fx) {
    if (lender.borrower) return;
    const auto next = std::find_if(lender.queue.begin(), lender.queue.end(),
                                   [&](Peer peer) { return may_lend(ctx, lender, peer); });
    if (next == lender.queue.end()) return;
    lender.borrower = *next;
    lender.queue.erase(next);
    fx.send(lender.borrower->site, Lend{{ctx.incarnation, lender.borrower->incarnation}});
}

bool Phoenix::may_lend(const Context& ctx, const Lender& lender, Peer peer) {
    if (!ctx.config.repairs.trust_first) return true;
    const auto known = lender.known.find(peer.site);
    return known != lender.known.end() && known->second == Acquaintance{peer.incarnation, true};
}

void Phoenix::on_state(const View<Phoenix>& view, Report& report) {
    const auto holders =
        std::count_if(view.sites.begin(), view.sites.end(), [](const auto* site) { return site->holding(); });
    if (holders > 1) report.violated("exclusion", std::to_string(holders) + " sites hold the permit");

    const SiteOf<Phoenix>& lender = view.site(lender_site);
    if (!lender.up() || lender.incarnation > 0) return;
    const auto& borrower = std::get<Lender>(lender.protocol.role_).borrower;
    for (SiteId site = 0; site < view.sites.size(); ++site)
        if (view.site(site).holding() && borrower != Peer{site, view.site(site).incarnation})
            report.violated("holder-known", "the lender does not know that site " + std::to_string(site) +
                                                " holds the permit");
}

namespace {

constexpr std::array properties{
    PropertyName{"exclusion", "at most one live site holds the permit"},
    PropertyName{"holder-known", "a lender in its first life knows who holds the permit, and in which life"},
};

}  // namespace

constinit const Model<Phoenix> Phoenix::model{
    .name = "phoenix",
    .problem = "miniature",
    .summary = "one permit for borrowers that join, crash and restart",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.asks = &asks},
    .faults = {.hears = {Detection::trusted, Detection::dead}},
};

}  // namespace allot::miniatures
