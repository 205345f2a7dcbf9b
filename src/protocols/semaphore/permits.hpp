// Crash-tolerant permits: at most k units are held at any time, and every waiting site is served, however
// many of the others crash (specs: semaphore, after Bouillaguet, Arantes and Sens, who extend Raymond 1989).
//
// As in Raymond's algorithm a site stamps its request and asks all others; a site that holds, or waits and
// asked earlier, answers later. Three things are different:
//
// Answers are cumulative. A reply names the stamp that it permits, and covers all earlier ones too, so
// duplicates and late replies do no harm, and nothing is counted: the missing peers are derived from the
// state.
//
// No site waits for the dead. A detector of class T reports the crash of a site only if it trusted that site
// before, and then truthfully. The first site that learns of a crash tells all others, once.
//
// A site takes part only when the others know it. It registers with INIT; a peer acknowledges once its
// detector trusts the newcomer. In a fixed group a second detector (class S) says whose ACK will never come;
// it may lie about any site but one, and that one watches all others.
//
// Sites may also join, leave and return, in an open group (permits_open.hpp). There every live member must
// have acknowledged a newcomer: a barrier. A site that returns after a crash is a newcomer with a higher
// incarnation. Open groups are unsafe (errata two-holders and endless-start): no exchange among newcomers
// replaces an agreed list of members.
//
// A request may be for several units (`--max-request`). Then a site that defers an answer says how many units
// it wants itself, and a site may enter when its own units and those of all missing peers together fit into
// k.
#pragma once

#include <optional>
#include <vector>

#include "core/protocol.hpp"

namespace allot {

namespace permits {

enum class PeerStatus : std::uint8_t { stranger, member, gone };
BOOST_DESCRIBE_ENUM(PeerStatus, stranger, member, gone)

// The knowledge of a site about one peer, in one incarnation. Signs of a later one are kept apart until this
// one is known to have ended.
struct Acquaintance {
    PeerStatus standing = PeerStatus::stranger;
    std::uint32_t life = 0;      // incarnation
    std::uint32_t later = 0;     // a later incarnation of which there was a sign; 0: none
    std::uint32_t reported = 0;  // number of its incarnations that my detector has reported dead
    std::uint32_t trusted = 0;   // the latest incarnation that my detector trusts, plus 1
    std::uint32_t parked = 0;    // the incarnation, plus 1, whose INIT waits for that
    bool acked = false;          // while I start: it has acknowledged me
    bool excused = false;        // while I start: it was suspected
    bool permitted = false;      // it permits my open request
    std::uint32_t bound = 0;     // units it may use before that; 0: unknown
    std::optional<Stamp> owed;   // its newest request that I have not answered
    bool operator==(const Acquaintance&) const = default;

    bool is_trusted() const { return trusted == life + 1; }
    bool is_over(std::uint32_t other) const {
        return other < life || (other == life && standing == PeerStatus::gone);
    }
};
BOOST_DESCRIBE_STRUCT(Acquaintance, (),
                      (standing, life, later, reported, trusted, parked, acked, excused, permitted, bound,
                       owed))

// Monitor for one permit: stamps (with sites) of successive holders grow.
struct FencesGrowInOrder {
    Stamp stamp;
    SiteId site = 0;

    void observe(const Event& event, Report& report);
    bool operator==(const FencesGrowInOrder&) const = default;
};
BOOST_DESCRIBE_STRUCT(FencesGrowInOrder, (), (stamp, site))

}  // namespace permits

class Permits {
public:
    static const Model<Permits, permits::FencesGrowInOrder> model;

