// In each neighbourhood at least l and at most k sites are in service, and every site turns round again and
// again wherever that is possible at all.
//
// No site keeps a permission while it waits for another: that is what blocks `composition`. A site that wants
// to turn round tries: it asks its whole neighbourhood, itself among them, whether there is room. Each member
// counts the sites in service around it and puts a place aside for the asking site, in escrow. If all have
// room, the site turns round and takes the places; otherwise it gives all of them back at once, and a member
// without room tells it when there is some. Every turn can be taken back, so the system never deadlocks.
//
// Still, a site may be unlucky forever, or need others to turn round in an order that they never find. So a
// site that has waited too long pleads with a coordinator. The coordinator freezes all sites, along a
// spanning tree of the graph: no site begins a try, and when all tries are over the coordinator learns which
// sites are in service and which wait. Then it computes turns that serve all waiting sites (feasibility.hpp)
// and sends this plan to all sites, which ends the freeze. Each site keeps the turns around it in the order
// of the plan: it says Go to the first, to the next when it has counted that one, and so on, and has no room
// for tries until all are done. A site that hears Go from its whole neighbourhood turns round. No site is
// forced to turn round: the others wait until it wants to. So distant turns do not wait for each other, and
// the coordinator need not hear of them: the next freeze ends when they are done. But no site stands still
// for one that takes its time: such a site says so when it delays the end of a freeze, the coordinator
// cancels the freeze, and starts none until the site wants its turn.
//
// A waiting site that can never turn round is told so: its request, to enter or to leave, is refused.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "core/protocol.hpp"
#include "protocols/neighborhood/feasibility.hpp"

namespace allot {

class Escrow {
public:
    static const Model<Escrow> model;

    // The site that answers pleas: a given one, or one in the middle.
    struct Coordinator {
        std::optional<SiteId> site;
        static Result<Coordinator> parse(std::string_view name, std::string_view text);
        std::string text() const { return site ? std::to_string(*site) : "middle"; }
        BOOST_DESCRIBE_CLASS(Coordinator, (), (site), (), ())
    };

    struct Config : neighborhood::Neighborhood {
        // None of these is in a paper; each is necessary.
        struct Repairs {
            bool wake = true;
            bool finish_tries = true;
            bool finish_plan = true;
            bool hold_back = true;
            bool carry_on = true;
            bool plead_once = true;
            static constexpr Meaning meanings[]{
                {"wake", "a site without room for a try tells it when there is some"},
                {"finish_tries", "a freeze waits for tries to end"},
                {"finish_plan", "a freeze waits for the turns of the plan before"},
                {"hold_back", "a site with planned turns ahead has no room for tries"},
                {"carry_on", "a site's patience runs on after a freeze"},
                {"plead_once", "no second plea before the first is answered"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (wake, finish_tries, finish_plan, hold_back, carry_on, plead_once), (), ())
        };
        Coordinator coordinator;
        std::uint32_t retry_within = 4;
        // Ticks from the first failed try to the plea: per member of the neighbourhood, since each may be in
        // the way for a while, and per two hops to the end of the tree, since a plea costs all sites that
        // much. 0: no site pleads, and some may wait forever.
        std::uint32_t rescue_after = 7;
        Repairs repairs;

        // The spanning tree.
        SiteId root = 0;
        std::vector<SiteId> parent;
        std::vector<std::vector<SiteId>> children;
        std::uint32_t depth = 0;
        std::vector<std::uint32_t> colour;  // different for any two sites of a neighbourhood

