// InstanceOf<P>: the one implementation of Instance. Everything of the laboratory that has a protocol's types
// is here, and is instantiated once per protocol, in a translation unit of its own.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/ensure.hpp"
#include "core/json.hpp"
#include "core/random.hpp"
#include "core/stamps.hpp"
#include "world/instance.hpp"

namespace allot::world {

template <class M>
struct HistoryOf : History {
    M monitor;
    bool operator==(const HistoryOf&) const = default;
    BOOST_DESCRIBE_CLASS(HistoryOf, (History), (monitor), (), ())
};

template <Protocol P>
class InstanceOf final : public Instance {
public:
    using Config = typename P::Config;
    using Message = typename P::Message;
    using Effects = typename P::Effects;
    using Timer = TimerOf<P>;
    using Context = ContextOf<P>;
    using Monitor = MonitorOf<P>;

    explicit InstanceOf(Config config)
        : Instance(facts(), values_of<SiteOf<P>, Site>, values_of<EnvelopeOf<Message>, Envelope>,
                   values_of<HistoryOf<Monitor>, History>),
          config_(std::move(config)) {}

    static const Facts& facts();

    const Config& config() const { return config_; }
    std::uint32_t sites() const override { return P::model.sites(config_); }
    std::uint32_t founders() const override {
        return P::model.founders != nullptr ? P::model.founders(config_) : 0;
    }
    boost::json::value config_json() const override { return to_json(config_); }
    MaybeError caveat() const override { return ask(P::model.caveat, config_); }
    std::uint64_t capacity() const override {
        return P::model.requests.capacity != nullptr ? P::model.requests.capacity(config_) : sites();
    }
    std::uint32_t resources() const override {
        return P::model.requests.resources != nullptr ? P::model.requests.resources(config_) : 0;
    }
    bool needs_anchor() const override {
        if (P::model.faults.needs_anchor != nullptr) return P::model.faults.needs_anchor(config_);
        return P::model.faults.hears.contains(Detection::suspected);
    }
    bool mortal(SiteId site) const override {
        return P::model.faults.mortal == nullptr || P::model.faults.mortal({config_, site});
    }
    bool asks(SiteId site) const override {
        return P::model.requests.asks == nullptr || P::model.requests.asks({config_, site});
    }
    std::vector<Demand> demands(SiteId site) const override {
        return P::model.requests.demands != nullptr ? P::model.requests.demands({config_, site})
                                                    : std::vector<Demand>{Demand{}};
    }
    MaybeError unlisted() const override { return ask(P::model.requests.unlisted, config_); }
    MaybeError demand_error(const Demand& demand) const override {
        return ask(P::model.requests.demand_error, config_, demand);
    }
    Demand draw_demand(SiteId site, Random& random) const override {
        if (P::model.requests.draw != nullptr) return P::model.requests.draw({config_, site}, random);
        if (P::model.requests.demands == nullptr) return {};
        auto listed = demands(site);
        return std::move(listed[random(listed.size())]);
    }

    std::unique_ptr<AnyEffects> make_effects() const override { return std::make_unique<Effects>(); }
    void handle(SiteId self, Site& site, const AnyInput& input, AnyEffects& fx) const override {
        auto& effects = static_cast<Effects&>(fx);
        P& protocol = typed(site).protocol;
        const Context ctx = context(self, site);
        std::visit([&](const auto& one) { hand_over(protocol, ctx, one, effects); }, input);
    }
    Phase phase(const Site& site) const override { return typed(site).protocol.phase(); }
    bool may_request(SiteId self, const Site& site) const override {
        return asks(self) && says(P::model.requests.may_request, self, site);
    }
    bool may_crash(SiteId self, const Site& site) const override {
        return mortal(self) && says(P::model.faults.may_crash, self, site);
    }
    bool watches(SiteId self, const Site& site, SiteId peer) const override {
        return P::model.faults.watches == nullptr ||
               (typed(site).protocol.*P::model.faults.watches)(context(self, site), peer);
    }
    Stamp clock(const Site& site) const override {
        return P::model.reduction.clock != nullptr ? (typed(site).protocol.*P::model.reduction.clock)()
                                                   : Stamp{};
    }

    void lose_volatile(Site& site, Disk disk) const override {
        SiteOf<P> left;
        if (facts().durable) left.protocol = remembered(typed(site), disk);
        left.image = std::move(site.image);
        typed(site) = std::move(left);
    }
    std::string disk_image(const Site& site) const override {
        return to_bytes(remembered(typed(site), Disk::kept));
    }

    bool is_fair(std::uint32_t timer) const override { return says_of_timer(P::model.timers.fair, timer); }
    bool backs_off(std::uint32_t timer) const override {
        return says_of_timer(P::model.timers.backs_off, timer);
    }
    bool replaces(std::uint32_t timer, const Envelope& envelope) const override {
        return P::model.timers.replaces != nullptr &&
               P::model.timers.replaces(static_cast<Timer>(timer), typed(envelope).message);
    }