    struct Config {
        struct Repairs {
            bool apply_crash = true;
            bool relay = true;
            bool advance_clock = true;
            bool join_barrier = true;
            bool clock_in_crash = true;
            bool dead_by_word = true;
            static constexpr Meaning meanings[]{
                {"apply_crash", "erratum 1: a site that detects a crash also applies it to itself"},
                {"relay", "erratum 2: a site that is told of a crash tells the others"},
                {"advance_clock", "erratum 11: a request advances its own clock"},
                {"join_barrier", "a newcomer asks when all members know it, not one"},
                {"clock_in_crash", "a newcomer that skips a dead holder learns its clock"},
                {"dead_by_word", "a newcomer does not skip a dead holder on its own detector's report"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (apply_crash, relay, advance_clock, join_barrier, clock_in_crash,
                                  dead_by_word),
                                 (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t permits = 1;
        std::uint32_t max_request = 1;
        std::uint32_t founders = 0;
        bool start_up = true;
        bool early_crashes = false;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"permits", "number of permits, k: the maximum of units that are held at once"},
            {"max_request", "maximum of units of one request"},
            {"founders", "number of sites from the start on, the others join later; 0: all sites"},
            {"start_up", "off: at the start the founders know and have acknowledged each other"},
            {"early_crashes", "on: in a fixed group sites may crash before their start is complete"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, permits, max_request, founders, start_up, early_crashes, repairs), (),
                             ())

        // Whether sites join, leave and return; follows from the protocol.
        bool open() const { return open_; }
        void make_open() { open_ = true; }
        std::uint32_t first_members() const { return founders == 0 ? sites : founders; }

    private:
        bool open_ = false;
    };
    static std::optional<std::string> config_error(const Config& config);

    // The incarnations of sender and receiver.
    struct Lives {
        std::uint32_t sender = 0;
        std::uint32_t addressee = 0;
        bool operator==(const Lives&) const = default;
        BOOST_DESCRIBE_CLASS(Lives, (), (sender, addressee), (), ())
    };
    struct Init {
        std::uint32_t life = 0;
        bool operator==(const Init&) const = default;
        BOOST_DESCRIBE_CLASS(Init, (), (life), (), ())
    };
    struct Ack {
        Lives lives;
        std::optional<Stamp> clock;  // this and the following members only in an open group
        bool started = false;        // the sender may ask itself
        std::vector<Peer> members;
        std::vector<Peer> gone;
        bool operator==(const Ack&) const = default;
        BOOST_DESCRIBE_CLASS(Ack, (), (lives, clock, started, members, gone), (), ())
    };
    struct Request {
        Lives lives;
        Stamp stamp;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (lives, stamp), (), ())
    };
    struct Reply {
        Lives lives;
        Stamp stamp;  // permits every request of the receiver up to this stamp
        bool operator==(const Reply&) const = default;
        BOOST_DESCRIBE_CLASS(Reply, (), (lives, stamp), (), ())
    };
    struct Defer {
        Lives lives;
        Stamp stamp;
        std::uint32_t units = 0;  // units that the sender wants or holds
        bool operator==(const Defer&) const = default;
        BOOST_DESCRIBE_CLASS(Defer, (), (lives, stamp, units), (), ())
    };
    struct Crash {
        Peer victim;
        std::optional<Stamp> clock;  // only in an open group
        bool operator==(const Crash&) const = default;
        BOOST_DESCRIBE_CLASS(Crash, (), (victim, clock), (), ())
    };
    struct Leave {
        std::uint32_t life = 0;
        std::optional<Stamp> clock;  // only in an open group
        bool operator==(const Leave&) const = default;
        BOOST_DESCRIBE_CLASS(Leave, (), (life, clock), (), ())
    };
    using Message = std::variant<Init, Ack, Request, Reply, Defer, Crash, Leave>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Cancel, input::Leave, input::Detected>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Init& init, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ack& ack, Effects& fx);

    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Defer& defer, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx) { release(ctx, fx); }

    void trusted(const Context& ctx, Peer peer, Effects& fx);
    void dead(const Context& ctx, Peer peer, Effects& fx);
    void suspected(const Context& ctx, Peer peer, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Crash& crash, Effects& fx);
    void leave(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Leave& leave, Effects& fx);

