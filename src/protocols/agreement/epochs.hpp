// Epochs<P>: a protocol P whose sites come, go and die, and no lock is lost or held twice (specs: views).
//
// All hosts agree on views, numbered lists of members, and each sees them in its own time. A view that was
// completed is an epoch. On a new view each member sends a report, which says what its program uses or waits
// for, to all members, and from that moment it is frozen: it handles nothing of the old epoch and grants
// nothing. A member that has the reports of all others makes its part of the new epoch from them, which is a
// pure function, and works on. All tokens are made again, and those of the old epoch are void by its number,
// so nobody has to find out which tokens were lost.
//
// Every message carries the number of its epoch, and so does every fence. A program runs only while its host
// has a lease. A member reports to a view that lacks a former member only after the programs of that have
// stopped; until then it works on in the old epoch.
//
// The sites of P have numbers of their own in each epoch: the places of their hosts in the view. A site of P
// may have seats for further programs beside the application, which its timers drive.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/protocol.hpp"
#include "core/view.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/agreement/views.hpp"

namespace allot {

namespace agreement {

// queues: the new epoch keeps users and the order of those who wait. users: it keeps users only, and the
// others ask again.
enum class Recovered : std::uint8_t { queues, users };
BOOST_DESCRIBE_ENUM(Recovered, queues, users)

// Rare paths of the handlers.
inline constexpr std::string_view epochs_probes[]{
    "skipped-view",      // a host sees a view and never saw the one before it
    "superseded-view",   // a newer view comes before the reports to the last one
    "single-member",     // an epoch of one host
    "early-report",      // a report comes before its view
    "early-frame",       // a message of an epoch comes before the last report
    "void-frame",        // a message of an epoch that is over
    "cold-start",        // an epoch of newcomers
    "deferred-release",  // the program ended its request while its host was frozen
    "deferred-request",  // the program asked while its host was frozen
    "withheld-grant",    // a grant waits for the lease
    "stopped-program",   // the lease ends while the program holds
    "adoption",          // the next incarnation goes on with a program
    "late-adoption",     // it stops the program instead
};

// Whether the sites of P send messages when the first epoch begins, which nobody reports to.
template <class P>
concept begins_by_itself = requires(P site, const ContextOf<P>& ctx, typename P::Effects& fx) {
    site.found(ctx, fx);
};

// Whether a host may begin an epoch without the reports of others; `P::begins_alone(config)` says whether it
// does. There is no freeze then: P itself finds out what others use.
template <class P>
concept may_begin_alone = requires(const typename P::Config& config) {
    P::begins_alone(config);
};

// The part of one host in a report.
struct HostPart {
    Holdings holdings;
    Fence newest;                 // that it knows; only without fence_by_view
    std::uint32_t completed = 0;  // epochs; only without agreed_numbers
    bool operator==(const HostPart&) const = default;
};
BOOST_DESCRIBE_STRUCT(HostPart, (), (holdings, newest, completed))

// The configuration of a protocol among these members of a view.
template <class P>
typename P::Config config_among(const typename P::Config& config, const std::vector<Peer>& members,
                                std::uint32_t view) {
    if constexpr (requires { P::among(config, members, view); })
        return P::among(config, members, view);
    else
        return P::among(config, static_cast<std::uint32_t>(members.size()), view);
}

}  // namespace agreement

template <class P, class Named>
struct EpochsProperties;

// A class that derives from it adds the model (views_counters.hpp).
template <class P>
class Epochs {
public:
    using InnerConfig = typename P::Config;
    struct Config : InnerConfig {
        agreement::Recovered recovered =
            P::keeps_queues ? agreement::Recovered::queues : agreement::Recovered::users;
        agreement::EpochRepairs rules;
        static constexpr Meaning meanings[]{
            {"recovered", "queues: a new epoch keeps users and queues; users: those who wait ask again"}};
        BOOST_DESCRIBE_CLASS(Config, (InnerConfig), (recovered, rules), (), ())
    };

