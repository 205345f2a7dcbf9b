// Hosts in the laboratory. A site is a machine: the member (member.hpp: the host, and its part in the
// register), the guardian of its programs, and the programs themselves. It is the shell that a daemon is in
// reality, with the laboratory's links, disks and clocks.
//
// The first program of a machine is the laboratory's application. The others act by themselves, by timers:
// each asks for a single lock, or for a unit of the semaphore, and lets go, or dies if that is sticky. A
// daemon may die and come back while its machine and its programs go on.
//
// The register is one atomic value at a site of its own (`--engine atomic`), which answers in its own time,
// or the hosts keep it themselves (`--engine hosts`).
#pragma once

#include <array>
#include <boost/mp11/list.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/protocol.hpp"
#include "host/guardian.hpp"
#include "host/member.hpp"

namespace allot {

namespace host {

enum class Engine : std::uint8_t { atomic, hosts };
BOOST_DESCRIBE_ENUM(Engine, atomic, hosts)

// A call to the atomic register, and its answer.
struct Ask {
    std::uint32_t incarnation = 0;  // of the daemon
    agreement::ValueId expected;    // of a change
    std::optional<agreement::Value> next;
    bool operator==(const Ask&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (incarnation, expected, next))

struct Told {
    std::uint32_t incarnation = 0;
    agreement::Value value;
    bool operator==(const Told&) const = default;
};
BOOST_DESCRIBE_STRUCT(Told, (), (incarnation, value))

// The link to the daemon of the sender has ended, or is there again.
struct LinkNews {
    bool ended = false;
    std::optional<std::uint32_t>
        gone{};  // this incarnation has ended with all its programs, as the kernel says
    bool operator==(const LinkNews&) const = default;
};
BOOST_DESCRIBE_STRUCT(LinkNews, (), (ended, gone))

// The epoch in which a host got all that a program wants, and the permits then; not known: as many as can be.
struct Granted {
    std::uint32_t epoch = 0;
    std::uint32_t permits = ~0u;
    bool operator==(const Granted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Granted, (), (epoch, permits))

// A program of a machine, as it sees itself.
struct Program {
    Phase phase = Phase::idle;
    Want want;
    std::vector<Fence> fences;
    std::uint32_t requests_left = 0;  // of a program that acts by itself
    std::optional<Granted> grant{};   // if permits change at run time
    bool operator==(const Program&) const = default;
};
BOOST_DESCRIBE_STRUCT(Program, (), (phase, want, fences, requests_left, grant))

}  // namespace host

class Cluster {
public:
    static const Model<Cluster, FencesGrow> model;
    static constexpr std::string_view semaphore_name = "s0";

