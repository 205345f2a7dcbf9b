// MachineOf<P>: a protocol behind the untyped Machine interface. Everything with a type is here, and is
// instantiated once per protocol, in a translation unit of its own.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <mutex>
#include <string>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "core/random.hpp"
#include "core/stamps.hpp"
#include "world/arbitrary.hpp"
#include "world/machine.hpp"
#include "world/stable_vector.hpp"
#include "world/step.hpp"

namespace allot::world {

// Keeps each distinct value once. Equal values have equal bytes, so bytes are the key.
template <class Value>
class Interner {
public:
    const Value& operator[](std::size_t id) const { return values_[id]; }

    // `on_fresh` is called for a value that was not there.
    template <class OnFresh>
    std::uint32_t intern(std::uint32_t salt, const Value& value, OnFresh&& on_fresh) {
        key_.clear();
        encode(salt, key_);
        encode(value, key_);
        const auto [place, fresh] = ids_.try_emplace(key_, static_cast<std::uint32_t>(values_.size()));
        const std::uint32_t id = place->second;
        if (fresh) {
            values_.push_back(value);
            on_fresh(value);
        }
        return id;
    }
    std::uint32_t intern(const Value& value) {
        return intern(0, value, [](const Value&) {});
    }

private:
    struct BytesHash {
        using is_avalanching = void;
        std::size_t operator()(const std::string& bytes) const noexcept { return hash_bytes(bytes); }
    };
    boost::unordered_flat_map<std::string, std::uint32_t, BytesHash> ids_;
    StableVector<Value> values_;
    std::string key_;
};

template <Protocol P>
class MachineOf final : public Machine {
public:
    using Config = typename P::Config;
    using Message = typename P::Message;
    using Timer = TimerOf<P>;

    MachineOf(Config config, Setup setup)
        : Machine(std::move(setup)), config_(std::move(config)), stepper_(config_) {
        intern_events({});  // id 0: nothing happened
        for (SiteId site = 0; site < this->setup().sites; ++site)
            for (const Demand& demand : demands_of<P>(ContextOf<P>{config_, site})) intern_demand(demand);
    }

    const Config& config() const { return config_; }
    std::string_view name() const override { return P::name; }
    std::span<const PropertyName> properties() const override { return P::properties; }
    boost::json::value config_json() const override { return to_json(config_); }
    std::optional<std::string> caveat() const override { return allot::caveat<P>(config_); }

    using Machine::initial;
    World initial(Report& report) override;

    const Reaction& react(LocalId local, const Input& input) override;
    LedgerId observe(LedgerId ledger, EventsId events, Report& report) override;
    LedgerId spend(LedgerId ledger, std::uint32_t Budget::*what) override;

    void check_state(const World& world, Report& report) const override {
        Report all;
        with_view(world, [&](const View<P>& view) { P::on_state(view, all); });
        if (!all.clean()) report.add(judged(std::move(all)));
    }
    bool says_legal() const override { return SaysLegal<P>; }
    bool legal(const World& world) const override {
        bool answer = true;
        if constexpr (SaysLegal<P>) with_view(world, [&](const View<P>& view) { answer = P::legal(view); });
        return answer;
    }

    std::vector<std::string_view> probes() const override { return probes_of<P>(); }
    bool hears_dead() const override { return HearsDead<P>; }
    bool has_prompt() const override { return HasPrompt<P> || HasPromptOnLinks<P>; }
    bool normalises() const override { return Normalises<P>; }
    void normalise(World& world) override;
    std::vector<std::uint64_t> stamps_of(const World& world) const override;
    LocalId rename_local(LocalId id, const StampNames& names) override {
        const std::scoped_lock lock(mutex_);
        return intern_local(local(id).site, renamed(sites_[id], names));
    }
    EnvelopeId rename_envelope(EnvelopeId id, const StampNames& names) override {
        const std::scoped_lock lock(mutex_);
        return intern_envelope(renamed(messages_[id], names));
    }
    LedgerId rename_ledger(LedgerId id, const StampNames& names) override {
        const std::scoped_lock lock(mutex_);
        return intern_ledger(renamed(books_[id], names));
    }