    using Inner = typename P::Message;
    // A message of P and its epoch.
    struct Frame {
        std::uint32_t epoch = 0;
        Inner message;
        bool operator==(const Frame&) const = default;
        BOOST_DESCRIBE_CLASS(Frame, (), (epoch, message), (), ())
    };
    using Views = agreement::Views<agreement::HostPart, Frame>;
    using HostReport = typename Views::HostReport;
    using EarlyFrames = std::vector<std::pair<SiteId, Frame>>;
    using Message = std::variant<HostReport, Frame>;
    using Context = allot::Context<Config>;
    using Timer = TimerOf<P>;
    using Effects = allot::Effects<Message, Timer>;
    template <class... Also>
    using InputWith = allot::Input<Message, input::Lapse, input::Renewed, input::Quiet, input::Seen,
                                   input::Adopt, input::Detected, Also...>;
    using InputWithCancel = std::conditional_t<P::has_seats, InputWith<input::Cancel, input::Timeout<Timer>>,
                                               InputWith<input::Cancel>>;
    using Input = std::conditional_t<takes<P, input::Cancel>, InputWithCancel, InputWith<>>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx) { release(ctx, fx); }
    void receive(const Context& ctx, SiteId from, const HostReport& report, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Frame& frame, Effects& fx);
    void seen(const Context& ctx, const AgreedView& view, Effects& fx);
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    void lapse(const Context& ctx, Effects& fx);
    void renewed(const Context& ctx, Effects& fx);
    void quiet(const Context& ctx, Effects& fx);
    void adopt(const Context& ctx, const input::Adopt& program, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return phase_; }

    // Whether the message is void: it belongs to an epoch or a view that this site has left behind.
    bool ignores(const Context& ctx, const Message& message) const;
    // The members that the site waits for; itself, if it waits for those whom it cannot know.
    bool watches(const Context& ctx, SiteId peer) const;

    bool operator==(const Epochs&) const = default;

protected:
    static void draw_faults(Draw& draw);

private:
    template <class, class>
    friend struct EpochsProperties;
    using Holdings = agreement::Holdings;
    using Rules = agreement::EpochRepairs;
    using InnerContext = allot::Context<InnerConfig>;
    using InnerEffects = typename P::Effects;

    bool works() const { return views_.works(); }
    static bool begins_alone(const Context& ctx) {
        if constexpr (agreement::may_begin_alone<P>) return P::begins_alone(ctx.config);
        return false;
    }

    // From a view to an epoch.
    void found(const Context& ctx, Effects& fx);
    void judge_adopted(const Context& ctx, const AgreedView& view, Effects& fx);
    void try_report(const Context& ctx, Effects& fx);
    agreement::HostPart my_part(const Context& ctx);
    Holdings my_holdings(const Context& ctx);
    void note_birth(const Holdings& mine);
    void forget_epoch(const Context& ctx);
    void try_complete(const Context& ctx, Effects& fx);
    void begin_epoch(const Context& ctx, Effects& fx);
    void rebuild(const Context& ctx, Effects& fx);
    void number_epoch(const Context& ctx);
    void catch_up(const Context& ctx, Effects& fx);
    void ask(const Context& ctx, Effects& fx);
    void take_early_frames(const Context& ctx, Effects& fx);

    using Fate = typename Views::Fate;
    Fate fate(const Context& ctx, const Frame& frame) const;

    // The site of P.
    template <class Action>
    void act(const Context& ctx, Effects& fx, Action&& action);
    InnerConfig inner_config(const Context& ctx) const;
    InnerContext inner_context(const Context& ctx, const InnerConfig& config) const;
    static void set_timers(const InnerEffects& inner, Effects& fx);
    void give(const Context& ctx, InnerEffects& inner, Effects& fx);
    void grant(const Context& ctx, const std::vector<Fence>& fences, Effects& fx);
    Fence fence_of(const Context& ctx, Fence inner);
    void give_withheld(Effects& fx);
    void finish(const Context& ctx, Effects& fx);
    void settle(const Context& ctx, Effects& fx);
    void let_go(const Context& ctx, Effects& fx);