    struct Config {
        std::uint32_t sites = 2;  // machines; the atomic register comes after them
        host::Engine engine = host::Engine::atomic;
        std::uint32_t voters = 1;
        bool first_start = false;
        std::uint32_t successions = 0;
        std::uint32_t resources = 1;
        std::uint32_t max_request = 0;
        std::uint32_t permits = 0;
        std::uint32_t resizes = 0;
        std::uint32_t programs = 1;
        std::uint32_t program_requests = 1;
        std::uint32_t seats = 4;
        std::uint32_t overtakes = host::Line::usual_overtakes;
        std::uint32_t loans = 1;
        std::uint32_t lease = 3;
        std::uint32_t grace = 0;
        std::uint32_t tolerance = 0;
        std::uint32_t silence = 0;
        std::uint32_t whims = 0;
        std::uint32_t daemon_deaths = 0;
        std::uint32_t stops = 0;
        std::uint32_t return_within = 0;
        std::uint32_t lives = 256;
        std::uint32_t latecomers = 0;
        std::uint32_t full_disks = 0;
        std::uint32_t most_weight = 100'000;
        bool fenced = false;
        bool sticky = false;
        bool kernel = false;
        agreement::ViewRules views;
        agreement::AdoptionRules adoption;
        host::Rules hosts;
        Counters::Config::Repairs locks;
        HostPermits::Config::Repairs semaphores;
        agreement::VotingRules voting;
        agreement::SealRules sealing;
        agreement::SuccessionRules succession;
        agreement::FormingRules forming;
        static constexpr Meaning meanings[]{
            {"sites", "number of hosts; an atomic register is a site of its own, after them"},
            {"engine", "atomic: one register answers at its own pace; hosts: voters among the hosts keep it"},
            {"voters", "number of voters; hosts from 0 on vote"},
            {"first_start", "the disks are blank, and the voters form the register; otherwise it is there"},
            {"successions",
             "how often each host orders other voters, in turn one host and as many as can be"},
            {"resources", "number of locks"},
            {"max_request", "maximum of locks in one request; 0: all"},
            {"permits", "number of permits of the semaphore; 0: there is none"},
            {"resizes", "how often each host orders other permits, in turn one more, none, one and so on"},
            {"programs", "number of programs on each host; the first is the application"},
            {"program_requests", "requests of each further program"},
            {"seats", "maximum of requests for locks that a host serves at once"},
            {"overtakes", "how often a request for locks may be overtaken on its host"},
            {"loans", "maximum of missing tokens for which a request asks for a loan"},
            {"lease", "ticks of a lease"},
            {"grace", "ticks that a program has to stop, within the lease"},
            {"tolerance", "ticks by which clocks may differ; a hold-off is longer by twice as many"},
            {"silence", "ticks without a message after which a member is removed; 0: never"},
            {"whims", "maximum of healthy members that each host removes without reason"},
            {"daemon_deaths", "maximum of deaths of each daemon that its machine and programs survive"},
            {"stops", "maximum of orderly stops of each daemon; it leaves if nothing is held there"},
            {"return_within", "ticks that a member has whose daemon ended; 0: nobody hears of an end"},
            {"lives", "how often a daemon may be removed and join again before the next daemon begins"},
            {"latecomers", "number of hosts, the last ones, whose daemons start later than the others"},
            {"full_disks", "maximum of times that each disk is full: nothing is written until there is room"},
            {"most_weight", "entries about locks above which a host proposes a new view, to forget them"},
            {"fenced", "programs go on when their lease ends, and only fences tell them from the next"},
            {"sticky", "what a program holds stays with its host until it gives it back, also if both die"},
            {"kernel", "all hosts run under one kernel, which tells when a daemon and its programs are gone"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, engine, voters, first_start, successions, resources, max_request,
                              permits, resizes, programs, program_requests, seats, overtakes, loans, lease,
                              grace, tolerance, silence, whims, daemon_deaths, stops, return_within, lives,
                              latecomers, full_disks, most_weight, fenced, sticky, kernel, views, adoption,
                              hosts, locks, semaphores, voting, sealing, succession, forming),
                             (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    using Message = boost::mp11::mp_push_back<host::Member::Message, host::Ask, host::Told, host::LinkNews>;
    // A further program acts; a host takes against another; the daemon dies, comes back, or is stopped; the
    // disk is full, or has room again; the owner gives back what its programs left behind; an operator
    // changes the number of permits.
    enum class Timer : std::uint8_t {
        second,
        third,
        whim,
        die,
        rise,
        leave,
        fill,
        room,
        free,
        resize,
        succeed
    };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, second, third, whim, die, rise, leave, fill, room, free, resize,
                               succeed)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Synced, input::Tick, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx) { release(ctx, fx); }
    void receive(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
        take(ctx, from, message, fx);
    }
    void synced(const Context& ctx, Effects& fx);
    void tick(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return programs_.empty() ? Phase::idle : programs_.front().phase; }

    const host::Host& daemon() const { return member_.host(); }
    bool is_alive() const { return alive_; }
    const std::vector<host::Program>& programs() const { return programs_; }
    const agreement::Register& inner() const { return member_.council().inner(); }

    bool operator==(const Cluster&) const = default;

private:
    friend struct ClusterProperties;
    static constexpr std::uint32_t most_programs = 3;

    static bool is_register(const Context& ctx) { return ctx.self >= ctx.config.sites; }
    static host::Config host_config(const Config& config);
    static host::Member::Config member_config(const Config& config);
    static host::Key key_of(std::size_t program) { return {program, 1}; }
    static std::string name_of(std::size_t program) { return "program " + std::to_string(program); }
    static Want want_of(const Demand& demand);
    Want own_want(const Context& ctx, std::size_t program) const;
    std::uint32_t incarnation(const Context& ctx) const;
    bool is_late(const Context& ctx) const;

