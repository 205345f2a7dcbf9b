// Leases over the register: a host that was removed has stopped its program before another host runs one.
//
// The register holds the members. Site 0, the user, runs its program only while it has a lease. It renews the
// lease by reading the register: a value that names it as a member is worth `lease` ticks, which count from
// the moment in which the user asked, because it may have been removed a moment later. Site 1, the remover,
// changes the members to those without site 0. Every other site, if it is asked to, reads whether site 0 was
// removed. Each of them may run a program of its own when the hold-off is over, which counts from the moment
// in which the removal was returned to it: a voter may have accepted a value that never comes to be.
//
// A user that is no voter may read through a peer, the last site. The peer begins a read for each question.
//
// Where all hosts run on one kernel, that tells the death of a host exactly, and there is no lease: the
// removal is certified. The programs of a dead host live on for `grace` ticks at most, so a hold-off takes as
// many, from the moment in which the removal was returned; it ends at once when the kernel tells that they
// have stopped, too.
//
// A request of an application is a program that wants to run, and a grant lets it run.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <string>
#include <variant>

#include "core/view.hpp"
#include "protocols/agreement/register.hpp"

namespace allot {

namespace agreement {

// Rows of the specification of the register, section 10; two of them are rows of views, section 11, too.
struct LeaseRules {
    bool from_question = true;
    bool whole_hold_off = true;
    bool not_from_acceptance = true;
    bool not_from_proposal = true;
    bool not_from_memory = true;
    bool new_read = true;
    bool programs_stop = true;
    bool certain_deaths = true;

    static constexpr Meaning meanings[]{
        {"from_question", "row 13 (views: 10): a lease counts from the question, not from the answer"},
        {"whole_hold_off", "row 13 (views: 10): a hold-off takes no tick less than the lease"},
        {"not_from_acceptance", "row 15: a hold-off does not count from the acceptance by the own voter"},
        {"not_from_proposal", "row 15: a hold-off does not count from the own proposal"},
        {"not_from_memory", "row 16: a peer that is asked reads; it does not answer what it knows"},
        {"new_read", "row 16: a peer that is asked begins a read; the question does not join an earlier one"},
        {"programs_stop", "row 17: after a certain death a hold-off waits for the programs, too"},
        {"certain_deaths", "row 17: a silent host is not certified to be dead"},
    };
    BOOST_DESCRIBE_CLASS(LeaseRules, (),
                         (from_question, whole_hold_off, not_from_acceptance, not_from_proposal,
                          not_from_memory, new_read, programs_stop, certain_deaths),
                         (), ())
};

// The user asks its peer to read the register.
struct Ask {
    std::uint32_t number = 0;
    bool operator==(const Ask&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (number))

struct Told {
    std::uint32_t number = 0;
    Value value;
    bool operator==(const Told&) const = default;
};
BOOST_DESCRIBE_STRUCT(Told, (), (number, value))

}  // namespace agreement

class Leases {
public:
    static const Model<Leases> model;

    struct Config {
        std::uint32_t sites = 3;
        std::uint32_t voters = 3;
        std::uint32_t lease = 1;
        std::uint32_t tolerance = 0;
        std::uint32_t grace = 1;
        std::uint32_t renewals = 1;
        std::uint32_t ballots = 2;
        bool nacks = false;
        bool through_peer = false;
        bool one_kernel = false;
        agreement::LeaseRules leasing;
        agreement::VotingRules rules;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"voters", "number of voters; sites from 0 on vote"},
            {"lease", "ticks of a lease"},
            {"tolerance", "ticks by which clocks may differ; a hold-off is longer by twice as many"},
            {"grace", "with --one-kernel: ticks in which the programs of a dead host stop"},
            {"renewals", "maximum of renewals of the lease while the program runs"},
            {"ballots", "maximum of ballots that an operation tries; then it is given up"},
            {"nacks", "voters say that they refuse a ballot; only speed depends on it"},
            {"through_peer", "site 0 reads through the last site"},
            {"one_kernel", "no leases: the kernel tells the death of site 0, and later of its programs"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, voters, lease, tolerance, grace, renewals, ballots, nacks, through_peer,
                              one_kernel, leasing, rules),
                             (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    using Message =
        boost::mp11::mp_append<agreement::RegisterMessage, std::variant<agreement::Ask, agreement::Told>>;
    enum class Timer : std::uint8_t { renew, retry };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, renew, retry)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Synced, input::Tick, input::Timeout<Timer>, input::Adopt,
                               input::Detected>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
        step(ctx, fx, [&](const auto& self, auto& out) { register_.receive(self, from, message, out); });
    }
    void receive(const Context& ctx, SiteId from, const agreement::Ask& message, Effects& fx);
    void receive(const Context& ctx, SiteId from, const agreement::Told& message, Effects& fx);
    void synced(const Context& ctx, Effects& fx);
    void tick(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    void adopt(const Context& ctx, const input::Adopt& program, Effects& fx);
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const { return phase_; }

    bool operator==(const Leases&) const = default;

private:
    using Self = agreement::Register::Self;
    using Value = agreement::Value;

    static bool is_user(const Context& ctx) { return ctx.self == 0; }
    static bool is_remover(const Context& ctx) { return ctx.self == 1; }
    static SiteId peer(const Config& config) { return config.sites - 1; }
    static bool is_member(const Value& value);
    static std::uint32_t hold_off(const Config& config);

    // The user.
    void ask(const Context& ctx, Effects& fx);
    void answered(const Context& ctx, const Value& value, Effects& fx);
    void stop(Effects& fx, const char* reason);
    void run(const Context& ctx, Effects& fx);
    void pass_time(const Context& ctx, Effects& fx);

    // The others.
    void look(const Context& ctx, Effects& fx);
    void looked(const Context& ctx, const Value& value, Effects& fx);
    void count_from_now(const Context& ctx);
    bool may_enter(const Config& config) const;
    void enter(const Context& ctx, Effects& fx);
    void read_for_user(const Context& ctx, Effects& fx);

    // The register.
    template <class Action>
    void step(const Context& ctx, Effects& fx, Action&& action);
    void begin(const Context& ctx, agreement::Operation kind, Effects& fx);
    void returned(const Context& ctx, const Value& value, Effects& fx);
    void give_up(const Context& ctx, Effects& fx);

    static void sample_around_removal(Draw& draw);
    bool may_request(const Context& ctx) const;
    bool watches(const Context& ctx, SiteId peer) const;
    Leases after_crash(Disk disk) const;
    static void on_state(const View<Leases>& view, Report& report);

    Phase phase_ = Phase::idle;
    agreement::Register register_;
    // The user.
    std::uint32_t left_ = 0;            // ticks of its lease
    std::optional<std::uint32_t> age_;  // ticks since it asked, while it waits for the answer
    std::uint32_t questions_ = 0;       // to the peer
    std::uint32_t renewals_ = 0;
    bool removed_ = false;
    // The others.
    bool looks_ = false;                       // the operation under way is of its own program
    bool saw_removal_ = false;                 // it was returned
    std::optional<std::uint32_t> wait_;        // ticks of the hold-off, once it counts
    std::optional<agreement::Ask> asked_;      // the question that waits for a read
    std::optional<agreement::Ask> answering_;  // the question that the read under way answers
    bool dead_ = false;                        // the user's host, as the kernel says
    bool programs_stopped_ = false;            // the user's

    BOOST_DESCRIBE_CLASS(Leases, (), (), (),
                         (phase_, register_, left_, age_, questions_, renewals_, removed_, looks_,
                          saw_removal_, wait_, asked_, answering_, dead_, programs_stopped_))
};

}  // namespace allot