    Views views_;
    Phase phase_ = Phase::idle;  // of the program
    Demand demand_;              // of the program
    std::uint32_t keeper_ = 0;   // of an adopted program until the first view: where it ran
    bool ended_ = false;         // the program has ended its request, which the site of P does not know yet
    bool lapsed_ = false;
    std::optional<std::vector<Fence>> withheld_;  // of a grant that waits for the lease
    std::optional<agreement::Birth> birth_;       // of the program's request
    Fence newest_;                                // only without fence_by_view
    Fence base_;                   // as above: the newest that the members knew when the epoch began
    std::uint32_t completed_ = 0;  // only without agreed_numbers
    P site_;

    BOOST_DESCRIBE_CLASS(Epochs, (), (), (),
                         (views_, phase_, demand_, keeper_, ended_, lapsed_, withheld_, birth_, newest_,
                          base_, completed_, site_))
};

template <class P>
void Epochs<P>::draw_faults(Draw& draw) {
    // A program is adopted only if its host crashes and comes back.
    const bool orphans = draw.toggle("orphans");
    const auto crashes = orphans ? draw.number("crashes", 1, 3) : draw.faults("crashes", 3);
    if (orphans)
        draw.number("restarts", 1, std::max(1u, crashes));
    else
        draw.faults("restarts", crashes);
    draw.faults("expulsions", 3);
    draw.faults("lapses", 2);
}

template <class P>
void Epochs<P>::start(const Context& ctx, Effects& fx) {
    InnerEffects inner;
    site_.start({ctx.config, ctx.self}, inner);
    set_timers(inner, fx);
}

// --- A new view.

template <class P>
void Epochs<P>::seen(const Context& ctx, const AgreedView& view, Effects& fx) {
    const AgreedView& last = views_.newest();
    if (views_.has_seen() && view.number > last.number + 1) fx.reached("skipped-view");
    if (views_.sent(ctx.self) && views_.epoch() != last.number) fx.reached("superseded-view");
    judge_adopted(ctx, view, fx);
    const auto early = begins_alone(ctx) ? views_.take_early_frames() : EarlyFrames{};
    views_.see(ctx.config.rules, view);
    for (const auto& [from, frame] : early) views_.keep(from, frame);
    if (!ctx.config.rules.stay_frozen && works()) catch_up(ctx, fx);
    ended_ = false;  // the next report is newer
    if (view.number == 0) return found(ctx, fx);
    try_report(ctx, fx);
}

template <class P>
void Epochs<P>::found(const Context& ctx, Effects& fx) {
    views_.found();
    if constexpr (agreement::begins_by_itself<P>)
        act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) { site_.found(self, inner); });
}

template <class P>
void Epochs<P>::detected(const Context& ctx, Detection, Peer peer, Effects& fx) {
    views_.stopped(peer);
    try_report(ctx, fx);
}

template <class P>
bool Epochs<P>::watches(const Context& ctx, SiteId peer) const {
    return views_.watches(ctx.config.rules, ctx.self, peer);
}

template <class P>
void Epochs<P>::try_report(const Context& ctx, Effects& fx) {
    if (!views_.report_is_due()) return;
    const HostReport mine = views_.report(ctx.config.rules, ctx.self, my_part(ctx));
    if (begins_alone(ctx)) return begin_epoch(ctx, fx);
    forget_epoch(ctx);
    for (const Peer& member : views_.newest().members)
        if (member.site != ctx.self) fx.send(member.site, mine);
    try_complete(ctx, fx);
}

template <class P>
agreement::HostPart Epochs<P>::my_part(const Context& ctx) {
    agreement::HostPart mine{.holdings = my_holdings(ctx)};
    if (!ctx.config.rules.fence_by_view) mine.newest = newest_;
    if (!ctx.config.rules.agreed_numbers) mine.completed = completed_;
    return mine;
}

