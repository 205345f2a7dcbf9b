#include "walk/machine.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

#include "base/stop.hpp"
#include "core/json.hpp"
#include "core/random.hpp"
#include "core/stamps.hpp"
#include "world/arbitrary.hpp"
#include "world/axioms.hpp"
#include "world/entry.hpp"

namespace allot::walk {

using namespace world;

namespace {

template <class Base>
StampSet stamp_set(const Values<Base>& values, const Base& value) {
    StampSet set;
    for_each_stamp(*values.type, values.whole_of(value), [&](const Stamp& stamp) {
        const std::uint64_t number = StampAccess::value(stamp);
        if (number < 64)
            set.values |= std::uint64_t{1} << number;
        else
            set.large = true;
    });
    return set;
}

template <class Base>
Box<Base> renamed(const Values<Base>& values, const Base& value, const StampNames& names) {
    Box<Base> copy(values, value);
    for_each_stamp(*values.type, values.whole(*copy), [&](Stamp& stamp) {
        const std::pair key{StampAccess::value(stamp), std::uint64_t{0}};
        stamp = StampAccess::make(std::lower_bound(names.begin(), names.end(), key)->second);
    });
    return copy;
}

template <class Base>
std::string key_of(const Values<Base>& values, const Base& value) {
    std::string key;
    values.encode(value, key);
    return key;
}

}  // namespace

Machine::Machine(std::unique_ptr<const Instance> instance, Setup setup)
    : instance_(std::move(instance)),
      setup_(std::move(setup)),
      stepper_(*instance_, setup_.writes, setup_.orphans, setup_.orphan_ticks, setup_.false_claims > 0) {
    intern_events({});  // id 0: nothing happened
    demands_of_.resize(setup_.sites);
    for (SiteId site = 0; site < setup_.sites; ++site)
        for (const Demand& demand : instance_->demands(site)) {
            stop::poll();
            demands_of_[site].push_back(intern_demand(demand));
        }
}

// Where an assertion failed there is nothing to go on with, so drivers must know, judged or not.
Report Machine::judged(Report report) const {
    report.keep([this](std::string_view name) { return setup_.judges(name) || name == assertion.name; });
    return report;
}

template <class F>
auto Machine::with_view(const World& world, F&& f) const {
    using boost::container::default_init;
    boost::container::small_vector<const Site*, 16> sites(world.sites.size(), default_init);
    boost::container::small_vector<const Envelope*, 32> flight(world.flight.size(), default_init);
    std::ranges::transform(world.sites, sites.begin(), [&](LocalId id) { return &*sites_[id]; });
    std::ranges::transform(world.flight, flight.begin(), [&](EnvelopeId id) { return &*messages_[id]; });
    const Budget& left = ledger(world.ledger).budget;
    return f(AnyView{{sites.data(), sites.size()},
                     {flight.data(), flight.size()},
                     setup_.lossy() || setup_.lose.any() || left.lose < setup_.lose.value,
                     setup_.lossy() || left.duplicate < setup_.duplicate});
}

void Machine::check_state(const World& world, Report& report) const {
    Report all;
    try {
        with_view(world, [&](const AnyView& view) { instance_->check(view, all); });
    } catch (const std::bad_alloc&) {
        throw;                                // the machine fails, not the protocol
    } catch (const std::exception& broken) {  // a world written by hand may be like no other
        all.violated(assertion.name, broken.what());
    }
    if (!all.clean()) report.add(judged(std::move(all)));
}

bool Machine::legal(const World& world) const {
    return with_view(world, [&](const AnyView& view) { return instance_->legal(view); });
}

// --- Interning.

LocalId Machine::intern_local(SiteId self, Box<Site> site) {
    key_.clear();
    encode(self, key_);
    instance_->site_values().encode(*site, key_);
    const LocalId id = sites_.intern(key_, [&] {
        locals_.push_back(describe_local(self, *site));
        return std::move(site);
    });
    if (site) recycle(std::move(site));
    return id;
}

Box<Site> Machine::copy_of(LocalId id) {
    if (spare_.empty()) return sites_[id];
    Box<Site> copy = std::move(spare_.back());
    spare_.pop_back();
    instance_->site_values().assign(*copy, *sites_[id]);
    return copy;
}

void Machine::recycle(Box<Site> site) {
    constexpr std::size_t most = 1024;
    if (spare_.size() < most) spare_.push_back(std::move(site));
}

EnvelopeId Machine::intern_envelope(Box<Envelope> envelope) {
    key_.clear();
    instance_->envelope_values().encode(*envelope, key_);
    return messages_.intern(key_, [&] {
        envelopes_.push_back(describe_envelope(*envelope));
        return std::move(envelope);
    });
}

LedgerId Machine::intern_ledger(Ledger ledger) {
    key_.clear();
    encode(ledger.budget, key_);
    encode(ledger.conditions, key_);
    instance_->history_values().encode(*ledger.history, key_);
    return books_.intern(key_, [&] {
        LedgerInfo info{.budget = ledger.budget, .conditions = ledger.conditions};
        for (const AgreedView& view : ledger.conditions.views) info.views.push_back(intern_view(view));
        info.stamps = stamp_set(instance_->history_values(), *ledger.history);
        ledgers_.push_back(std::move(info));
        return std::move(ledger);
    });
}

EventsId Machine::intern_events(const std::vector<Event>& events) {
    return events_.intern(to_bytes(events), [&] { return events; });
}

std::uint32_t Machine::intern_view(const AgreedView& view) {
    return views_.intern(to_bytes(view), [&] { return view; });
}

std::uint32_t Machine::intern_demand(const Demand& demand) {
    const std::scoped_lock lock(mutex_);
    return demands_.intern(to_bytes(demand), [&] { return demand; });
}

std::vector<Demand> Machine::demands() const {
    std::vector<Demand> all;
    for (std::size_t id = 0; id < demands_.size(); ++id) all.push_back(demands_[id]);
    return all;
}

// --- Everything that was interned, as bytes.

std::string Machine::known() const {
    const std::scoped_lock lock(mutex_);
    std::string out;
    encode(stamps_from_nothing_.load(), out);
    encode(std::uint64_t{sites_.size()}, out);
    for (LocalId id = 0; id < sites_.size(); ++id) {
        encode(local(id).site, out);
        instance_->site_values().encode(*sites_[id], out);
    }
    encode(std::uint64_t{messages_.size()}, out);
    for (EnvelopeId id = 0; id < messages_.size(); ++id)
        instance_->envelope_values().encode(*messages_[id], out);
    encode(std::uint64_t{books_.size()}, out);
    for (LedgerId id = 0; id < books_.size(); ++id) {
        encode(books_[id].budget, out);
        encode(books_[id].conditions, out);
        instance_->history_values().encode(*books_[id].history, out);
    }
    return out;
}

namespace {

// Calls `take(id)` for each element of a list; false if one of the calls returns false, or the list has no
// length.
template <class Take>
bool take_each(std::string_view& in, Take&& take) {
    std::uint64_t count = 0;
    if (!decode(in, count)) return false;
    for (std::uint64_t id = 0; id < count; ++id) {
        stop::poll();
        if (!take(id)) return false;
    }
    return true;
}

}  // namespace

bool Machine::learn(std::string_view known) {
    const std::scoped_lock lock(mutex_);
    bool from_nothing = false;
    if (!decode(known, from_nothing)) return false;
    stamps_from_nothing_ = stamps_from_nothing_ || from_nothing;
    return take_each(known,
                     [&](std::uint64_t id) {
                         SiteId self = 0;
                         Box<Site> site(instance_->site_values());
                         return decode(known, self) && instance_->site_values().decode(known, *site) &&
                                intern_local(self, std::move(site)) == id;
                     }) &&
           take_each(known,
                     [&](std::uint64_t id) {
                         Box<Envelope> envelope(instance_->envelope_values());
                         return instance_->envelope_values().decode(known, *envelope) &&
                                intern_envelope(std::move(envelope)) == id;
                     }) &&
           take_each(known,
                     [&](std::uint64_t id) {
                         Ledger book{{}, {}, Box<History>(instance_->history_values())};
                         return decode(known, book.budget) && decode(known, book.conditions) &&
                                instance_->history_values().decode(known, *book.history) &&
                                intern_ledger(std::move(book)) == id;
                     }) &&
           known.empty();
}

// --- Steps.

World Machine::initial(Report& report) {
    const std::scoped_lock lock(mutex_);
    if (!initial_) {
        Report found;
        World world = make_initial(found);
        initial_.emplace(std::move(world), std::move(found));
    }
    report.add(initial_->second);
    return initial_->first;
}

// View 0 has the founders.
Conditions Machine::initial_conditions() const {
    Conditions conditions;
    if (!facts().sees_views) return conditions;
    AgreedView founders;
    for (SiteId site = 0; site < setup_.founders; ++site) founders.members.push_back({site, 0});
    conditions.views.push_back(std::move(founders));
    return conditions;
}

World Machine::make_initial(Report& report) {
    World world;
    Ledger ledger{Budget{.crashes = setup_.crashes,
                         .restarts = setup_.restarts,
                         .leaves = setup_.leaves,
                         .duplicate = setup_.duplicate,
                         .lose = setup_.lose.value,
                         .lies = setup_.lies,
                         .lost_disks = setup_.lost_disks,
                         .restored_disks = setup_.restored_disks,
                         .cuts = setup_.cuts,
                         .expulsions = setup_.expulsions,
                         .lapses = setup_.lapses,
                         .pauses = setup_.pauses,
                         .false_claims = setup_.false_claims},
                  initial_conditions(), Box<History>(instance_->history_values())};
    std::vector<Box<Site>> sites(setup_.sites, Box<Site>(instance_->site_values()));
    std::vector<Box<Envelope>> sent;
    const auto collect = [&](SiteId self) {
        stop::poll();
        report.add(judged(stepper_.report()));
        for (const Event& event : stepper_.events()) instance_->observe(*ledger.history, event, report);
        for (std::size_t i = 0; i < stepper_.fx().send_count(); ++i) {
            const auto [to, kind, message] = stepper_.fx().send_at(i);
            if (to < setup_.founders) sent.push_back(instance_->envelope(self, to, message));
        }
    };
    for (SiteId self = 0; self < setup_.founders; ++self) {
        stepper_.start(self, *sites[self], setup_.requests.of(self));
        collect(self);
        for (const AgreedView& view : ledger.conditions.views) {
            stepper_.see(self, *sites[self], view);
            collect(self);
        }
    }
    const auto trusts = [&](SiteId self) {
        return setup_.trust == Trust::dense || self == setup_.anchor.site;
    };
    if (facts().listens(Detection::trusted))
        for (SiteId self = 0; self < setup_.founders; ++self)
            for (SiteId peer = 0; peer < setup_.founders; ++peer)
                if (trusts(self) && peer != self && instance_->watches(self, *sites[self], peer)) {
                    stepper_.detect(self, *sites[self], InputKind::trusted, {peer, 0});
                    collect(self);
                }
    world.ledger = intern_ledger(std::move(ledger));
    for (SiteId self = 0; self < setup_.sites; ++self)
        world.sites.push_back(intern_local(self, std::move(sites[self])));
    launch(world, std::move(sent));
    return world;
}

void Machine::launch(World& world, std::vector<Box<Envelope>> sent) {
    if (setup_.fifo())
        std::stable_sort(sent.begin(), sent.end(), [](const auto& a, const auto& b) {
            return std::pair(a->from, a->to) < std::pair(b->from, b->to);
        });
    world.flight.clear();
    for (auto& envelope : sent) world.flight.push_back(intern_envelope(std::move(envelope)));
    if (!setup_.fifo()) std::sort(world.flight.begin(), world.flight.end());
}

namespace {

// Whether more than the site may change: a fault is paid for, or a view is forgotten.
bool concerns_ledger(InputKind kind) {
    constexpr InputKind some[]{InputKind::start, InputKind::see,   InputKind::dead,
                               InputKind::lapse, InputKind::pause, InputKind::claim};
    return std::ranges::find(some, kind) != std::end(some);
}

}  // namespace

const Reaction& Machine::react(LocalId local, const Input& input) {
    const std::scoped_lock lock(mutex_);
    const ReactionKey key{local | static_cast<std::uint64_t>(input.kind) << 32,
                          input.argument | static_cast<std::uint64_t>(input.incarnation) << 32};
    if (const auto known = reaction_of_.find(key); known != reaction_of_.end()) return *known->second;

    const SiteId self = this->local(local).site;
    Box<Site> site = copy_of(local);
    run(self, *site, input);
    Reaction reaction;
    reaction.report = judged(stepper_.report());
    if (facts().has_monitor) reaction.events = intern_events(stepper_.events());
    for (std::size_t i = 0; i < stepper_.fx().send_count(); ++i) {
        const auto [to, kind, message] = stepper_.fx().send_at(i);
        if (to < setup_.sites)
            reaction.sent.push_back(intern_envelope(instance_->envelope(self, to, message)));
        else
            reaction.report.violated(assertion.name,
                                     "a message to site " + std::to_string(to) + ", which does not exist");
    }
    for (const Notice& notice : stepper_.fx().notices())
        if (notice.kind == Notice::Kind::refused) reaction.refused = notice.reason;
    note_probes(reaction.report);
    reaction.after = intern_local(self, std::move(site));
    const LocalInfo& after = this->local(reaction.after);
    const bool same_life = after.up() && after.incarnation == this->local(local).incarnation;
    reaction.plain =
        same_life && !concerns_ledger(input.kind) && reaction.events == 0 && reaction.report.clean();
    watch_stamps(local, input, reaction);
    const Reaction* kept = &reactions_.emplace_back(std::move(reaction));
    reaction_of_.emplace(key, kept);
    return *kept;
}

void Machine::forget_states_but(World& world) {
    const std::scoped_lock lock(mutex_);
    const std::size_t first = initial_ ? initial_->first.sites.size() : 0;  // these have the first ids
    std::vector<Box<Site>> kept;
    for (const LocalId id : world.sites) kept.push_back(copy_of(id));
    sites_.truncate(first, [this](Box<Site> site) { recycle(std::move(site)); });
    while (locals_.size() > first) locals_.pop_back();
    reaction_of_.clear();
    reactions_.clear();
    for (SiteId self = 0; self < kept.size(); ++self)
        world.sites[self] = intern_local(self, std::move(kept[self]));
}

void Machine::note_probes(Report& report) {
    const auto names = facts().probes;
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
void Machine::watch_stamps(LocalId local, const Input& input, const Reaction& reaction) {
    if (!ranks() || input.kind == InputKind::start) return;
    if (!this->local(reaction.after).up()) return;  // nothing is left of it that could be out of place
    std::uint64_t known = this->local(local).stamps.values;
    if (input.kind == InputKind::deliver) known |= envelope(input.argument).stamps.values;
    std::uint64_t made = this->local(reaction.after).stamps.values;
    for (const EnvelopeId id : reaction.sent) made |= envelope(id).stamps.values;
    const std::uint64_t zero_and_one = 3;
    if ((known & 1) == 0 && (made & ~known & zero_and_one) != 0) stamps_from_nothing_ = true;
}

void Machine::run(SiteId self, Site& site, const Input& input) {
    const Peer peer{input.argument, input.incarnation};
    switch (input.kind) {
        case InputKind::start:
            return stepper_.start(self, site, setup_.requests.of(self));
        case InputKind::request:
            return stepper_.request(self, site, demands_[input.argument]);
        case InputKind::release:
            return stepper_.release(self, site);
        case InputKind::cancel:
            return stepper_.cancel(self, site);
        case InputKind::leave:
            return stepper_.leave(self, site);
        case InputKind::deliver:
            return stepper_.deliver(self, site, *messages_[input.argument]);
        case InputKind::timeout:
            return stepper_.timeout(self, site, input.argument);
        case InputKind::crash:
            return stepper_.crash(self, site, static_cast<Disk>(input.argument));
        case InputKind::synced:
            return stepper_.sync(self, site);
        case InputKind::tick:
            return stepper_.tick(self, site);
        case InputKind::copy:
            return stepper_.copy_disk(site);
        case InputKind::see:
            return stepper_.see(self, site, views_[input.argument]);
        case InputKind::lapse:
            return stepper_.lapse(self, site);
        case InputKind::renew:
            return stepper_.renew(self, site);
        case InputKind::quiet:
            return stepper_.quiet(self, site);
        case InputKind::adopt:
            return stepper_.adopt(self, site);
        case InputKind::stop:
            return stepper_.stop(site);
        case InputKind::claim:
            return stepper_.claim(self, site, demands_[input.argument],
                                  static_cast<world::Proof>(input.incarnation));
        case InputKind::pause:
            return stepper_.pause(site);
        case InputKind::resume:
            return stepper_.resume(self, site);
        case InputKind::agree:  // no step of a site
            return;
        case InputKind::trusted:
        case InputKind::dead:
        case InputKind::suspected:
        case InputKind::departed:
        case InputKind::stopped:
        case InputKind::interrupted:
        case InputKind::reconnected:
            return stepper_.detect(self, site, input.kind, peer);
    }
}

LedgerId Machine::observe(LedgerId ledger, EventsId events, Report& report) {
    const std::scoped_lock lock(mutex_);
    Ledger book = books_[ledger];
    Report all;
    for (const Event& event : events_[events]) instance_->observe(*book.history, event, all);
    report.add(judged(std::move(all)));
    return intern_ledger(std::move(book));
}

LedgerId Machine::spend(LedgerId ledger, std::uint32_t Budget::*what) {
    const std::scoped_lock lock(mutex_);
    Ledger book = books_[ledger];
    if (book.budget.*what != Amount::any_number) --(book.budget.*what);
    return intern_ledger(std::move(book));
}

LedgerId Machine::with_conditions(LedgerId ledger, const Conditions& conditions) {
    const std::scoped_lock lock(mutex_);
    Ledger book = books_[ledger];
    book.conditions = conditions;
    return intern_ledger(std::move(book));
}

// --- The facts that explorers need about a local state or an envelope.

LocalInfo Machine::describe_local(SiteId self, const Site& site) {
    LocalInfo info;
    info.site = self;
    info.standing = site.standing;
    info.incarnation = site.incarnation;
    info.phase = site.application.phase;
    info.revoked = site.application.revoked;
    info.may_crash = site.up() && self != setup_.anchor.site && instance_->may_crash(self, site);
    info.starting = setup_.starts && site.up() && site.application.requests_left > 0 &&
                    !instance_->may_request(self, site);
    info.unsynced = site.unsynced;
    info.copied = !site.image.empty();
    info.membership = site.membership;
    if (site.orphan && !site.has_taken_over() && !site.only_claims()) info.orphan = site.orphan->incarnation;
    info.abandoned = site.orphan && !site.orphan->adopted;
    info.lease_over = site.lease_over();
    info.missed = site.missed;
    info.stopped = stopped_incarnations(site, false);
    info.stopped_as_member = stopped_incarnations(site, true);
    info.offers = offers(self, site);
    if (!exact_stamps_) info.stamps = stamp_set(instance_->site_values(), site);
    if (site.up()) info.clock = StampAccess::value(instance_->clock(site));
    return info;
}

EnvelopeInfo Machine::describe_envelope(const Envelope& envelope) {
    EnvelopeInfo info;
    info.from = envelope.from;
    info.to = envelope.to;
    for (const Enumerator& timer : facts().timers) {
        const auto number = static_cast<std::uint32_t>(timer.number);
        if (instance_->replaces(number, envelope)) info.replaced_by |= 1u << number;
    }
    info.prompt = instance_->prompt(envelope);
    info.stamps = stamp_set(instance_->envelope_values(), envelope);
    info.shape = shape_of(envelope, info.stamps);
    info.order = setup_.fifo() ? std::uint64_t{info.from} << 32 | info.to : envelopes_.size();
    return info;
}

std::uint32_t Machine::shape_of(const Envelope& envelope, const StampSet& stamps) {
    const Values<Envelope>& values = instance_->envelope_values();
    const auto intern = [&](const Envelope& shape) {
        return shapes_.intern(key_of(values, shape), [] { return std::monostate(); });
    };
    if (stamps.values == 0 && !stamps.large) return intern(envelope);
    Box<Envelope> shape(values, envelope);
    for_each_stamp(*values.type, values.whole(*shape), [](Stamp& stamp) { stamp = Stamp{}; });
    return intern(*shape);
}

Machine::Offers Machine::offers(SiteId self, const Site& site) {
    Offers offers;
    if (!site.up()) {
        offers.push_back({{InputKind::start}, false});
        offer_orphan(site, offers);
        return offers;
    }
    if (site.paused()) {
        offers.push_back({{InputKind::resume}, true});
        return offers;
    }
    offer_application(self, site, offers);
    offer_timers(site, offers);
    if (site.unsynced) offers.push_back({{InputKind::synced}, true});
    const bool may_be_restored = instance_->mortal(self) && self != setup_.anchor.site;
    if (setup_.restored_disks > 0 && site.image.empty() && may_be_restored)
        offers.push_back({{InputKind::copy}, false});
    offer_membership(self, site, offers);
    offer_orphan(site, offers);
    if (setup_.false_claims > 0) offer_claims(self, site, offers);
    offer_detector(self, site, offers);
    if (setup_.pauses > 0) offers.push_back({{InputKind::pause}, false});
    return offers;
}

// A founder need not hear who was removed before its first view: nobody was.
void Machine::offer_membership(SiteId self, const Site& site, Offers& offers) {
    const Membership& membership = site.membership;
    if (membership.seen == 0) return;
    offers.push_back({{membership.lapsed ? InputKind::renew : InputKind::lapse}, false});
    if (!membership.quiet && membership.first > 1 && instance_->watches(self, site, self))
        offers.push_back({{InputKind::quiet}, true});
}

void Machine::offer_orphan(const Site& site, Offers& offers) {
    if (!site.orphan || site.orphan->adopted) return;
    offers.push_back({{InputKind::stop}, true});
    if (site.up() && site.application.phase == Phase::idle) offers.push_back({{InputKind::adopt}, false});
}

// After its first view a site adopts nobody. A claim beside an orphan would need two programs at one site.
void Machine::offer_claims(SiteId self, const Site& site, Offers& offers) {
    const bool rests = site.application.phase == Phase::idle && !site.orphan;
    if (!rests || site.incarnation == 0 || site.membership.seen > 0) return;
    const auto add = [&](std::uint32_t demand, world::Proof proof) {
        offers.push_back({{InputKind::claim, demand, static_cast<std::uint32_t>(proof)}, false});
    };
    for (const std::uint32_t demand : demands_of_[self]) add(demand, world::Proof::none);
    if (site.receipt && site.receipt->outdated)
        add(intern_demand(site.receipt->demand), world::Proof::outdated);
}

void Machine::offer_application(SiteId self, const Site& site, Offers& offers) {
    const Application& app = site.application;
    if (app.phase == Phase::idle && app.requests_left > 0 && instance_->may_request(self, site))
        for (const std::uint32_t demand : demands_of_[self])
            offers.push_back({{InputKind::request, demand}, facts().asks_forever});
    if (app.phase == Phase::holding) offers.push_back({{InputKind::release}, !setup_.camps(self)});
    if (facts().cancels && setup_.cancel && app.phase == Phase::waiting)
        offers.push_back({{InputKind::cancel}, false});
    if (facts().leaves && app.phase == Phase::idle && self != setup_.anchor.site)
        offers.push_back({{InputKind::leave}, false});
}

void Machine::offer_timers(const Site& site, Offers& offers) {
    if (!facts().has_timers) return;
    for (std::uint32_t timer = 0; timer < 32; ++timer)
        if (((site.armed >> timer) & 1u) != 0)
            offers.push_back({{InputKind::timeout, timer}, instance_->is_fair(timer)});
}

// Offers the reports that this site's memory allows; the walker keeps those that the peers allow, too.
void Machine::offer_detector(SiteId self, const Site& site, Offers& offers) {
    for (SiteId peer = 0; peer < setup_.sites; ++peer) {
        if (peer == self || !instance_->watches(self, site, peer)) continue;
        const Watch heard = site.watch(peer);
        for (const Detection detection : enum_values<Detection>()) {
            if (!facts().listens(detection)) continue;
            const auto incarnation =
                next_incarnation(detection, heard, facts().listens(Detection::trusted), setup_.trust);
            if (incarnation) offers.push_back({{kind_of(detection), peer, *incarnation}, false});
        }
    }
}

// --- Canonical forms.

// Every step of an exploration comes through here, on all threads: only what has changed is interned.
void Machine::normalise(World& world) {
    Normalised normal = with_view(world, [&](const AnyView& view) { return instance_->normalise(view); });
    if (normal.sites.empty() && !normal.flight) return;
    const std::scoped_lock lock(mutex_);
    for (auto& [self, site] : normal.sites) world.sites[self] = intern_local(self, std::move(site));
    if (normal.flight) launch(world, std::move(*normal.flight));
}

bool Machine::ignores(LocalId receiver, LocalId sender, EnvelopeId envelope) const {
    return instance_->ignores(*sites_[receiver], *sites_[sender], *messages_[envelope]);
}

std::vector<std::uint64_t> Machine::stamps_of(const World& world) const {
    std::vector<std::uint64_t> all;
    const auto add = [&](const auto& values, const auto& value) {
        for_each_stamp(*values.type, values.whole_of(value),
                       [&](const Stamp& stamp) { all.push_back(StampAccess::value(stamp)); });
    };
    add(instance_->history_values(), *books_[world.ledger].history);
    for (const LocalId id : world.sites) add(instance_->site_values(), *sites_[id]);
    for (const EnvelopeId id : world.flight) add(instance_->envelope_values(), *messages_[id]);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

LocalId Machine::rename_local(LocalId id, const StampNames& names) {
    const std::scoped_lock lock(mutex_);
    return intern_local(local(id).site, renamed(instance_->site_values(), *sites_[id], names));
}

EnvelopeId Machine::rename_envelope(EnvelopeId id, const StampNames& names) {
    const std::scoped_lock lock(mutex_);
    return intern_envelope(renamed(instance_->envelope_values(), *messages_[id], names));
}

LedgerId Machine::rename_ledger(LedgerId id, const StampNames& names) {
    const std::scoped_lock lock(mutex_);
    const Ledger& book = books_[id];
    return intern_ledger(
        {book.budget, book.conditions, renamed(instance_->history_values(), *book.history, names)});
}

// --- For people.

boost::json::value Machine::state(LocalId id) const {
    return to_json(instance_->state_type(), instance_->state(*sites_[id]));
}

boost::json::value Machine::message(EnvelopeId id) const {
    return message_json(*instance_, *messages_[id]);
}

std::string_view Machine::kind(EnvelopeId id) const {
    return kind_name(*instance_, *messages_[id]);
}

std::string_view Machine::timer_name(std::uint32_t timer) const {
    for (const Enumerator& one : facts().timers)
        if (one.number == timer) return one.name;
    return {};
}

std::optional<std::uint32_t> Machine::timer_named(std::string_view name) const {
    for (const Enumerator& one : facts().timers)
        if (one.name == name) return static_cast<std::uint32_t>(one.number);
    return std::nullopt;
}

std::optional<std::string> Machine::unknown_kind(std::string_view kind) const {
    Box<Envelope> any(instance_->envelope_values());
    return merge_json(instance_->message_type(), instance_->message(*any),
                      boost::json::object{{kind, boost::json::object()}}, "message");
}

std::optional<std::string> Machine::merge_state(LocalId& local, const boost::json::value& part) {
    const std::scoped_lock lock(mutex_);
    const SiteId self = this->local(local).site;
    Box<Site> site = sites_[local];
    if (auto error = merge_json(instance_->state_type(), instance_->state(*site), part, "state"))
        return error;
    if (auto error = instance_->state_error(self, *site)) return error;
    if (auto error = never_drawn(*instance_, self, *site)) return error;
    renew_application(*instance_, *site);
    local = intern_local(self, std::move(site));
    return std::nullopt;
}

std::optional<std::string> Machine::make_message(SiteId from, SiteId to, const boost::json::value& message,
                                                 EnvelopeId& made) {
    const std::scoped_lock lock(mutex_);
    Box<Envelope> envelope(instance_->envelope_values());
    envelope->from = from;
    envelope->to = to;
    if (auto error = merge_json(instance_->message_type(), instance_->message(*envelope), message, "message"))
        return error;
    if (auto error = instance_->message_error(*envelope)) return error;
    made = intern_envelope(std::move(envelope));
    return std::nullopt;
}

World Machine::arbitrary(std::uint64_t seed, std::uint32_t noise) {
    World world = initial();
    if (!facts().has_domains) return world;
    const std::scoped_lock lock(mutex_);
    Random random(seed);
    std::vector<Box<Envelope>> sent;
    for (SiteId self = 0; self < world.sites.size(); ++self) {
        Box<Site> site = sites_[world.sites[self]];
        draw_site(*instance_, self, *site, random);
        draw_messages(*instance_, self, *site, noise, random, sent);
        world.sites[self] = intern_local(self, std::move(site));
    }
    launch(world, std::move(sent));
    return world;
}

Result<std::unique_ptr<Machine>> make_machine(const world::Entry& entry, const Parameters& given) {
    Parameters left = given;
    auto instance = entry.make_instance(left);
    if (!instance) return Error{instance.error()};
    auto setup = take_setup(left, **instance);
    if (!setup) return Error{setup.error()};
    if (!left.empty()) return unknown_parameter(entry, left);
    if (auto error = unknown_property(entry, setup->property)) return Error{std::move(*error)};
    // A scenario has no anchor unless it says so, nor timers that are more patient than it needs.
    Parameters said = given;
    if (setup->anchor.site) said.try_emplace("anchor", setup->anchor.text());
    if (entry.replaces_messages) said.try_emplace("copies", std::to_string(setup->copies));
    auto machine = std::make_unique<Machine>(std::move(*instance), std::move(*setup));
    machine->set_header(header_line(entry.name, said));
    return machine;
}

}  // namespace allot::walk