    Box<Envelope> envelope(SiteId from, SiteId to, const void* message) const override {
        Box<Envelope> made(envelope_values());
        made->from = from;
        made->to = to;
        set_message(*made, message);
        return made;
    }
    void set_message(Envelope& envelope, const void* message) const override {
        static_cast<EnvelopeOf<Message>&>(envelope).message = *static_cast<const Message*>(message);
    }
    using Instance::message;
    void* message(Envelope& envelope) const override {
        return &static_cast<EnvelopeOf<Message>&>(envelope).message;
    }
    std::size_t kind(const Envelope& envelope) const override { return typed(envelope).message.index(); }
    const Type& message_type() const override { return type_of<Message>; }
    bool prompt(const Envelope& envelope) const override {
        return P::model.reduction.prompt != nullptr && P::model.reduction.prompt(typed(envelope));
    }
    bool ignores(const Site& receiver, const Site& sender, const Envelope& envelope) const override {
        const auto ignores = P::model.reduction.ignores;
        return ignores != nullptr && ignores(context(envelope.to, receiver), typed(receiver).protocol,
                                             typed(sender).protocol, typed(envelope).message);
    }

    void check(const AnyView& any, Report& report) const override {
        with_view(any, [&](const View<P>& view) { (*P::model.on_state)(view, report); });
    }
    bool legal(const AnyView& any) const override {
        bool answer = true;
        if (P::model.stabilisation.legal != nullptr)
            with_view(any, [&](const View<P>& view) { answer = P::model.stabilisation.legal(view); });
        return answer;
    }
    Normalised normalise(const AnyView& any) const override;
    void observe(History& history, const Event& event, Report& report) const override {
        static_cast<HistoryOf<Monitor>&>(history).monitor.observe(event, report);
    }

    const Type& state_type() const override { return type_of<P>; }
    using Instance::state;
    void* state(Site& site) const override { return &typed(site).protocol; }
    MaybeError state_error(SiteId self, const Site& site) const override {
        const auto domain_of = [&](std::string_view member) { return domain(self, site, member); };
        if (auto error = value_error(typed(site).protocol, sites(), domain_of)) return error;
        if (P::model.handwritten.state_error == nullptr) return std::nullopt;
        return (typed(site).protocol.*P::model.handwritten.state_error)(context(self, site));
    }
    MaybeError message_error(const Envelope& envelope) const override {
        return allot::message_error<P>({config_, envelope.to}, typed(envelope).message);
    }
    std::optional<Domain> domain(SiteId self, const Site& site, std::string_view member) const override {
        return P::model.domain != nullptr ? P::model.domain(context(self, site), member) : std::nullopt;
    }
    void confine(SiteId self, Site& site) const override {
        if (P::model.stabilisation.confine != nullptr)
            (typed(site).protocol.*P::model.stabilisation.confine)(context(self, site));
    }
    std::vector<SiteId> channels(SiteId self, const Site& site) const override {
        return P::model.stabilisation.channels != nullptr
                   ? P::model.stabilisation.channels(context(self, site))
                   : std::vector<SiteId>{};
    }
    std::optional<Demand> demand(const Site& site) const override {
        if (P::model.stabilisation.demand == nullptr) return std::nullopt;
        return (typed(site).protocol.*P::model.stabilisation.demand)();
    }
    MaybeError noise_error(std::uint64_t noise) const override {
        return ask(P::model.stabilisation.noise_error, config_, noise);
    }

private:
    static SiteOf<P>& typed(Site& site) { return static_cast<SiteOf<P>&>(site); }
    static const SiteOf<P>& typed(const Site& site) { return static_cast<const SiteOf<P>&>(site); }
    static const EnvelopeOf<Message>& typed(const Envelope& envelope) {
        return static_cast<const EnvelopeOf<Message>&>(envelope);
    }
    Context context(SiteId self, const Site& site) const { return {config_, self, site.incarnation}; }

    static P remembered(const SiteOf<P>& site, Disk disk) {
        if (disk != Disk::restored) return (site.protocol.*P::model.durability.after_crash)(disk);
        auto older = from_bytes<P>(site.image);
        ensure(older.has_value(), "only an image of a disk is restored");
        return std::move(*older);
    }

    template <class Function, class... Args>
    static MaybeError ask(Function* function, const Args&... args) {
        return function != nullptr ? function(args...) : std::nullopt;
    }
    bool says(bool (P::*hook)(const Context&) const, SiteId self, const Site& site) const {
        return hook == nullptr || (typed(site).protocol.*hook)(context(self, site));
    }
    static bool says_of_timer(bool (*hook)(Timer), std::uint32_t timer) {
        return hook != nullptr && hook(static_cast<Timer>(timer));
    }