// The program's request, which the site of P may not know yet, and the other seats of the site. A site with
// seats says itself what it would report of a program that uses something.
template <class P>
agreement::Holdings Epochs<P>::my_holdings(const Context& ctx) {
    Holdings mine;
    if (!views_.members().empty()) {
        const InnerConfig config = inner_config(ctx);
        mine = site_.holdings(inner_context(ctx, config));
    }
    if (works()) note_birth(mine);
    agreement::Holding application{
        .phase = withheld_ ? Phase::holding : phase_, .demand = demand_, .birth = birth_};
    for (const agreement::Holding& one : mine)
        if (P::has_seats && one.seat == 0 && one.phase == Phase::holding) application.demand = one.demand;
    std::erase_if(mine, [](const auto& one) { return one.seat == 0; });
    const bool unknown = views_.is_fresh() && phase_ == Phase::holding && !ctx.config.rules.report_adopted;
    if (phase_ != Phase::idle && !unknown) mine.push_back(application);
    if (ctx.config.recovered == agreement::Recovered::users)
        std::erase_if(mine, [](const auto& one) { return one.phase == Phase::waiting; });
    return mine;
}

// A site with seats knows the births that it was rebuilt with; others know their newest rank only.
template <class P>
void Epochs<P>::note_birth(const Holdings& mine) {
    for (const agreement::Holding& one : mine)
        if (one.seat == 0 && (!birth_ || P::has_seats)) birth_ = one.birth;
}

// A frozen site never works in the old epoch again, and forgets it.
template <class P>
void Epochs<P>::forget_epoch(const Context& ctx) {
    if (!views_.is_frozen() || !ctx.config.rules.stay_frozen) return;
    site_.forget_epoch(ctx.config);
    if (!P::has_seats) views_.forget_members();
}

// --- Reports, and the next epoch.

template <class P>
void Epochs<P>::receive(const Context& ctx, SiteId from, const HostReport& report, Effects& fx) {
    if (views_.is_early(report)) fx.reached("early-report");
    views_.take(from, report);
    try_complete(ctx, fx);
}

template <class P>
void Epochs<P>::try_complete(const Context& ctx, Effects& fx) {
    if (views_.is_complete(ctx.config.rules)) begin_epoch(ctx, fx);
}

template <class P>
void Epochs<P>::begin_epoch(const Context& ctx, Effects& fx) {
    rebuild(ctx, fx);
    catch_up(ctx, fx);
    take_early_frames(ctx, fx);
}

template <class P>
void Epochs<P>::quiet(const Context& ctx, Effects& fx) {
    views_.quiet();
    try_complete(ctx, fx);
}

template <class P>
void Epochs<P>::rebuild(const Context& ctx, Effects& fx) {
    if (views_.all_fresh()) fx.reached("cold-start");
    if (views_.newest().members.size() == 1) fx.reached("single-member");
    number_epoch(ctx);
    const auto places = views_.former_places();
    std::vector<Holdings> hosts;
    for (agreement::HostPart& part : views_.begin_epoch()) hosts.push_back(std::move(part.holdings));
    const std::vector<agreement::Claim> claims = agreement::claims_of(hosts);
    act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) {
        site_ = P::rebuild(self, {site_, places}, claims, inner);
    });
}

// Only designs that fail look at more than the number of the view.
template <class P>
void Epochs<P>::number_epoch(const Context& ctx) {
    for (const auto& [host, report] : views_.reports()) {
        base_ = max(base_, report.part.newest);
        completed_ = std::max(completed_, report.part.completed);
    }
    newest_ = base_;
    if (!ctx.config.rules.agreed_numbers) ++completed_;
}

// The program may have ended its request and made another while the site was frozen.
template <class P>
void Epochs<P>::catch_up(const Context& ctx, Effects& fx) {
    if (std::exchange(ended_, false)) {
        fx.reached("deferred-release");
        let_go(ctx, fx);
    }
    give_withheld(fx);
    ask(ctx, fx);
}

// --- Messages of an epoch.

template <class P>
void Epochs<P>::receive(const Context& ctx, SiteId from, const Frame& frame, Effects& fx) {
    switch (fate(ctx, frame)) {
        case Fate::over:
            return fx.reached("void-frame");
        case Fate::early:
            fx.reached("early-frame");
            return views_.keep(from, frame);
        case Fate::due:
            break;
    }
    const auto sender = views_.place_of(from);
    if (!sender) return;
    act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) {
        site_.handle(self, input::Receive<Inner>{*sender, frame.message}, inner);
    });
}

