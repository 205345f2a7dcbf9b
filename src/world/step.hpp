// One step of one site: an input goes in, the handler runs, its effects reach the application and the
// timers, and the contract between protocol and application is checked. Every driver calls this;
// what becomes of the messages in `fx` is each driver's own business.
#pragma once

#include <utility>

#include "base/ensure.hpp"
#include "core/view.hpp"
#include "world/properties.hpp"

namespace allot::world {

enum class InputKind : std::uint8_t {
    start,
    request,
    release,
    cancel,
    leave,
    deliver,
    timeout,
    trusted,
    dead,
    suspected,
    unsuspected,
    departed,
    interrupted,
    reconnected,
    crash,
};
BOOST_DESCRIBE_ENUM(InputKind, start, request, release, cancel, leave, deliver, timeout, trusted, dead,
                    suspected, unsuspected, departed, interrupted, reconnected, crash)

template <Protocol P>
class Stepper {
public:
    using Effects = EffectsOf<P>;

    explicit Stepper(const typename P::Config& config) : config_(config) {}

    ContextOf<P> context(SiteId self, const Site<P>& site) const { return {config_, self, site.incarnation}; }

    // What each method leaves behind: the messages in fx(), the events for monitors, and the report.
    Effects& fx() { return fx_; }
    const std::vector<Event>& events() const { return events_; }
    const Report& report() const { return report_; }

    // A site begins its first life, or its next one after a crash. It starts with `requests` to make.
    void start(SiteId self, Site<P>& site, std::uint32_t requests) {
        begin();
        const std::uint32_t incarnation = site.standing == Standing::absent ? 0 : site.incarnation + 1;
        site = Site<P>{};
        site.standing = Standing::up;
        site.incarnation = incarnation;
        const auto ctx = context(self, site);
        site.application.requests_left = requests;
        run(
            self, site, [&] { site.protocol.start(ctx, fx_); },
            [&] {
                // A site may be born holding: in service, for instance.
                if (site.protocol.phase() == Phase::holding) site.application.phase = Phase::holding;
            });
    }

    void request(SiteId self, Site<P>& site, const Demand& demand) {
        begin();
        Application& app = site.application;
        app.phase = Phase::waiting;
        app.demand = demand;
        if (app.requests_left != unbounded_requests) --app.requests_left;
        note(Event::Kind::requested, self, site);
        run(self, site, [&] { site.protocol.request(context(self, site), demand, fx_); });
    }

    void release(SiteId self, Site<P>& site) {
        begin();
        site.application.phase = Phase::leaving;
        run(self, site, [&] { site.protocol.release(context(self, site), fx_); });
    }

    void cancel(SiteId self, Site<P>& site) {
        begin();
        if constexpr (Cancels<P>) {
            site.application.phase = Phase::leaving;
            note(Event::Kind::cancelled, self, site);
            run(self, site, [&] { site.protocol.cancel(context(self, site), fx_); });
        }
    }

    void leave(SiteId self, Site<P>& site) {
        begin();
        if constexpr (Leaves<P>) {
            run(self, site, [&] { site.protocol.leave(context(self, site), fx_); });
            retire(site, Standing::left);
        }
    }

    void deliver(SiteId self, Site<P>& site, SiteId from, const typename P::Message& message) {
        begin();
        run(self, site, [&] {
            std::visit([&](const auto& kind) { site.protocol.receive(context(self, site), from, kind, fx_); },
                       message);
        });
    }

    void timeout(SiteId self, Site<P>& site, std::uint32_t timer) {
        begin();
        if constexpr (HasTimers<P>) {
            site.armed &= ~(1u << timer);
            run(self, site,
                [&] { site.protocol.timeout(context(self, site), static_cast<TimerOf<P>>(timer), fx_); });
        }
    }

    // The detector speaks; what it said is remembered beside the site.
    void detect(SiteId self, Site<P>& site, InputKind kind, Peer peer) {
        begin();
        remember(site, kind, peer);
        run(self, site, [&] { hear(self, site, kind, peer); });
    }

    // The site stops for good; nothing of its state survives but its incarnation.
    void crash(SiteId self, Site<P>& site) {
        begin();
        note(Event::Kind::crashed, self, site);
        retire(site, Standing::down);
    }

private:
    void begin() {
        fx_.clear();
        events_.clear();
        report_ = Report{};
    }