    boost::json::value state(LocalId id) const override { return to_json(sites_[id].protocol); }
    boost::json::value message(EnvelopeId id) const override {
        return std::visit([](const auto& kind) { return to_json(kind); }, messages_[id].message);
    }
    std::string_view kind(EnvelopeId id) const override { return kind_name(messages_[id].message); }
    std::string_view timer_name(std::uint32_t timer) const override {
        return enum_name(static_cast<Timer>(timer));
    }
    std::optional<std::uint32_t> timer_named(std::string_view name) const override {
        if (const auto timer = enum_from<Timer>(name)) return static_cast<std::uint32_t>(*timer);
        return std::nullopt;
    }
    std::vector<Demand> demands() const override { return {demands_.begin(), demands_.end()}; }
    std::optional<std::string> unlisted() const override {
        if constexpr (requires { P::unlisted(config_); }) return P::unlisted(config_);
        return std::nullopt;
    }
    bool refuses_unfit() const override {
        return requires(const Demand& demand) {
            P::unfit(config_, demand);
        };
    }
    std::uint32_t intern_demand(const Demand& demand) override;
    const Demand& demand(std::uint32_t id) const override { return demands_[id]; }
    std::optional<std::string> merge_state(LocalId& local, const boost::json::value& part) override;
    std::optional<std::string> make_message(SiteId from, SiteId to, const boost::json::value& message,
                                            EnvelopeId& made) override;
    bool has_domains() const override { return HasDomains<P>; }
    World arbitrary(std::uint64_t seed, std::uint32_t noise) override;
    std::optional<std::string> wrong_noise([[maybe_unused]] std::uint64_t noise) const override {
        if constexpr (requires { P::wrong_noise(config_, noise); }) return P::wrong_noise(config_, noise);
        return std::nullopt;
    }

private:
    struct Ledger {
        Budget budget;
        MonitorOf<P> monitor;
        bool operator==(const Ledger&) const = default;
        BOOST_DESCRIBE_CLASS(Ledger, (), (budget, monitor), (), ())
    };
    Report judged(Report report) const {
        // Where an assertion failed there is nothing to go on with, so drivers must know, judged or not.
        report.keep([this](std::string_view name) { return setup().judges(name) || name == assertion.name; });
        return report;
    }
    struct ReactionKey {
        std::uint64_t place, what;
        bool operator==(const ReactionKey&) const = default;
        friend std::size_t hash_value(const ReactionKey& key) {
            return static_cast<std::size_t>((key.place * 0x9E3779B97F4A7C15u) ^
                                            (key.what * 0xC2B2AE3D27D4EB4Fu));
        }
    };

    using Offers = decltype(LocalInfo::offers);

    template <class F>
    void with_view(const World& world, F&& f) const {
        using boost::container::default_init;
        boost::container::small_vector<const Site<P>*, 16> sites(world.sites.size(), default_init);
        boost::container::small_vector<const Envelope<Message>*, 32> flight(world.flight.size(),
                                                                            default_init);
        std::ranges::transform(world.sites, sites.begin(), [&](LocalId id) { return &sites_[id]; });
        std::ranges::transform(world.flight, flight.begin(), [&](EnvelopeId id) { return &messages_[id]; });
        const Budget& left = ledger(world.ledger).budget;
        f(View<P>{config_,
                  {sites.data(), sites.size()},
                  {flight.data(), flight.size()},
                  setup().lose == any_number || left.lose < setup().lose,
                  left.duplicate < setup().duplicate});
    }

    LocalId intern_local(SiteId self, const Site<P>& site) {
        return sites_.intern(self, site,
                             [&](const Site<P>& fresh) { locals_.push_back(describe_local(self, fresh)); });
    }
    EnvelopeId intern_envelope(const Envelope<Message>& envelope) {
        return messages_.intern(0, envelope,
                                [&](const auto& fresh) { envelopes_.push_back(describe_envelope(fresh)); });
    }
    LedgerId intern_ledger(const Ledger& ledger) {
        return books_.intern(0, ledger, [&](const Ledger& fresh) {
            ledgers_.push_back({fresh.budget, stamp_set(fresh)});
        });
    }
    EventsId intern_events(const std::vector<Event>& events) { return events_.intern(events); }