    void reconnected(const Context& ctx, Peer peer, Effects& fx);

    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const { return phase_; }
    bool may_request(const Context&) const { return !starting_; }
    // In a fixed group no detector reports the crash of a site that it has not trusted.
    bool may_crash(const Context& ctx) const {
        return !starting_ || ctx.config.open() || ctx.config.early_crashes;
    }
    static std::vector<Demand> demands(const Context& ctx);
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    std::optional<std::string> state_error(const Context& ctx) const;

    static void sample(Draw& draw);
    // Draws what runs of fixed and open groups have in common, and returns the number of sites.
    static std::uint32_t sample_any(Draw& draw);
    // Suspicions matter only in a fixed group.
    static bool needs_anchor(const Config& config) { return !config.open(); }

    // These messages only bring their receiver closer to a grant, or to the end of its start.
    static bool prompt(const EnvelopeOf<Message>& envelope);

    template <class P>
    static void on_state(const View<P>& view, Report& report);

    bool operator==(const Permits&) const = default;

private:
    using Acquaintance = permits::Acquaintance;
    using PeerStatus = permits::PeerStatus;

    // Reading alone leaves the memory of equal entries shared.
    const Acquaintance& about(SiteId site) const { return peers_[site]; }
    template <class F>
    void for_each_peer(const Context& ctx, F&& f) const;

    // Registration.
    void try_admit(const Context& ctx, SiteId newcomer, Effects& fx);
    void admit(const Context& ctx, SiteId newcomer, Effects& fx);
    void greet(const Context& ctx, SiteId stranger, Effects& fx);
    void acknowledge(const Context& ctx, SiteId newcomer, Effects& fx);
    void take_word(const Context& ctx, SiteId from, const Ack& ack, Effects& fx);
    void meet_members(const Context& ctx, const std::vector<Peer>& members, Effects& fx);
    void finish_start(const Context& ctx, Effects& fx);
    bool started(const Context& ctx) const;

    // Asking and answering.
    bool is_of_member(const Context& ctx, SiteId from, const Lives& lives, Effects& fx);
    bool goes_first(const Context& ctx, SiteId other, Stamp others_stamp) const;
    bool may_enter(const Context& ctx) const;

    // Deaths.
    bool meet(const Context& ctx, Peer peer, Effects& fx);
    void conclude(const Context& ctx, SiteId site, Effects& fx);
    bool needs_word(const Context& ctx, SiteId site) const;
    static bool founder(const Context& ctx);
    void bury(const Context& ctx, SiteId site, bool tell, Effects& fx);
    void learn_gone(const Context& ctx, Peer victim, bool tell, Effects& fx);
    void go_on(const Context& ctx, Effects& fx);
    void turn_to(Peer peer);
    static void forget(Acquaintance& known, std::uint32_t first);
    void tell_others(const Context& ctx, Peer victim, Effects& fx);
    std::optional<Stamp> clock_to_tell(const Context& ctx) const;

    Lives lives(const Context& ctx, SiteId to) const { return {ctx.incarnation, peers_[to].life}; }

    template <class P>
    static void check_units(const View<P>& view, Report& report);
    template <class P>
    static void check_order(const View<P>& view, Report& report);
    template <class P>
    static void check_site(const View<P>& view, SiteId self, Report& report);

    bool starting_ = true;
    bool vouched_ = false;  // while I start: a site that may ask has acknowledged me
    Phase phase_ = Phase::idle;
    Stamp clock_;                       // the highest stamp seen
    std::optional<Stamp> stamp_;        // of the open request, until its release
    std::uint32_t units_ = 0;           // of the open request
    SharedVector<Acquaintance> peers_;  // by site; my own entry is unused

    BOOST_DESCRIBE_CLASS(Permits, (), (), (), (starting_, vouched_, phase_, clock_, stamp_, units_, peers_))
};

}  // namespace allot