    // The member.
    template <class Action>
    void step(const Context& ctx, Effects& fx, Action&& action);
    template <class Action>
    void act(const Context& ctx, Effects& fx, Action&& action);
    template <class Action>
    void converse(const Context& ctx, Effects& fx, Action&& action);
    void note_permits(std::uint32_t permits);
    std::uint32_t permits_now() const;
    void hear(const Context& ctx, const host::ToProgram& told, Effects& fx);
    void begin(const Context& ctx, std::size_t number, Effects& fx);
    void refuse(std::size_t number, const std::string& why, Effects& fx);
    void stop(std::size_t number, Effects& fx);
    void call(const Context& ctx, const host::Call& call, Effects& fx);
    void raise_daemon(const Context& ctx, Effects& fx);
    void end_daemon(const Context& ctx, Effects& fx);
    void leave(const Context& ctx, Effects& fx);
    void tell_links(const Context& ctx, const host::LinkNews& news, Effects& fx) const;
    void testify(const Context& ctx, Effects& fx);
    void return_abandoned(const Context& ctx, Effects& fx);
    void resize(const Context& ctx, Effects& fx);
    void succeed(const Context& ctx, Effects& fx);
    static agreement::Settings settings_of(const Config& config, std::uint32_t resizes);

    // The disk.
    void write(Effects& fx);
    void fill_disk(Effects& fx);
    void make_room(const Context& ctx, Effects& fx);

    // The programs.
    void connect(const Context& ctx, std::size_t program, Effects& fx);
    void greet(const Context& ctx, Effects& fx);
    void ask(const Context& ctx, std::size_t program, Want want, Effects& fx);
    void say_wish(const Context& ctx, std::size_t program, Effects& fx);
    void let_go(const Context& ctx, std::size_t program, Effects& fx);
    void say_release(const Context& ctx, std::size_t program, Effects& fx);
    void replace(const Context& ctx, std::size_t program, Effects& fx);
    void await_act(std::size_t program, Effects& fx) const;
    void perform(const Context& ctx, std::size_t program, Effects& fx);

    // Messages.
    void take(const Context& ctx, SiteId from, const host::Ask& ask, Effects& fx);
    void take(const Context& ctx, SiteId from, const host::Told& told, Effects& fx);
    void take(const Context& ctx, SiteId from, const host::LinkNews& news, Effects& fx);
    void take(const Context& ctx, SiteId from, const auto& message, Effects& fx);

    static bool is_mortal(const Context& ctx);
    static bool may_ask(const Context& ctx) { return !is_register(ctx); }
    Cluster after_crash(Disk disk) const;
    static void on_state(const View<Cluster>& view, Report& report);
    static std::vector<Demand> demands(const Context& ctx);

    host::Member member_;
    bool alive_ = true;     // the daemon
    bool leaving_ = false;  // it was told to stop
    std::uint32_t ends_ = 0;
    std::optional<std::uint32_t> uncertified_;  // the incarnation that ended, until the kernel certifies it
    std::uint32_t deaths_ = 0;
    std::uint32_t stops_ = 0;
    std::uint32_t whims_ = 0;
    std::uint32_t fills_ = 0;
    std::uint32_t resizes_ = 0;
    std::uint32_t successions_ = 0;
    bool disk_is_full_ = false;
    bool unwritten_ = false;  // a write waits for room
    host::Guardian guardian_;
    std::vector<host::Program> programs_;
    boost::container::flat_map<agreement::ValueId, host::Granted> kept_grants_;  // of sticky requests
    agreement::Value value_;                                                     // at the atomic register

    BOOST_DESCRIBE_CLASS(Cluster, (), (), (),
                         (member_, alive_, leaving_, ends_, uncertified_, deaths_, stops_, whims_, fills_,
                          resizes_, successions_, disk_is_full_, unwritten_, guardian_, programs_,
                          kept_grants_, value_))
};

}  // namespace allot