    template <class Handler, class Then = void (*)()>
    void run(
        SiteId self, Site<P>& site, Handler handler, Then then = [] {}) {
        try {
            handler();
            then();
            settle_timers(site);
            for (const Notice& notice : fx_.notices()) tell(self, site, notice);
            if (report_.clean() && site.protocol.phase() != site.application.phase)
                report_.violated(contract.name, "the protocol is " +
                                                    std::string(enum_name(site.protocol.phase())) +
                                                    " while its application is " +
                                                    std::string(enum_name(site.application.phase)));
        } catch (const std::exception& broken) {  // BrokenInvariant, or what a library throws at a wrong use
            report_.violated(assertion.name, broken.what());
        }
    }

    void settle_timers(Site<P>& site) {
        for (const auto& change : fx_.timers()) {
            const auto bit = 1u << static_cast<unsigned>(change.timer);
            site.armed = change.armed ? site.armed | bit : site.armed & ~bit;
        }
    }

    void tell(SiteId self, Site<P>& site, const Notice& notice) {
        Application& app = site.application;
        switch (notice.kind) {
            case Notice::Kind::granted:
                expect(app.phase == Phase::waiting, "granted", app);
                app.phase = Phase::holding;
                app.fences = notice.fences;
                return note(Event::Kind::granted, self, site);
            case Notice::Kind::released:
                expect(app.phase == Phase::leaving, "released", app);
                note(Event::Kind::released, self, site);
                return rest(app);
            case Notice::Kind::revoked:
                expect(app.phase == Phase::holding, "revoked", app);
                app.revoked = true;
                return note(Event::Kind::revoked, self, site);
            case Notice::Kind::refused:
                expect(app.phase == Phase::waiting || app.phase == Phase::leaving, "refused", app);
                note(Event::Kind::refused, self, site);
                // Who may not let go keeps what it holds.
                if (app.phase == Phase::leaving)
                    app.phase = Phase::holding;
                else
                    rest(app);
                return;
        }
    }

    void rest(Application& app) { app = Application{.requests_left = app.requests_left}; }

    void expect(bool holds, const char* what, const Application& app) {
        if (!holds)
            report_.violated(contract.name, std::string(what) + " while the application is " +
                                                std::string(enum_name(app.phase)));
    }

    // Events are for monitors; without one nobody would look.
    void note(Event::Kind kind, SiteId self, const Site<P>& site) {
        if constexpr (!std::same_as<MonitorOf<P>, NoMonitor>)
            events_.push_back({kind, self, site.application.demand, site.application.fences});
    }

    void retire(Site<P>& site, Standing standing) {
        Site<P> gone;
        gone.standing = standing;
        gone.incarnation = site.incarnation;
        site = std::move(gone);
    }

    static void remember(Site<P>& site, InputKind kind, Peer peer) {
        if (kind == InputKind::departed) return;  // may be said again: a late message can bring the peer back
        Watch& watch = site.detector[peer.site];
        // Without `unsuspected` it may be said again and again, and there is nothing to remember.
        const bool takes_back = HearsUnsuspected<P>;
        if (kind == InputKind::trusted) watch.trusted = peer.incarnation + 1;
        if (kind == InputKind::dead) watch.reported = peer.incarnation + 1;
        if (kind == InputKind::suspected) watch.suspected = takes_back;
        if (kind == InputKind::unsuspected) watch.suspected = false;
        if (kind == InputKind::interrupted) watch.interrupted = HearsReconnected<P>;
        if (kind == InputKind::reconnected) watch.interrupted = false;
        if (watch == Watch{}) site.detector.erase(peer.site);
    }

    void hear(SiteId self, Site<P>& site, InputKind kind, Peer peer) {
        const auto ctx = context(self, site);
        P& protocol = site.protocol;
        if constexpr (HearsTrusted<P>)
            if (kind == InputKind::trusted) protocol.trusted(ctx, peer, fx_);
        if constexpr (HearsDead<P>)
            if (kind == InputKind::dead) protocol.dead(ctx, peer, fx_);
        if constexpr (HearsSuspected<P>)
            if (kind == InputKind::suspected) protocol.suspected(ctx, peer, fx_);
        if constexpr (HearsUnsuspected<P>)
            if (kind == InputKind::unsuspected) protocol.unsuspected(ctx, peer, fx_);
        if constexpr (HearsDeparted<P>)
            if (kind == InputKind::departed) protocol.departed(ctx, peer, fx_);
        if constexpr (HearsReconnected<P>)
            if (kind == InputKind::reconnected) protocol.reconnected(ctx, peer, fx_);
    }

    const typename P::Config& config_;
    Effects fx_;
    std::vector<Event> events_;
    Report report_;
};

}  // namespace allot::world