// Others may have begun an epoch before this site sees its view, if they wait for no report of it.
template <class P>
auto Epochs<P>::fate(const Context& ctx, const Frame& frame) const -> Fate {
    if (!begins_alone(ctx)) return views_.fate(ctx.config.rules, frame);
    if (!works()) return Fate::early;
    if (frame.epoch == views_.epoch() || !ctx.config.rules.numbered_messages) return Fate::due;
    return frame.epoch < views_.epoch() ? Fate::over : Fate::early;
}

// Without `stay_frozen` a site may go back to an epoch that it has left.
template <class P>
bool Epochs<P>::ignores(const Context& ctx, const Message& message) const {
    const Rules& rules = ctx.config.rules;
    if (!rules.numbered_messages || !rules.stay_frozen) return false;
    const auto* frame = std::get_if<Frame>(&message);
    if (begins_alone(ctx) && frame != nullptr) return fate(ctx, *frame) == Fate::over;
    return std::visit([this](const auto& kind) { return views_.is_void(kind); }, message);
}

template <class P>
void Epochs<P>::take_early_frames(const Context& ctx, Effects& fx) {
    const auto frames = views_.take_early_frames();
    for (const auto& [from, frame] : frames) receive(ctx, from, frame, fx);
}

// --- The program.

template <class P>
void Epochs<P>::request(const Context& ctx, const Demand& demand, Effects& fx) {
    phase_ = Phase::waiting;
    demand_ = demand;
    if (!works()) fx.reached("deferred-request");
    if (works()) ask(ctx, fx);
}

template <class P>
void Epochs<P>::ask(const Context& ctx, Effects& fx) {
    if (phase_ != Phase::waiting || site_.phase() != Phase::idle) return;
    act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) { site_.request(self, demand_, inner); });
}

// The program is free at once; the site of P hears of it when it works.
template <class P>
void Epochs<P>::release(const Context& ctx, Effects& fx) {
    fx.released();
    finish(ctx, fx);
}

template <class P>
void Epochs<P>::finish(const Context& ctx, Effects& fx) {
    phase_ = Phase::idle;
    demand_ = {};
    withheld_.reset();
    birth_.reset();
    if (works()) return let_go(ctx, fx);
    if constexpr (P::has_seats) site_.abandon();
    const HostReport* mine = views_.sent(ctx.self);
    const bool reported = mine != nullptr && agreement::mentions_application(mine->part.holdings);
    ended_ = reported && ctx.config.rules.keep_ends;
}

template <class P>
void Epochs<P>::let_go(const Context& ctx, Effects& fx) {
    act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) {
        if (site_.phase() == Phase::holding) site_.release(self, inner);
        if constexpr (takes<P, input::Cancel>)
            if (site_.phase() == Phase::waiting) site_.cancel(self, inner);
    });
}

template <class P>
void Epochs<P>::lapse(const Context& ctx, Effects& fx) {
    lapsed_ = true;
    if constexpr (P::has_seats) {
        InnerEffects inner;
        site_.stop_programs(inner);
        set_timers(inner, fx);
        settle(ctx, fx);
    }
    if (phase_ != Phase::holding) return;
    fx.reached("stopped-program");
    fx.stopped();
    finish(ctx, fx);
}

// A program beside the application acts, or the site of P itself. The site hears of it when it works.
template <class P>
void Epochs<P>::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (!works()) return site_.wake(timer);
    act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) { site_.timeout(self, timer, inner); });
}

template <class P>
void Epochs<P>::settle(const Context& ctx, Effects& fx) {
    if (!works()) return;
    act(ctx, fx, [&](const InnerContext& self, InnerEffects& inner) { site_.settle(self, inner); });
}

template <class P>
void Epochs<P>::renewed(const Context&, Effects& fx) {
    lapsed_ = false;
    give_withheld(fx);
}

// No program begins at a host that is frozen or has no lease.
template <class P>
void Epochs<P>::give_withheld(Effects& fx) {
    if (!withheld_ || lapsed_ || !works()) return;
    phase_ = Phase::holding;
    fx.granted(*std::exchange(withheld_, std::nullopt));
}