        Config();
        void derive();
        static constexpr Meaning meanings[]{
            {"coordinator", "the site that answers pleas, or middle: one in the middle of the graph"},
            {"retry_within", "ticks: the time from a failed try to the next one is drawn up to this"},
            {"rescue_after",
             "ticks from the first failed try to the plea, per member of the neighbourhood and per two hops "
             "of the tree; 0: no site pleads"},
        };
        BOOST_DESCRIBE_CLASS(Config, (neighborhood::Neighborhood),
                             (coordinator, retry_within, rescue_after, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static std::optional<std::string> caveat(const Config& config) { return uncertain(config); }
    static void sample(Draw& draw);

    // --- Between neighbours.
    struct Try {
        bool enter = false;
        bool operator==(const Try&) const = default;
        BOOST_DESCRIBE_CLASS(Try, (), (enter), (), ())
    };
    struct Ok {
        bool operator==(const Ok&) const = default;
        BOOST_DESCRIBE_CLASS(Ok, (), (), (), ())
    };
    struct No {
        bool operator==(const No&) const = default;
        BOOST_DESCRIBE_CLASS(No, (), (), (), ())
    };
    struct Commit {
        bool enter = false;
        bool operator==(const Commit&) const = default;
        BOOST_DESCRIBE_CLASS(Commit, (), (enter), (), ())
    };
    struct Cancel {
        bool enter = false;
        bool operator==(const Cancel&) const = default;
        BOOST_DESCRIBE_CLASS(Cancel, (), (enter), (), ())
    };
    struct Wake {
        bool operator==(const Wake&) const = default;
        BOOST_DESCRIBE_CLASS(Wake, (), (), (), ())
    };
    // It is your turn, as far as my neighbourhood is concerned; and: I have taken my turn.
    struct Go {
        bool operator==(const Go&) const = default;
        BOOST_DESCRIBE_CLASS(Go, (), (), (), ())
    };
    struct Adjust {
        bool enter = false;
        bool operator==(const Adjust&) const = default;
        BOOST_DESCRIBE_CLASS(Adjust, (), (enter), (), ())
    };

    // --- Up and down the tree.
    using Sites = boost::container::flat_set<SiteId>;
    struct Plea {
        SiteId site = 0;
        bool enter = false;
        bool operator==(const Plea&) const = default;
        BOOST_DESCRIBE_CLASS(Plea, (), (site, enter), (), ())
    };
    struct Freeze {
        bool operator==(const Freeze&) const = default;
        BOOST_DESCRIBE_CLASS(Freeze, (), (), (), ())
    };
    struct Frozen {
        // Of the sender and all sites below it.
        Sites in;
        Sites waiting;  // to turn round
        bool operator==(const Frozen&) const = default;
        BOOST_DESCRIBE_CLASS(Frozen, (), (in, waiting), (), ())
    };
    struct Plan {
        std::vector<SiteId> turns;  // in this order
        Sites heard;                // sites whose pleas are answered
        Sites never;                // sites that can never turn round
        bool operator==(const Plan&) const = default;
        BOOST_DESCRIBE_CLASS(Plan, (), (turns, heard, never), (), ())
    };
    // A site with a planned turn has not wanted to take it for a while; or now wants to.
    struct Willing {
        SiteId site = 0;
        bool now = false;
        bool operator==(const Willing&) const = default;
        BOOST_DESCRIBE_CLASS(Willing, (), (site, now), (), ())
    };
    // The freeze is cancelled.
    struct Thaw {
        bool operator==(const Thaw&) const = default;
        BOOST_DESCRIBE_CLASS(Thaw, (), (), (), ())
    };
    using Message = std::variant<Try, Ok, No, Commit, Cancel, Wake, Plea, Freeze, Frozen, Plan, Go, Adjust,
                                 Willing, Thaw>;

    // retry: after a random time. rescue: patience is over. idle: the site does not want its planned turn
    // yet.
    enum class Timer : std::uint8_t { retry, rescue, idle };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, retry, rescue, idle)
    static bool fair(Timer timer) { return timer == Timer::rescue; }
    static bool backs_off(Timer timer) { return timer == Timer::retry; }

    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    bool may_request(const Context&) const { return !hopeless_; }
    static bool mortal(const Context&) { return false; }
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);

    void receive(const Context& ctx, SiteId from, const Try& attempt, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ok& ok, Effects& fx);
    void receive(const Context& ctx, SiteId from, const No& no, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Commit& commit, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancel& cancel, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Wake& wake, Effects& fx);

    void receive(const Context& ctx, SiteId from, const Plea& plea, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Freeze& freeze, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Frozen& frozen, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Plan& plan, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Go& go, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Adjust& adjust, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Willing& willing, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Thaw& thaw, Effects& fx);

    Phase phase() const { return phase_; }
    bool in() const { return phase_ == Phase::holding || phase_ == Phase::leaving; }

    static void on_state(const View<Escrow>& view, Report& report);

    bool operator==(const Escrow&) const = default;

private:
    friend struct EscrowProperties;

    bool asks() const { return phase_ == Phase::waiting || phase_ == Phase::leaving; }
    void begin(const Context& ctx, Effects& fx);
    void attempt(const Context& ctx, Effects& fx);
    void answered(const Context& ctx, Effects& fx);
    void give_up_try(const Context& ctx, Effects& fx);
    void carry_on(const Context& ctx, Effects& fx);
    void turn_round(const Context& ctx, Effects& fx);
    void refuse(const Context& ctx, Effects& fx);
    void stop_asking(const Context& ctx, Effects& fx);