    LocalInfo describe_local(SiteId self, const Site<P>& site);
    EnvelopeInfo describe_envelope(const Envelope<Message>& envelope);
    Offers offers(SiteId self, const Site<P>& site);
    void offer_application(SiteId self, const Site<P>& site, Offers& offers);
    void offer_timers(const Site<P>& site, Offers& offers);
    void offer_detector(SiteId self, const Site<P>& site, Offers& offers);
    void run(SiteId self, Site<P>& site, const Input& input);
    void note_probes(Report& report);
    void watch_stamps(LocalId local, const Input& input, const Reaction& reaction);
    // Puts exactly these messages in flight, in the order that the links keep.
    void launch(World& world, std::vector<Envelope<Message>> sent);

    template <class T>
    static StampSet stamp_set(const T& value) {
        StampSet set;
        for_each_stamp(value, [&](Stamp stamp) {
            const std::uint64_t number = StampAccess::value(stamp);
            if (number < 64)
                set.values |= std::uint64_t{1} << number;
            else
                set.large = true;
        });
        return set;
    }
    template <class T>
    static T renamed(T value, const StampNames& names) {
        for_each_stamp(value, [&](Stamp& stamp) {
            const std::pair key{StampAccess::value(stamp), std::uint64_t{0}};
            stamp = StampAccess::make(std::lower_bound(names.begin(), names.end(), key)->second);
        });
        return value;
    }