// A program comes back before its host has a view, or too late: the report has not mentioned it. Its own word
// counts for nothing.
template <class P>
void Epochs<P>::adopt(const Context& ctx, const input::Adopt& program, Effects& fx) {
    const agreement::AdoptionRules& rules = ctx.config.rules;
    if (views_.has_seen()) fx.reached("late-adoption");
    if (views_.has_seen() || (!program.receipt && rules.check_receipts)) return fx.stopped();
    phase_ = Phase::holding;
    demand_ = program.demand;
    keeper_ = rules.refuse_outdated ? program.receipt.value_or(program.keeper) : program.keeper;
}

// A successor in the view goes on with the programs of the incarnation that it replaces. Others may have got
// what programs of earlier incarnations held, or of one that was removed.
template <class P>
void Epochs<P>::judge_adopted(const Context& ctx, const AgreedView& view, Effects& fx) {
    if (views_.has_seen() || phase_ != Phase::holding || !ctx.config.rules.refuse_late) return;
    const std::uint32_t keeper = std::exchange(keeper_, 0);
    const std::uint32_t replaced = ctx.config.rules.refuse_stale ? keeper : ctx.incarnation - 1;
    if (view.certifies({ctx.self, replaced})) return fx.reached("adoption");
    fx.reached("late-adoption");
    phase_ = Phase::idle;
    demand_ = {};
    fx.stopped();
}

// --- The site of P.

template <class P>
template <class Action>
void Epochs<P>::act(const Context& ctx, Effects& fx, Action&& action) {
    const InnerConfig config = inner_config(ctx);
    InnerEffects inner;
    action(inner_context(ctx, config), inner);
    give(ctx, inner, fx);
}

template <class P>
auto Epochs<P>::inner_config(const Context& ctx) const -> InnerConfig {
    return agreement::config_among<P>(ctx.config, views_.members(), views_.epoch().value_or(0));
}

// Every epoch is an incarnation of the site of P.
template <class P>
auto Epochs<P>::inner_context(const Context& ctx, const InnerConfig& config) const -> InnerContext {
    return {config, *views_.place_of(ctx.self), *views_.epoch()};
}

template <class P>
void Epochs<P>::set_timers(const InnerEffects& inner, Effects& fx) {
    for (const auto& change : inner.timers())
        change.armed ? fx.arm(static_cast<Timer>(change.timer), change.ticks)
                     : fx.disarm(static_cast<Timer>(change.timer));
}

template <class P>
void Epochs<P>::give(const Context& ctx, InnerEffects& inner, Effects& fx) {
    set_timers(inner, fx);
    if constexpr (requires { P::probes; })
        for (const std::string_view probe : inner.probes())
            if (std::ranges::find(P::probes, probe) != P::probes.end()) fx.reached(probe);
    for (const auto& send : inner.sends())
        fx.send(views_.members()[send.to].site, Frame{*views_.epoch(), send.message});
    for (const Notice& notice : inner.notices()) {
        if (notice.kind == Notice::Kind::granted) grant(ctx, notice.fences, fx);
        if (notice.kind != Notice::Kind::refused || ended_ || phase_ != Phase::waiting) continue;
        phase_ = Phase::idle;
        demand_ = {};
        birth_.reset();
        fx.refused(notice.reason);
    }
}

template <class P>
void Epochs<P>::grant(const Context& ctx, const std::vector<Fence>& fences, Effects& fx) {
    if (ended_ || phase_ != Phase::waiting) return;  // the program has ended its request in the meantime
    birth_.reset();
    std::vector<Fence> outer;
    for (const Fence fence : fences) outer.push_back(fence_of(ctx, fence));
    if (lapsed_) {
        fx.reached("withheld-grant");
        withheld_ = std::move(outer);
        return;
    }
    phase_ = Phase::holding;
    fx.granted(std::move(outer));
}

template <class P>
Fence Epochs<P>::fence_of(const Context& ctx, Fence inner) {
    if (!ctx.config.rules.agreed_numbers) return in_epoch(completed_, inner);
    if (ctx.config.rules.fence_by_view) return in_epoch(*views_.epoch(), inner);
    Fence fence = base_;
    for (Fence one; one < inner; one = one.next()) fence = fence.next();
    newest_ = max(newest_, fence);
    return fence;
}

}  // namespace allot