    bool has_room(const Context& ctx, bool enter) const;
    void count(bool enter) { count_ += enter ? 1u : static_cast<std::uint32_t>(-1); }
    std::uint32_t& aside(bool enter) { return enter ? entering_ : leaving_; }
    void wake_up(const Context& ctx, Effects& fx);

    void freeze(const Context& ctx, Effects& fx);
    bool settled(const Context& ctx) const;
    void report_if_settled(const Context& ctx, Effects& fx);
    void thaw(const Context& ctx, Effects& fx);
    void gathered(const Context& ctx, const Frozen& part, Effects& fx);
    void take_up(const Context& ctx, const Plan& plan, Effects& fx);
    bool is_planned(SiteId site) const;
    void watch_own_turn(const Context& ctx, Effects& fx);
    void turn_by_plan(const Context& ctx, Effects& fx);

    void decide(const Context& ctx, const Frozen& all, Effects& fx);
    Sites hear_pleas(const Frozen& all, Plan& plan, Effects& fx);
    std::vector<SiteId> lead_over_willing(const Context& ctx, const Sites& waiting, std::uint64_t effort,
                                          neighborhood::Ways& ways, Plan& plan);
    void lead_over_anybody(const Context& ctx, std::vector<SiteId> sites, std::uint64_t effort,
                           neighborhood::Ways& ways, Plan& plan);
    void freeze_if_due(const Context& ctx, Effects& fx);
    template <class Letter>
    static void send_up(const Context& ctx, const Letter& letter, Effects& fx);
    template <class Letter>
    static void send_around(const Context& ctx, const Letter& letter, Effects& fx);

    // trying: answers are missing. blocked: a member has no room. ready: the site may try again.
    enum class TryState : std::uint8_t { none, trying, blocked, ready };
    BOOST_DESCRIBE_NESTED_ENUM(TryState, none, trying, blocked, ready)
    // timed: patience runs out. pleaded: the plea is not answered yet.
    enum class Help : std::uint8_t { none, timed, pleaded };
    BOOST_DESCRIBE_NESTED_ENUM(Help, none, timed, pleaded)

    // The requesting site.
    Phase phase_ = Phase::idle;
    TryState stage_ = TryState::none;
    Help help_ = Help::none;
    bool hopeless_ = false;         // can never turn round
    Sites yes_;                     // members with room for the try
    std::uint32_t unanswered_ = 0;  // members that have not answered
    std::uint32_t refusals_ = 0;    // members without room
    std::uint32_t wakes_ = 0;       // of these, members that have room now

    // State for the neighbourhood.
    std::uint32_t count_ = 0;                         // sites in service, as far as this site has heard
    std::uint32_t entering_ = 0;                      // places put aside for tries to enter
    std::uint32_t leaving_ = 0;                       // and to leave
    boost::container::flat_map<SiteId, bool> watch_;  // sites to tell of room to enter (true) or leave

    // From a freeze to the end of the plan.
    struct Gathering {
        bool settled = false;       // its own part is there
        std::uint32_t missing = 0;  // this site, and all children that have not reported yet
        Frozen so_far;
        bool operator==(const Gathering&) const = default;
        BOOST_DESCRIBE_CLASS(Gathering, (), (settled, missing, so_far), (), ())
    };
    bool frozen_ = false;
    std::optional<Gathering> gathering_;
    std::vector<SiteId> agenda_;  // sites whose planned turns around it are still to come
    std::uint32_t gos_ = 0;       // members that have said Go
    bool waited_for_ = false;     // it has said that it does not want its own turn yet

    // State of the coordinator.
    std::vector<Plea> pleas_;      // by site
    Sites unwilling_;              // sites with planned turns that they do not want yet
    std::vector<SiteId> overdue_;  // waiting sites for which a way was neither found nor ruled out
    std::uint8_t doublings_ = 0;   // of the effort for the search

    BOOST_DESCRIBE_CLASS(Escrow, (), (), (),
                         (phase_, stage_, help_, hopeless_, yes_, unanswered_, refusals_, wakes_, count_,
                          entering_, leaving_, watch_, frozen_, gathering_, agenda_, gos_, waited_for_,
                          pleas_, unwilling_, overdue_, doublings_))
};

}  // namespace allot