    const Config config_;
    mutable std::recursive_mutex mutex_;
    Stepper<P> stepper_;
    Interner<Site<P>> sites_;
    Interner<Envelope<Message>> messages_;
    Interner<Envelope<Message>> shapes_;  // without stamps
    Interner<Ledger> books_;
    Interner<std::vector<Event>> events_;
    std::deque<Demand> demands_;
    boost::unordered_flat_map<ReactionKey, const Reaction*> reaction_of_;
    std::deque<Reaction> reactions_;
};

template <Protocol P>
World MachineOf<P>::initial(Report& report) {
    const std::scoped_lock lock(mutex_);
    const Setup& setup = this->setup();
    World world;
    Ledger ledger{{setup.crashes, setup.restarts, setup.leaves, setup.duplicate, setup.lose, setup.lies}, {}};
    std::vector<Site<P>> sites(setup.sites);
    std::vector<Envelope<Message>> sent;
    const auto collect = [&](SiteId self) {
        report.add(judged(stepper_.report()));
        for (const Event& event : stepper_.events()) ledger.monitor.observe(event, report);
        for (const auto& send : stepper_.fx().sends())
            if (send.to < setup.founders) sent.push_back({self, send.to, send.message});
    };
    for (SiteId self = 0; self < setup.founders; ++self) {
        stepper_.start(self, sites[self], setup.requests[self]);
        collect(self);
    }
    const auto trusts = [&](SiteId self) { return setup.trust == Trust::dense || self == setup.anchor; };
    if (HearsTrusted<P>)
        for (SiteId self = 0; self < setup.founders; ++self)
            for (SiteId peer = 0; peer < setup.founders; ++peer)
                if (trusts(self) && peer != self &&
                    watches(sites[self].protocol, stepper_.context(self, sites[self]), peer)) {
                    stepper_.detect(self, sites[self], InputKind::trusted, {peer, 0});
                    collect(self);
                }
    world.ledger = intern_ledger(ledger);
    for (SiteId self = 0; self < setup.sites; ++self) world.sites.push_back(intern_local(self, sites[self]));
    launch(world, std::move(sent));
    return world;
}

template <Protocol P>
void MachineOf<P>::launch(World& world, std::vector<Envelope<Message>> sent) {
    if (setup().links == Links::fifo)
        std::stable_sort(sent.begin(), sent.end(), [](const auto& a, const auto& b) {
            return std::pair(a.from, a.to) < std::pair(b.from, b.to);
        });
    world.flight.clear();
    for (const auto& envelope : sent) world.flight.push_back(intern_envelope(envelope));
    if (setup().links == Links::unordered) std::sort(world.flight.begin(), world.flight.end());
}

template <Protocol P>
const Reaction& MachineOf<P>::react(LocalId local, const Input& input) {
    const std::scoped_lock lock(mutex_);
    const ReactionKey key{local | static_cast<std::uint64_t>(input.kind) << 32,
                          input.argument | static_cast<std::uint64_t>(input.incarnation) << 32};
    if (const auto known = reaction_of_.find(key); known != reaction_of_.end()) return *known->second;

    const SiteId self = this->local(local).site;
    Site<P> site = sites_[local];
    run(self, site, input);
    Reaction reaction;
    reaction.report = judged(stepper_.report());
    if constexpr (!std::same_as<MonitorOf<P>, NoMonitor>) reaction.events = intern_events(stepper_.events());
    for (const auto& send : stepper_.fx().sends()) {
        if (send.to < setup().sites)
            reaction.sent.push_back(intern_envelope({self, send.to, send.message}));
        else
            reaction.report.violated(
                assertion.name, "a message to site " + std::to_string(send.to) + ", which does not exist");
    }
    for (const Notice& notice : stepper_.fx().notices())
        if (notice.kind == Notice::Kind::refused) reaction.refused = notice.reason;
    note_probes(reaction.report);
    reaction.after = intern_local(self, site);
    reaction.plain =
        site.up() && input.kind != InputKind::start && reaction.events == 0 && reaction.report.clean();
    watch_stamps(local, input, reaction);
    const Reaction* kept = &reactions_.emplace_back(std::move(reaction));
    reaction_of_.emplace(key, kept);
    return *kept;
}

template <Protocol P>
void MachineOf<P>::note_probes(Report& report) {
    static const auto names = probes_of<P>();
    for (const std::string_view probe : stepper_.fx().probes()) {
        const auto place = std::find(names.begin(), names.end(), probe);
        if (place == names.end())
            report.violated(assertion.name, "no probe is called " + std::string(probe));
        else
            probes_reached_ |= std::uint64_t{1} << (place - names.begin());
    }
}

// Renaming shifts all stamps down where none is zero. A handler that then makes one from Stamp{} instead of
// from what it knows would put it in another place than without renaming; so it is noticed.
template <Protocol P>
void MachineOf<P>::watch_stamps(LocalId local, const Input& input, const Reaction& reaction) {
    if (!setup().ranked() || input.kind == InputKind::start) return;
    if (!this->local(reaction.after).up()) return;  // nothing is left of it that could be out of place
    std::uint64_t known = this->local(local).stamps.values;
    if (input.kind == InputKind::deliver) known |= envelope(input.argument).stamps.values;
    std::uint64_t made = this->local(reaction.after).stamps.values;
    for (const EnvelopeId id : reaction.sent) made |= envelope(id).stamps.values;
    const std::uint64_t zero_and_one = 3;
    if ((known & 1) == 0 && (made & ~known & zero_and_one) != 0) stamps_from_nothing_ = true;
}

template <Protocol P>
void MachineOf<P>::run(SiteId self, Site<P>& site, const Input& input) {
    const Peer peer{input.argument, input.incarnation};
    switch (input.kind) {
        case InputKind::start:
            return stepper_.start(self, site, setup().requests[self]);
        case InputKind::request:
            return stepper_.request(self, site, demands_[input.argument]);
        case InputKind::release:
            return stepper_.release(self, site);
        case InputKind::cancel:
            return stepper_.cancel(self, site);
        case InputKind::leave:
            return stepper_.leave(self, site);
        case InputKind::deliver: {
            const Envelope<Message>& envelope = messages_[input.argument];
            return stepper_.deliver(self, site, envelope.from, envelope.message);
        }
        case InputKind::timeout:
            return stepper_.timeout(self, site, input.argument);
        case InputKind::crash:
            return stepper_.crash(self, site);
        case InputKind::trusted:
        case InputKind::dead:
        case InputKind::suspected:
        case InputKind::unsuspected:
        case InputKind::departed:
        case InputKind::interrupted:
        case InputKind::reconnected:
            return stepper_.detect(self, site, input.kind, peer);
    }
}

template <Protocol P>
LedgerId MachineOf<P>::observe(LedgerId ledger, EventsId events, Report& report) {
    const std::scoped_lock lock(mutex_);
    Ledger book = books_[ledger];
    Report all;
    for (const Event& event : events_[events]) book.monitor.observe(event, all);
    report.add(judged(std::move(all)));
    return intern_ledger(book);
}

template <Protocol P>
LedgerId MachineOf<P>::spend(LedgerId ledger, std::uint32_t Budget::*what) {
    const std::scoped_lock lock(mutex_);
    Ledger book = books_[ledger];
    if (book.budget.*what != any_number) --(book.budget.*what);
    return intern_ledger(book);
}

template <Protocol P>
LocalInfo MachineOf<P>::describe_local(SiteId self, const Site<P>& site) {
    LocalInfo info;
    info.site = self;
    info.standing = site.standing;
    info.incarnation = site.incarnation;
    info.phase = site.application.phase;
    info.revoked = site.application.revoked;
    info.may_crash =
        site.up() && self != setup().anchor && may_crash(site.protocol, stepper_.context(self, site));
    info.starting = setup().starts && site.up() && site.application.requests_left > 0 &&
                    !may_request(site.protocol, stepper_.context(self, site));
    info.offers = offers(self, site);
    info.stamps = stamp_set(site);
    if constexpr (NamesClock<P>)
        if (site.up()) info.clock = StampAccess::value(site.protocol.clock());
    return info;
}

template <Protocol P>
EnvelopeInfo MachineOf<P>::describe_envelope(const Envelope<Message>& envelope) {
    EnvelopeInfo info;
    info.from = envelope.from;
    info.to = envelope.to;
    if constexpr (ReplacesMessages<P>)
        for (const Timer timer : enum_values<Timer>())
            if (P::replaces(timer, envelope.message))
                info.replaced_by |= 1u << static_cast<std::uint32_t>(timer);
    if constexpr (HasPrompt<P>) info.prompt = P::prompt(envelope.message);
    if constexpr (HasPromptOnLinks<P>) info.prompt = P::prompt(envelope);
    info.stamps = stamp_set(envelope);
    Envelope<Message> shape = envelope;
    for_each_stamp(shape, [](Stamp& stamp) { stamp = Stamp{}; });
    info.shape = shapes_.intern(shape);
    info.order = setup().links == Links::fifo ? std::uint64_t{info.from} << 32 | info.to : envelopes_.size();
    return info;
}

template <Protocol P>
typename MachineOf<P>::Offers MachineOf<P>::offers(SiteId self, const Site<P>& site) {
    Offers offers;
    if (!site.up()) {
        offers.push_back({{InputKind::start}, false});
        return offers;
    }
    offer_application(self, site, offers);
    offer_timers(site, offers);
    offer_detector(self, site, offers);
    return offers;
}

template <Protocol P>
void MachineOf<P>::offer_application(SiteId self, const Site<P>& site, Offers& offers) {
    const Application& app = site.application;
    const auto ctx = stepper_.context(self, site);
    if (app.phase == Phase::idle && app.requests_left > 0 && may_request(site.protocol, ctx))
        for (const Demand& demand : demands_of<P>(ctx))
            offers.push_back({{InputKind::request, intern_demand(demand)}, always_asks<P>()});
    if (app.phase == Phase::holding) offers.push_back({{InputKind::release}, !setup().camps(self)});
    if (Cancels<P> && setup().cancel && app.phase == Phase::waiting)
        offers.push_back({{InputKind::cancel}, false});
    if (Leaves<P> && app.phase == Phase::idle && self != setup().anchor)
        offers.push_back({{InputKind::leave}, false});
}

template <Protocol P>
void MachineOf<P>::offer_timers(const Site<P>& site, Offers& offers) {
    if constexpr (HasTimers<P>)
        for (std::uint32_t timer = 0; timer < 32; ++timer) {
            if (((site.armed >> timer) & 1u) == 0) continue;
            bool fair = false;
            if constexpr (NamesFairTimers<P>) fair = P::fair(static_cast<Timer>(timer));
            offers.push_back({{InputKind::timeout, timer}, fair});
        }
}

// What the detector may say here as far as this site's memory goes; the walker adds what the peers allow.
template <Protocol P>
void MachineOf<P>::offer_detector(SiteId self, const Site<P>& site, Offers& offers) {
    for (SiteId peer = 0; peer < setup().sites; ++peer) {
        if (peer == self || !watches(site.protocol, stepper_.context(self, site), peer)) continue;
        const auto known = site.detector.find(peer);
        const Watch watch = known == site.detector.end() ? Watch{} : known->second;
        // Without a handler for trust, every life counts as trusted.
        const std::uint32_t trusted = HearsTrusted<P> ? watch.trusted : watch.reported + 1;
        if (HearsTrusted<P> && watch.reported >= watch.trusted && setup().trust != Trust::anchor)
            offers.push_back({{InputKind::trusted, peer, watch.reported}, true});
        if (HearsDead<P> && watch.reported < trusted)
            offers.push_back({{InputKind::dead, peer, trusted - 1}, true});
        if (HearsSuspected<P> && !watch.suspected) offers.push_back({{InputKind::suspected, peer, 0}, false});
        if (HearsUnsuspected<P> && watch.suspected)
            offers.push_back({{InputKind::unsuspected, peer, 0}, false});
        if (watch.interrupted) offers.push_back({{InputKind::reconnected, peer, 0}, true});
        if (HearsDeparted<P>) offers.push_back({{InputKind::departed, peer, 0}, true});
    }
}

// Every step of an exploration comes through here, on all threads: only what has changed is interned anew.
template <Protocol P>
void MachineOf<P>::normalise(World& world) {
    if constexpr (Normalises<P>) {
        std::vector<Site<P>> sites;
        std::vector<Envelope<Message>> flight;
        for (const LocalId id : world.sites) sites.push_back(sites_[id]);
        for (const EnvelopeId id : world.flight) flight.push_back(messages_[id]);
        MutableView<P> view{config_, sites, flight};
        P::normalise(view);
        const bool same_flight = std::ranges::equal(
            flight, world.flight, {}, {}, [this](EnvelopeId id) -> auto& { return messages_[id]; });
        boost::container::small_vector<SiteId, 16> changed;
        for (SiteId self = 0; self < sites.size(); ++self)
            if (sites[self] != sites_[world.sites[self]]) changed.push_back(self);
        if (same_flight && changed.empty()) return;
        const std::scoped_lock lock(mutex_);
        for (const SiteId self : changed) world.sites[self] = intern_local(self, sites[self]);
        if (!same_flight) launch(world, std::move(flight));
    }
}

template <Protocol P>
std::vector<std::uint64_t> MachineOf<P>::stamps_of(const World& world) const {
    std::vector<std::uint64_t> values;
    const auto add = [&](Stamp stamp) { values.push_back(StampAccess::value(stamp)); };
    for_each_stamp(books_[world.ledger], add);
    for (const LocalId id : world.sites) for_each_stamp(sites_[id], add);
    for (const EnvelopeId id : world.flight) for_each_stamp(messages_[id], add);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

template <Protocol P>
std::uint32_t MachineOf<P>::intern_demand(const Demand& demand) {
    const std::scoped_lock lock(mutex_);
    const auto place = std::find(demands_.begin(), demands_.end(), demand);
    if (place != demands_.end()) return static_cast<std::uint32_t>(place - demands_.begin());
    demands_.push_back(demand);
    return static_cast<std::uint32_t>(demands_.size() - 1);
}

template <Protocol P>
std::optional<std::string> MachineOf<P>::merge_state(LocalId& local, const boost::json::value& part) {
    const std::scoped_lock lock(mutex_);
    Site<P> site = sites_[local];
    if (auto error = merge_json(site.protocol, part)) return error;
    const auto ctx = stepper_.context(this->local(local).site, site);
    if constexpr (HasDomains<P>)
        if (auto error = never_drawn<P>(ctx, site.protocol)) return error;
    if constexpr (requires { site.protocol.misfit(ctx); })
        if (auto error = site.protocol.misfit(ctx)) return error;
    renew_application(site);
    local = intern_local(this->local(local).site, site);
    return std::nullopt;
}

template <Protocol P>
std::optional<std::string> MachineOf<P>::make_message(SiteId from, SiteId to,
                                                      const boost::json::value& message, EnvelopeId& made) {
    const std::scoped_lock lock(mutex_);
    Envelope<Message> envelope{from, to, {}};
    if (auto error = merge_json(envelope.message, message, "message")) return error;
    if constexpr (requires { P::misfit(config_, envelope.message); })
        if (auto error = P::misfit(config_, envelope.message)) return error;
    made = intern_envelope(envelope);
    return std::nullopt;
}

template <Protocol P>
World MachineOf<P>::arbitrary(std::uint64_t seed, std::uint32_t noise) {
    World world = initial();
    if constexpr (HasDomains<P>) {
        const std::scoped_lock lock(mutex_);
        Random random(seed);
        std::vector<Envelope<Message>> sent;
        for (SiteId self = 0; self < world.sites.size(); ++self) {
            Site<P> site = sites_[world.sites[self]];
            const auto ctx = stepper_.context(self, site);
            draw_site<P>(ctx, site, random);
            world.sites[self] = intern_local(self, site);
            draw_messages<P>(ctx, noise, random, sent);
        }
        launch(world, std::move(sent));
    }
    return world;
}

}  // namespace allot::world