    // A protocol does not notice an input that its Input type lacks.
    template <class One>
    static void hand_over(P& protocol, const Context& ctx, const One& one, Effects& fx) {
        if constexpr (std::is_same_v<One, input::Receive<AnyMessage>>)
            protocol.handle(
                ctx, input::Receive<Message>{one.from, *static_cast<const Message*>(one.message.content)},
                fx);
        else if constexpr (std::is_same_v<One, input::Timeout<std::uint32_t>>) {
            if constexpr (takes<P, input::Timeout<Timer>>)
                protocol.handle(ctx, input::Timeout<Timer>{static_cast<Timer>(one.timer)}, fx);
        } else if constexpr (takes<P, One>)
            protocol.handle(ctx, one, fx);
    }

    template <class F>
    void with_view(const AnyView& any, F&& f) const {
        using boost::container::default_init;
        boost::container::small_vector<const SiteOf<P>*, 16> sites(any.sites.size(), default_init);
        boost::container::small_vector<const EnvelopeOf<Message>*, 32> flight(any.flight.size(),
                                                                              default_init);
        for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = &typed(*any.sites[i]);
        for (std::size_t i = 0; i < flight.size(); ++i) flight[i] = &typed(*any.flight[i]);
        f(View<P>{config_,
                  {sites.data(), sites.size()},
                  {flight.data(), flight.size()},
                  any.loses,
                  any.duplicates});
    }

    const Config config_;
};

template <Protocol P>
Normalised InstanceOf<P>::normalise(const AnyView& any) const {
    Normalised result;
    if (P::model.reduction.normalise == nullptr) return result;
    std::vector<SiteOf<P>> sites;
    std::vector<EnvelopeOf<Message>> flight;
    for (const Site* site : any.sites) sites.push_back(typed(*site));
    for (const Envelope* envelope : any.flight) flight.push_back(typed(*envelope));
    MutableView<P> view{config_, sites, flight};
    P::model.reduction.normalise(view);
    for (SiteId self = 0; self < sites.size(); ++self)
        if (sites[self] != typed(*any.sites[self]))
            result.sites.emplace_back(self, Box<Site>(site_values(), sites[self]));
    const bool same_flight = std::ranges::equal(
        flight, any.flight, {}, {}, [](const Envelope* one) -> auto& { return typed(*one); });
    if (!same_flight) {
        result.flight.emplace();
        for (const auto& envelope : flight) result.flight->emplace_back(envelope_values(), envelope);
    }
    return result;
}

template <Protocol P>
const Facts& InstanceOf<P>::facts() {
    static const Facts all = [] {
        Facts facts;
        facts.name = *P::model.name;
        facts.problem = *P::model.problem;
        facts.summary = *P::model.summary;
        facts.source = P::model.source;
        facts.links = *P::model.links;
        facts.properties = *P::model.properties;
        facts.probes = P::model.probes;
        facts.kinds = type_of<Message>.parts;
        facts.timers = type_of<Timer>.enumerators;
        facts.hears = P::model.faults.hears;
        ensure(facts.hears.empty() != takes<P, input::Detected>,
               "a model names what its sites hear if and only if their Input has input::Detected");
        facts.cancels = takes<P, input::Cancel>;
        facts.leaves = takes<P, input::Leave>;
        facts.has_timers = takes<P, input::Timeout<Timer>>;
        facts.has_monitor = !std::same_as<Monitor, NoMonitor>;
        facts.has_stamps = has_stamps<P> || has_stamps<Message>;
        facts.asks_forever = P::model.requests.forever;
        facts.capacity_is_bound = P::model.requests.capacity_is_bound;
        facts.names_resources = P::model.requests.resources != nullptr;
        facts.draws_demands = P::model.requests.draw != nullptr;
        facts.refuses_demands = P::model.requests.demand_error != nullptr;
        facts.replaces_messages = P::model.timers.replaces != nullptr;
        facts.sites_return = P::model.faults.sites_return;
        facts.names_founders = P::model.founders != nullptr;
        facts.has_prompt = P::model.reduction.prompt != nullptr;
        facts.normalises = P::model.reduction.normalise != nullptr;
        facts.ignores_messages = P::model.reduction.ignores != nullptr;
        facts.has_domains = P::model.domain != nullptr;
        facts.says_legal = P::model.stabilisation.legal != nullptr;
        facts.durable = P::model.durability.after_crash != nullptr;
        ensure(facts.durable == takes<P, input::Synced>,
               "a model says what outlives a crash if and only if its Input has input::Synced");
        facts.ticks = takes<P, input::Tick>;
        facts.sees_views = takes<P, input::Seen>;
        facts.adopts = takes<P, input::Adopt>;
        ensure(facts.sees_views == takes<P, input::Lapse> && facts.sees_views == takes<P, input::Renewed> &&
                   facts.sees_views == takes<P, input::Quiet>,
               "an Input has input::Seen if and only if it has Lapse, Renewed and Quiet");
        return facts;
    }();
    return all;
}

}  // namespace allot::world
