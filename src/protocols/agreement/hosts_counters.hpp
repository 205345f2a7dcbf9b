// Register, leases and views in one machine: locks by counters among hosts that agree by themselves. Random
// runs explore it; each part is checked exhaustively on its own.
//
// A host reads the register again and again. A value that names it as a member renews its lease, from the
// moment in which the host asked; a newer value is a view. A host that is no member adds itself, and a member
// with a lease removes a member that is silent. The programs of a removed member have stopped when the
// hold-off is over, which counts from the moment in which the host saw the removal.
//
// A host that sees a view without itself begins its next life: it stops its program and joins again. A life
// is an incarnation for the views; the register, whose voter goes on, knows incarnations of the site only.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocols/agreement/epochs.hpp"
#include "protocols/agreement/register.hpp"
#include "protocols/multilock/counters.hpp"

namespace allot {

namespace agreement {

struct HostRules {
    bool from_question = true;
    bool whole_hold_off = true;
    bool stop_in_time = true;
    bool returned_views = true;

    static constexpr Meaning meanings[]{
        {"from_question", "a lease counts from the question, not from the answer"},
        {"whole_hold_off", "a hold-off takes no tick less than a lease and the error of clocks"},
        {"stop_in_time", "a host stops its program when its lease ends"},
        {"returned_views", "a view is seen when the register returns it, not when a voter accepts it"},
    };
    BOOST_DESCRIBE_CLASS(HostRules, (), (from_question, whole_hold_off, stop_in_time, returned_views), (), ())
};

// Says that the sender is up.
struct Alive {
    bool operator==(const Alive&) const = default;
};
BOOST_DESCRIBE_STRUCT(Alive, (), ())

// A value that was returned to the sender. It shows a view and renews no lease.
struct Learn {
    Value value;
    bool operator==(const Learn&) const = default;
};
BOOST_DESCRIBE_STRUCT(Learn, (), (value))

}  // namespace agreement

class HostsCounters {
public:
    static const Model<HostsCounters, FencesGrow> model;

    using Inner = Epochs<Counters>;
    struct Config : Inner::Config {
        std::uint32_t voters = 1;
        std::uint32_t lease = 3;
        std::uint32_t tolerance = 0;
        std::uint32_t silence = 2;
        std::uint32_t whims = 0;
        agreement::HostRules hosts;
        agreement::VotingRules voting;
        static constexpr Meaning meanings[]{
            {"voters", "number of voters; sites from 0 on vote"},
            {"lease", "ticks of a lease"},
            {"tolerance", "ticks by which clocks may differ; a hold-off is longer by twice as many"},
            {"silence", "ticks without a message after which a member is removed"},
            {"whims", "maximum of healthy members that a host removes without reason"},
        };
        BOOST_DESCRIBE_CLASS(Config, (Inner::Config),
                             (voters, lease, tolerance, silence, whims, hosts, voting), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    using Message =
        boost::mp11::mp_append<agreement::RegisterMessage, std::variant<Inner::HostReport, Inner::Frame,
                                                                        agreement::Alive, agreement::Learn>>;
    enum class Timer : std::uint8_t { whim };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, whim)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Synced, input::Tick, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
        heard_[from] = now_;
        take(ctx, from, message, fx);
    }
    void synced(const Context& ctx, Effects& fx);
    void tick(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return epochs_.phase(); }

    const agreement::Register& inner() const { return register_; }
    bool has_lease() const { return has_lease_; }
    bool operator==(const HostsCounters&) const = default;

private:
    using Self = agreement::Register::Self;
    using Value = agreement::Value;
    using Ticks = std::uint32_t;

    // Messages.
    void take(const Context& ctx, SiteId from, const Inner::HostReport& report, Effects& fx);
    void take(const Context& ctx, SiteId from, const Inner::Frame& frame, Effects& fx);
    void take(const Context& ctx, SiteId from, const agreement::Alive& alive, Effects& fx);
    void take(const Context& ctx, SiteId from, const agreement::Learn& learn, Effects& fx);
    void take(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
        consult(ctx, fx, [&](const Self& self, agreement::RegisterEffects& out) {
            register_.receive(self, from, message, out);
        });
    }

    // The register.
    template <class Action>
    void consult(const Context& ctx, Effects& fx, Action&& action);
    void go_on(const Context& ctx, Effects& fx);
    std::optional<std::vector<Peer>> wanted_members(const Context& ctx) const;
    void returned(const Context& ctx, const Value& value, Effects& fx);

    // Views and leases.
    Peer myself(const Context& ctx) const;
    bool is_member(const Context& ctx, const Value& value) const;
    bool is_silent(const Context& ctx, const Peer& member) const;
    void see(const Context& ctx, const Value& value, Effects& fx);
    void begin_life(const Context& ctx, Effects& fx);
    void renew(const Context& ctx, Effects& fx);
    void end_lease(const Context& ctx, Effects& fx);
    void end_hold_offs(const Context& ctx, Effects& fx);
    static Ticks hold_off(const Config& config);

    template <class Action>
    void act(const Context& ctx, Effects& fx, Action&& action);
    static bool is_mortal(const Context& ctx);
    HostsCounters after_crash(Disk disk) const;
    static void on_state(const View<HostsCounters>& view, Report& report);
    static std::vector<Demand> demands(const Context& ctx);
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);

    Ticks now_ = 0;
    agreement::Register register_;
    Ticks asked_ = 0;  // when the operation under way began
    std::uint32_t life_ = 0;
    Inner epochs_;
    Value seen_;            // the newest view
    Ticks first_seen_ = 0;  // of this life; 0: none
    bool quiet_ = false;
    bool has_lease_ = false;
    Ticks deadline_ = 0;  // of the lease
    Demand demand_;       // of the program, until it ends
    std::uint32_t whims_ = 0;
    bool has_whim_ = false;                            // it wants to remove a member
    boost::container::flat_map<Peer, Ticks> missing_;  // since when
    boost::container::flat_map<SiteId, Ticks> heard_;  // when a message came last

    BOOST_DESCRIBE_CLASS(HostsCounters, (), (), (),
                         (now_, register_, asked_, life_, epochs_, seen_, first_seen_, quiet_, has_lease_,
                          deadline_, demand_, whims_, has_whim_, missing_, heard_))
};

}  // namespace allot
