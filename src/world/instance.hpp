// A protocol with its configuration, without its types. Checker, simulator, player and swarm drive protocols
// through this interface only; InstanceOf<P> (instance_of.hpp) is its one implementation.
//
// Nothing here changes an instance, so several threads may use one.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/effects.hpp"
#include "core/input.hpp"
#include "core/model.hpp"
#include "core/values.hpp"

namespace allot::world {

// The facts about a protocol that do not depend on a configuration, from its model.
struct Facts {
    std::string_view name;
    std::string_view problem;
    std::string_view summary;
    std::string_view source;  // empty: it is new
    Links links{};
    std::span<const PropertyName> properties;
    std::span<const std::string_view> probes;
    std::span<const Part> kinds;         // of messages
    std::span<const Enumerator> timers;  // with their numbers
    Detections hears;
    bool cancels = false;
    bool leaves = false;
    bool has_timers = false;
    bool has_monitor = false;
    bool has_stamps = false;
    bool asks_forever = false;
    bool capacity_is_bound = false;
    bool names_resources = false;
    bool draws_demands = false;
    bool refuses_demands = false;    // those that nobody can grant
    bool replaces_messages = false;  // by timers
    bool sites_return = true;
    bool names_founders = false;
    bool has_prompt = false;
    bool normalises = false;
    bool ignores_messages = false;
    bool has_domains = false;
    bool says_legal = false;
    bool durable = false;  // a part of the state outlives a crash
    bool ticks = false;
    bool sees_views = false;
    bool adopts = false;  // programs of earlier incarnations

    bool listens(Detection detection) const { return hears.contains(detection); }
};

// instant: a write is on the disk within the step that makes it. late: it is there some time later.
enum class Writes : std::uint8_t { instant, late };
BOOST_DESCRIBE_ENUM(Writes, instant, late)

// The inputs of all protocols, without types.
struct AnyMessage {
    const void* content = nullptr;  // of the protocol's message type
};
using AnyInput =
    std::variant<input::Start, input::Request, input::Release, input::Cancel, input::Leave, input::Synced,
                 input::Tick, input::Lapse, input::Renewed, input::Quiet, input::Seen, input::Adopt,
                 input::Receive<AnyMessage>, input::Timeout<std::uint32_t>, input::Detected>;

// History: the monitor of a protocol. HistoryOf<M> adds it.
struct History {
    bool operator==(const History&) const = default;
};
BOOST_DESCRIBE_STRUCT(History, (), ())

// A world as properties see it.
struct AnyView {
    std::span<const Site* const> sites;
    std::span<const Envelope* const> flight;
    bool loses = false;
    bool duplicates = false;
};

// The parts of a world that differ from its normal form, in normal form.
struct Normalised {
    std::vector<std::pair<SiteId, Box<Site>>> sites;
    std::optional<std::vector<Box<Envelope>>> flight;
};

class Instance {
public:
    Instance(const Facts& facts, const Values<Site>& sites, const Values<Envelope>& envelopes,
             const Values<History>& histories)
        : facts_(facts), site_values_(sites), envelope_values_(envelopes), history_values_(histories) {}
    virtual ~Instance() = default;
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    const Facts& facts() const { return facts_; }
    const Values<Site>& site_values() const { return site_values_; }
    const Values<Envelope>& envelope_values() const { return envelope_values_; }
    const Values<History>& history_values() const { return history_values_; }

    // The configuration.
    virtual std::uint32_t sites() const = 0;
    virtual std::uint32_t founders() const = 0;  // 0: the configuration does not say
    virtual boost::json::value config_json() const = 0;
    virtual MaybeError caveat() const = 0;
    virtual std::uint64_t capacity() const = 0;
    virtual std::uint32_t resources() const = 0;  // that have names
    virtual bool needs_anchor() const = 0;
    virtual bool mortal(SiteId site) const = 0;
    virtual bool asks(SiteId site) const = 0;  // false for sites that never do, by their role
    virtual std::vector<Demand> demands(SiteId site) const = 0;
    virtual MaybeError unlisted() const = 0;
    virtual MaybeError demand_error(const Demand& demand) const = 0;
    virtual Demand draw_demand(SiteId site, Random& random) const = 0;

    // A step of a site. It may throw BrokenInvariant, or what a library throws.
    virtual std::unique_ptr<AnyEffects> make_effects() const = 0;
    virtual void handle(SiteId self, Site& site, const AnyInput& input, AnyEffects& fx) const = 0;
    virtual Phase phase(const Site& site) const = 0;
    virtual bool may_request(SiteId self, const Site& site) const = 0;
    virtual bool may_crash(SiteId self, const Site& site) const = 0;
    virtual bool watches(SiteId self, const Site& site, SiteId peer) const = 0;
    virtual Stamp clock(const Site& site) const = 0;  // zero where the protocol names none
    // Leaves of the site only what outlives a crash: its disk, and the image of it.
    virtual void lose_volatile(Site& site, Disk disk) const = 0;
    virtual std::string disk_image(const Site& site) const = 0;

    // Timers, by number.
    virtual bool is_fair(std::uint32_t timer) const = 0;
    virtual bool backs_off(std::uint32_t timer) const = 0;
    virtual bool replaces(std::uint32_t timer, const Envelope& envelope) const = 0;

    // Messages.
    virtual Box<Envelope> envelope(SiteId from, SiteId to, const void* message) const = 0;
    virtual void set_message(Envelope& envelope, const void* message) const = 0;
    virtual void* message(Envelope& envelope) const = 0;
    const void* message(const Envelope& envelope) const { return message(const_cast<Envelope&>(envelope)); }
    virtual std::size_t kind(const Envelope& envelope) const = 0;
    virtual const Type& message_type() const = 0;
    virtual bool prompt(const Envelope& envelope) const = 0;
    virtual bool ignores(const Site& receiver, const Site& sender, const Envelope& envelope) const = 0;

    // Worlds.
    virtual void check(const AnyView& view, Report& report) const = 0;
    virtual bool legal(const AnyView& view) const = 0;
    virtual Normalised normalise(const AnyView& view) const = 0;
    virtual void observe(History& history, const Event& event, Report& report) const = 0;

    // States, for people and for faults.
    virtual const Type& state_type() const = 0;
    virtual void* state(Site& site) const = 0;
    const void* state(const Site& site) const { return state(const_cast<Site&>(site)); }
    virtual MaybeError state_error(SiteId self, const Site& site) const = 0;
    virtual MaybeError message_error(const Envelope& envelope) const = 0;
    virtual std::optional<Domain> domain(SiteId self, const Site& site, std::string_view member) const = 0;
    virtual void confine(SiteId self, Site& site) const = 0;
    virtual std::vector<SiteId> channels(SiteId self, const Site& site) const = 0;
    // The demand that the state of a protocol implies, if its model can tell.
    virtual std::optional<Demand> demand(const Site& site) const = 0;
    virtual MaybeError noise_error(std::uint64_t noise) const = 0;

private:
    const Facts& facts_;
    const Values<Site>& site_values_;
    const Values<Envelope>& envelope_values_;
    const Values<History>& history_values_;
};

// The content of a message as JSON, without its kind.
boost::json::value message_json(const Instance& instance, const Envelope& envelope);
std::string_view kind_name(const Instance& instance, const Envelope& envelope);

}  // namespace allot::world
