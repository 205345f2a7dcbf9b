#include "world/step.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/ensure.hpp"

namespace allot::world {

namespace {

void rest(Site& site) {
    site.application = Application{.requests_left = site.application.requests_left};
    if (site.orphan && site.orphan->adopted) site.orphan.reset();
}

}  // namespace

void Stepper::start(SiteId self, Site& site, std::uint32_t requests) {
    begin();
    const std::uint32_t incarnation = site.standing == Standing::absent ? 0 : site.incarnation + 1;
    auto orphan = std::move(site.orphan);
    auto receipt = std::move(site.receipt);
    if (site.standing == Standing::absent || !instance_.facts().durable) instance_.site_values().reset(site);
    site.orphan = std::move(orphan);
    site.receipt = std::move(receipt);
    site.standing = Standing::up;
    site.incarnation = incarnation;
    site.application.requests_left = requests;
    run(self, site, input::Start{});
}

void Stepper::request(SiteId self, Site& site, const Demand& demand) {
    begin();
    Application& app = site.application;
    app.phase = Phase::waiting;
    app.demand = demand;
    if (app.requests_left != unbounded_requests) --app.requests_left;
    note(Event::Kind::requested, self, site);
    run(self, site, input::Request{demand});
}

void Stepper::release(SiteId self, Site& site) {
    begin();
    site.application.phase = Phase::leaving;
    run(self, site, input::Release{});
}

void Stepper::cancel(SiteId self, Site& site) {
    begin();
    if (!instance_.facts().cancels) return;
    site.application.phase = Phase::leaving;
    note(Event::Kind::cancelled, self, site);
    run(self, site, input::Cancel{});
}

void Stepper::leave(SiteId self, Site& site) {
    begin();
    if (!instance_.facts().leaves) return;
    run(self, site, input::Leave{});
    retire(site, Standing::left);
}

void Stepper::deliver(SiteId self, Site& site, const Envelope& envelope) {
    begin();
    const AnyMessage message{instance_.message(envelope)};
    run(self, site, input::Receive<AnyMessage>{envelope.from, message});
}

void Stepper::timeout(SiteId self, Site& site, std::uint32_t timer) {
    begin();
    if (!instance_.facts().has_timers) return;
    site.armed &= ~(1u << timer);
    run(self, site, input::Timeout<std::uint32_t>{timer});
}

void Stepper::detect(SiteId self, Site& site, InputKind kind, Peer peer) {
    begin();
    remember(site, kind, peer);
    const auto detection = detection_of(kind);
    if (detection && instance_.facts().listens(*detection))
        run(self, site, input::Detected{*detection, peer});
}

void Stepper::sync(SiteId self, Site& site) {
    begin();
    site.unsynced = false;
    run(self, site, input::Synced{});
}

void Stepper::tick(SiteId self, Site& site) {
    begin();
    age_orphan(site);
    if (site.paused())
        ++*site.missed;
    else if (site.up())
        run(self, site, input::Tick{});
}

void Stepper::age_orphan(Site& site) const {
    if (orphan_ticks_ == 0 || !site.orphan || site.orphan->adopted) return;
    if (++site.orphan->ticks == orphan_ticks_) site.orphan.reset();
}

void Stepper::pause(Site& site) {
    begin();
    site.missed = 0;
}

void Stepper::resume(SiteId self, Site& site) {
    begin();
    std::vector<AnyInput> inputs(*site.missed, input::Tick{});
    if (site.lease_over() && !site.membership.lapsed) {
        site.membership.lapsed = true;
        inputs.emplace_back(input::Lapse{});
    }
    site.missed.reset();
    run(self, site, inputs);
}

void Stepper::copy_disk(Site& site) {
    begin();
    site.image = instance_.disk_image(site);
}

void Stepper::see(SiteId self, Site& site, const AgreedView& view) {
    begin();
    if (!view.has({self, site.incarnation})) return begin_again(self, site);
    Membership& membership = site.membership;
    membership.seen = view.number + 1;
    if (membership.first == 0) membership.first = membership.seen;
    run(self, site, input::Seen{view});
    if (membership.first == membership.seen) renew_receipt(site);
}

// From the first view of an incarnation on, the receipts of earlier ones are those of programs that it did
// not adopt.
void Stepper::renew_receipt(Site& site) {
    if (!site.receipt || site.receipt->incarnation == site.incarnation) return;
    if (site.has_taken_over())
        site.receipt->incarnation = site.incarnation;
    else
        site.receipt->outdated = true;
}

void Stepper::lapse(SiteId self, Site& site) {
    begin();
    site.membership.lapsed = true;
    run(self, site, input::Lapse{});
}

void Stepper::renew(SiteId self, Site& site) {
    begin();
    site.membership.lapsed = false;
    run(self, site, input::Renewed{});
}

void Stepper::quiet(SiteId self, Site& site) {
    begin();
    site.membership.quiet = true;
    run(self, site, input::Quiet{});
}

void Stepper::adopt(SiteId self, Site& site) {
    begin();
    site.orphan->adopted = true;
    site.application.phase = Phase::holding;
    site.application.demand = site.orphan->demand;
    site.application.fences = site.orphan->fences;
    const Demand demand = site.orphan->demand;
    run(self, site, input::Adopt{demand, site.orphan->keeper, site.orphan->keeper});
}

void Stepper::claim(SiteId self, Site& site, const Demand& demand, Proof proof) {
    begin();
    const std::uint32_t before = site.incarnation - 1;
    site.orphan =
        Orphan{.incarnation = site.incarnation, .keeper = before, .demand = demand, .adopted = true};
    site.application.phase = Phase::holding;
    site.application.demand = demand;
    std::optional<std::uint32_t> receipt;
    if (proof == Proof::outdated) receipt = site.receipt->incarnation;
    run(self, site, input::Adopt{demand, before, receipt});
}

void Stepper::stop(Site& site) {
    begin();
    site.orphan.reset();
}

void Stepper::crash(SiteId self, Site& site, Disk disk) {
    begin();
    note(Event::Kind::crashed, self, site);
    leave_orphan(site);
    retire(site, Standing::down, disk);
}

void Stepper::begin() {
    fx_->clear();
    events_.clear();
    report_ = Report{};
}

void Stepper::run(SiteId self, Site& site, std::span<const AnyInput> inputs) {
    try {
        for (const AnyInput& input : inputs) {
            instance_.handle(self, site, input, *fx_);
            if (fx_->persisted()) settle_writes(self, site);
        }
        const Phase phase = instance_.phase(site);
        // A site may be born holding: in service, for instance.
        if (!inputs.empty() && std::holds_alternative<input::Start>(inputs.front()) &&
            phase == Phase::holding)
            site.application.phase = Phase::holding;
        settle_timers(site);
        for (const Notice& notice : fx_->notices()) tell(self, site, notice);
        if (report_.clean() && phase != site.application.phase)
            report_.violated(contract.name, "the protocol is " + std::string(enum_name(phase)) +
                                                " while its application is " +
                                                std::string(enum_name(site.application.phase)));
    } catch (const std::bad_alloc&) {
        throw;                                // the machine fails, not the protocol
    } catch (const std::exception& broken) {  // BrokenInvariant, or what a library throws at a wrong use
        report_.violated(assertion.name, broken.what());
    }
}

void Stepper::settle_timers(Site& site) {
    for (const auto& change : fx_->timers()) {
        const auto bit = 1u << change.timer;
        site.armed = change.armed ? site.armed | bit : site.armed & ~bit;
    }
}

void Stepper::settle_writes(SiteId self, Site& site) {
    if (writes_ == Writes::late) {
        site.unsynced = true;
        return;
    }
    constexpr int most_writes = 8;
    for (int writes = 0; fx_->take_persisted(); ++writes) {
        ensure(writes < most_writes, "a write that is synced causes writes without end");
        instance_.handle(self, site, input::Synced{}, *fx_);
    }
}

void Stepper::tell(SiteId self, Site& site, const Notice& notice) {
    Application& app = site.application;
    switch (notice.kind) {
        case Notice::Kind::granted:
            expect(app.phase == Phase::waiting, "granted", app);
            app.phase = Phase::holding;
            app.fences = notice.fences;
            if (receipts_) site.receipt = Receipt{site.incarnation, app.demand};
            return note(Event::Kind::granted, self, site);
        case Notice::Kind::released:
            expect(app.phase == Phase::leaving, "released", app);
            note(Event::Kind::released, self, site);
            return rest(site);
        case Notice::Kind::revoked:
            expect(app.phase == Phase::holding, "revoked", app);
            app.revoked = true;
            return note(Event::Kind::revoked, self, site);
        case Notice::Kind::refused:
            expect(app.phase == Phase::waiting || app.phase == Phase::leaving, "refused", app);
            note(Event::Kind::refused, self, site);
            // A site that may not let go keeps what it holds.
            if (app.phase == Phase::leaving)
                app.phase = Phase::holding;
            else
                rest(site);
            return;
        case Notice::Kind::stopped:
            expect(app.phase == Phase::holding, "stopped", app);
            note(Event::Kind::stopped, self, site);
            return rest(site);
    }
}

void Stepper::expect(bool holds, const char* what, const Application& app) {
    if (!holds)
        report_.violated(contract.name, std::string(what) + " while the application is " +
                                            std::string(enum_name(app.phase)));
}

// Events are for monitors; without one nobody would look.
void Stepper::note(Event::Kind kind, SiteId self, const Site& site) {
    if (instance_.facts().has_monitor)
        events_.push_back({kind, self, site.application.demand, site.application.fences});
}

void Stepper::retire(Site& site, Standing standing, Disk disk) {
    const std::uint32_t incarnation = site.incarnation;
    auto orphan = std::move(site.orphan);
    auto receipt = std::move(site.receipt);
    instance_.lose_volatile(site, disk);
    site.standing = standing;
    site.incarnation = incarnation;
    site.orphan = std::move(orphan);
    site.receipt = std::move(receipt);
}

// Its programs and requests end; those that it has not made yet are left to the next incarnation.
void Stepper::begin_again(SiteId self, Site& site) {
    note(Event::Kind::crashed, self, site);
    const std::uint32_t requests = site.application.requests_left;
    rest(site);
    retire(site, Standing::up);
    ++site.incarnation;
    site.application.requests_left = requests;
    run(self, site, input::Start{});
}

// An adopted orphan still belongs to the incarnation that granted it what it holds: a site that has not seen
// the views between waits for that one.
void Stepper::leave_orphan(Site& site) const {
    const Application& app = site.application;
    if (site.only_claims()) return site.orphan.reset();
    if (site.has_taken_over()) site.orphan->keeper = site.incarnation;
    if (site.orphan && site.orphan->adopted)
        site.orphan->adopted = false;
    else if (orphans_ && app.phase == Phase::holding)
        site.orphan = Orphan{site.incarnation, site.incarnation, app.demand, app.fences};
}

// `suspected` and `departed` may be said again, so there is nothing to remember.
void Stepper::remember(Site& site, InputKind kind, Peer peer) {
    if (kind == InputKind::suspected || kind == InputKind::departed) return;
    Watch watch = site.watch(peer.site);
    if (kind == InputKind::trusted) watch.trusted = peer.incarnation + 1;
    if (kind == InputKind::dead) watch.reported = peer.incarnation + 1;
    if (kind == InputKind::interrupted) watch.interrupted = instance_.facts().listens(Detection::reconnected);
    if (kind == InputKind::reconnected) watch.interrupted = false;
    if (kind == InputKind::stopped) watch.stopped = peer.incarnation + 1;
    auto& detector = site.detector;
    detector.resize(std::max<std::size_t>(detector.size(), peer.site + 1));
    detector[peer.site] = watch;
    std::size_t size = detector.size();
    while (size > 0 && site.watch(static_cast<SiteId>(size - 1)) == Watch{}) --size;
    detector.resize(size);
    detector.share();
}

}  // namespace allot::world
