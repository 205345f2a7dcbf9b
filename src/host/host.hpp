// The host: everything that the daemon of one machine decides, as one pure machine. It serves the requests of
// programs, takes part in the protocols of all kinds, follows the agreed views, and says which program must
// stop when. Bytes, sockets, files, processes and clocks belong to the shell around it: the daemon, or the
// laboratory (cluster.hpp), which runs many hosts in one process.
//
// Requests. A request names locks and permits. It takes the locks first, as one set, then the permits by the
// name of their semaphore: all requests keep this order, so nobody waits in a cycle across kinds.
//
// Views and leases (specs: views). The host reads the register again and again. A value that names it as a
// member renews its lease, which counts from the moment in which the host asked. A newer value is a view. A
// host without a lease grants nothing, and its programs have stopped when the lease ends. A host that sees a
// view without itself begins its next life: it stops its programs and joins again.
//
// A sticky request is granted when the register keeps it, and is free for others when the register has
// forgotten it. In between it belongs to its owner. If the program ends without giving it back, its host
// goes on holding it; if the host is gone, the first member does.
//
// Time is counted in ticks, as ages and remainders, never as a point in time: so the state is finite.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/stamp.hpp"
#include "core/want.hpp"
#include "host/hearing.hpp"
#include "host/key.hpp"
#include "host/locks.hpp"
#include "host/rules.hpp"
#include "host/semaphore.hpp"
#include "protocols/agreement/register.hpp"
#include "protocols/agreement/views.hpp"

namespace allot::host {

struct Config {
    Locks::Config locks;
    Semaphore::Config semaphores;
    agreement::Settings settings;       // of the first view of all, and until this host has seen a view
    std::uint32_t hosts = 1;            // that may be members, if the settings do not name them
    Ticks lease = 3;                    // from the question to the moment in which programs have stopped
    Ticks grace = 1;                    // of a program that is asked to stop; within the lease
    Ticks least_use = 0;                // before that, for a program to do anything with what it is granted
    Ticks hold_off = 3;                 // no shorter than a lease on any clock
    Ticks renew_every = 1;              // between two questions to the register
    Ticks alive_every = 1;              // between two signs of life; 0: links give them
    Ticks silence = 2;                  // after which a member is missed; 0: nobody is removed for silence
    Ticks return_within = 0;            // the same for a member whose daemon has ended; it may come back
    std::uint32_t lives = 256;          // of one daemon; the next one must begin before they are used up
    std::size_t most_weight = 100'000;  // entries, above which a new view is proposed: it forgets most
    // Entries for each lock that programs of this host use or wait for, which do not count: a new epoch keeps
    // them.
    std::size_t weight_of_used = 0;
    // Requests for permits of one host that are kept until they are answered. An honest host cannot send so
    // many before a new view forgets them.
    std::size_t most_unanswered = std::size_t{1} << 20;
    // Of messages of one host, to be kept until the epoch begins.
    std::uint64_t most_early_bytes = std::uint64_t{64} << 20;
    // The same for the numbers of the fences of an epoch: half of those that there are.
    std::uint64_t most_numbers = std::uint64_t{1} << (bits_within_epoch - 1);
    agreement::ViewRules views;
    agreement::AdoptionRules adoption;
    Rules rules;
};

// --- Messages between hosts.

// A message of a kind, in an epoch.
struct Frame {
    std::uint32_t epoch = 0;
    ResourceId kind;  // the name of a semaphore; empty: locks
    std::variant<Locks::Message, Semaphore::Message> message;
    bool operator==(const Frame&) const = default;
};
BOOST_DESCRIBE_STRUCT(Frame, (), (epoch, kind, message))

// The report of a host: what its programs use and wait for, of each kind.
struct Parts {
    boost::container::flat_map<ResourceId, agreement::Holdings> kinds;
    bool operator==(const Parts&) const = default;
};
BOOST_DESCRIBE_STRUCT(Parts, (), (kinds))

// Says that the sender is up, and which members it misses.
struct Alive {
    std::vector<SiteId> misses;
    bool operator==(const Alive&) const = default;
};
BOOST_DESCRIBE_STRUCT(Alive, (), (misses))

// A value that was returned to the sender. It shows a view and renews no lease.
struct Learn {
    agreement::Value value;
    bool operator==(const Learn&) const = default;
};
BOOST_DESCRIBE_STRUCT(Learn, (), (value))

using Views = agreement::Views<Parts, Frame>;
using HostReport = Views::HostReport;
using Message = std::variant<HostReport, Frame, Alive, Learn>;

// --- Effects.

// The session of requests that the host itself holds.
inline constexpr std::uint64_t host_session = ~std::uint64_t{0};

// A request of a program as the host knows it.
struct Request {
    Key key;
    Want want;
    std::uint32_t taken = 0;  // parts that are granted
    // One per lock in the order of the request, then one per semaphore; 0: its units have no order.
    std::vector<Fence> fences{};
    bool told = false;                                // the program has been told that all is granted
    bool fenced = false;                              // the program may go on when the lease ends
    std::optional<agreement::Ownership> ownership{};  // sticky: it is kept by the register
    bool taken_up = false;  // sticky: another program of the owner had it before, with the same fences
    bool returned = false;  // sticky, and given back; the register is to forget it
    std::optional<std::uint32_t> keeper{};  // of an adopted program until the first view: where it ran
    Line::User user = 0;                    // it has a share of the seats
    bool complete() const { return taken == want.parts(); }
    // The host holds it for an owner whose program is gone, or it is being given back.
    bool is_of_host() const { return key.session == host_session; }
    // A program of that host has left it behind. Of an absent host nobody knows whether its programs have
    // ended.
    bool is_left_behind_at(SiteId host) const {
        return is_of_host() && !returned && ownership->id.host == host;
    }
    // The part that is taken in this step.
    std::uint32_t part(std::uint32_t step, bool locks_first) const {
        return locks_first ? step : want.parts() - 1 - step;
    }
    bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (),
                      (key, want, taken, fences, told, fenced, ownership, taken_up, returned, keeper, user))

// How a request is served.
struct Terms {
    bool fenced = false;         // the program may go on when the lease ends
    std::string owner{};         // sticky: who keeps it
    std::uint64_t since_ms = 0;  // sticky: the time of day
    Line::User user = 0;         // of the program
};

// News of a request. lost: its program has been stopped, or must be at once, and the request is over.
// released: it is sticky, and was given back. refused: it waited, and can never be served.
struct Answer {
    enum class Kind : std::uint8_t { granted, lost, released, refused };
    Key key;
    Kind kind{};
    std::string reason{};
    std::optional<Request> request{};  // that is over
};

// An operation on the register: a read, or a change of the newest value that this host knows.
struct Call {
    std::optional<agreement::Change> change;
};

// A message that cannot be right, and was dropped: nothing more may come over that link.
struct Dropped {
    SiteId from;
    std::string why;
};

// The reason for which a host is known to err. claim: it reported a lock that another host uses with a larger
// fence. message: it sent a message that cannot be right.
enum class Misdeed : std::uint8_t { claim, message };
BOOST_DESCRIBE_ENUM(Misdeed, claim, message)

struct Effects {
    struct Send {
        SiteId to;
        Message message;
    };
    std::vector<Send> sends;
    std::vector<Dropped> dropped;
    std::vector<Answer> answers;
    std::optional<Call> call;  // none is under way; `returned` answers it
    std::vector<std::string_view> probes;

    void reached(std::string_view probe) { probes.push_back(probe); }
    void clear() {
        sends.clear();
        dropped.clear();
        answers.clear();
        call.reset();
        probes.clear();
    }
};

// Rare paths of the handlers.
inline constexpr std::string_view probes[]{
    "skipped-view",  "superseded-view", "early-report", "early-frame",    "void-frame",      "cold-start",
    "single-member", "deferred-ask",    "deferred-end", "withheld-grant", "lease-ended",     "next-life",
    "adoption",      "late-adoption",   "removed-peer", "several-kinds",  "forgotten-names", "abandoned",
    "taken-up",      "custody",         "resized",      "refused",
};

struct Edge;

class Host {
public:
    struct Self {
        const Config& config;
        SiteId host;
        std::uint32_t incarnation = 0;  // of the daemon; the next one exceeds it by more than it had lives
    };

    // The first input. Programs that run already are adopted next; then the host calls the register.
    // `knows_programs`: no others run that an earlier incarnation left behind. `first`: nothing has run at
    // all before the first view.
    void start(const Self& self, bool knows_programs = true, bool first = false);

    // Requests of programs (sessions.hpp says who may ask for what).
    void ask(const Self& self, const Key& key, const Want& want, Effects& fx, Terms terms = {});
    // Gives back what is held, or takes the request back; nothing if it is over already. `settle` must
    // follow.
    std::optional<Request> release(const Self& self, const Key& key, Effects& fx);
    // The same for a program that has ended; but a sticky request that it had stays.
    std::optional<Request> abandon(const Self& self, const Key& key, Effects& fx);
    // Serves those that can be served now.
    void settle(const Self& self, Effects& fx);
    // A program that an earlier incarnation left behind comes back, before the host has seen a view. The
    // request says what it holds, and where it ran.
    void adopt(const Self& self, Request request, Effects& fx);

    // Other hosts, and operators.
    void receive(const Self& self, SiteId from, const Message& message, Effects& fx);
    // A message of that host cannot be right, and is dropped. The epoch lacks its content.
    void refuse_message(const Self& self, SiteId from, std::string why, Effects& fx);
    // Against which messages of others are judged.
    Edge edge(const Self& self) const;
    void expel(SiteId host) { unwanted_.insert(host); }
    // An operator wants other settings than the newest ones. The register has agreed when they are the
    // newest; if others are then, somebody else has changed them before.
    void propose(const Self& self, agreement::Settings settings, Effects& fx);
    bool is_proposing() const { return proposed_.has_value(); }
    void withdraw_proposal() { proposed_.reset(); }
    // Gives a sticky request back: of a program, or one that this host holds for its owner. It is `released`
    // when the register knows that.
    void give_back(const Self& self, const Key& key, Effects& fx);
    // The same for one that this host shall hold, and does not yet.
    void disown(const Self& self, const agreement::ValueId& id, Effects& fx);
    // The kernel or an operator says that this incarnation and all its programs have ended, or takes it back.
    void certify(Peer gone, bool has_ended = true) {
        if (has_ended)
            certified_.insert(gone);
        else
            certified_.erase(gone);
    }
    // The daemon of that host has ended, or is back.
    void ended(SiteId host, bool has_ended) { hearing_.ended(host, has_ended); }
    // A sign of life of that host.
    void heard(const Self& self, SiteId host, Effects& fx);
    // A link to that host is up: it may have missed what was said before.
    void met(const Self& self, SiteId host, Effects& fx) const;
    // No request is served any more, and none may be open; when the others need this host no longer, it
    // has_left().
    void leave() { leaving_ = true; }
    bool is_leaving() const { return leaving_; }
    bool has_left() const { return leaving_ && !views_.has_seen(); }
    // Whether it must be a member for now, though operators let it go.
    void stay(bool stays) { stays_ = stays; }
    // Why operators let that host serve no new requests; empty if it shall serve them.
    std::string closed(SiteId host) const;

    // Begins an operation of the register; none may be under way.
    void call_register(const Self& self, Effects& fx);
    // The register has answered the call.
    void returned(const Self& self, const agreement::Value& value, Effects& fx);
    // A value that answers no call: it shows a view and renews no lease.
    void learn(const Self& self, const agreement::Value& value, Effects& fx) { see(self, value, fx); }
    // The call is answered by nobody: another follows.
    void forget_call() { asked_.reset(); }
    bool is_asking() const { return asked_.has_value(); }

    // `late`: this host did not run for a while, so it may have missed the signs of others.
    void tick(const Self& self, Effects& fx, bool late = false);
    // Ticks until one changes more than ages, if nothing else happens before.
    Ticks due_in(const Self& self) const;

    // True if the daemon must end, and the next one begin: no number is left for another life.
    bool is_worn_out(const Self& self) const { return life_ + 1 >= self.config.lives; }

    bool has_lease() const { return lease_left_ > 0; }
    // Whether that host answers, as far as this one knows.
    bool hears(const Self& self, SiteId host) const { return hearing_.hears(here(self), host); }
    Ticks lease_left() const { return lease_left_; }
    const agreement::Value& known() const { return known_; }
    // The newest settings, and those of the epoch.
    const agreement::Settings& settings() const { return known_.settings ? *known_.settings : settings_; }
    const agreement::Settings& settings_in_force() const { return settings_; }
    // The number of hosts that this one talks to, with its own.
    std::uint32_t hosts(const Self& self) const {
        const std::size_t named = settings().hosts.size();
        return named == 0 ? self.config.hosts : static_cast<std::uint32_t>(named);
    }
    const Views& views() const { return views_; }
    const Request* find(const Key& key) const;
    // The site of a request for locks, if it has one in this epoch.
    std::optional<SiteId> site_of(const Self& self, const Key& key) const;
    // Sticky requests of absent hosts that this host shall hold, and does not yet.
    std::vector<agreement::Kept> unheld(const Self& self) const;
    // Members that are gone, and ticks that are left until their programs have stopped for certain.
    std::vector<std::pair<Peer, Ticks>> hold_offs(const Self& self) const;
    // The same without the time.
    std::vector<Peer> held_off() const;
    // Hosts that err, until they are members no more.
    const boost::container::flat_map<Peer, Misdeed>& erring() const { return erring_; }
    const std::vector<std::optional<Request>>& requests() const { return requests_; }
    const Locks& locks() const { return locks_; }
    // Entries about locks, and requests for permits that are not answered: what a new epoch forgets, but for
    // those that somebody uses or waits for.
    std::size_t weight() const;
    // The incarnation of this host in views: one for each life of each incarnation of the daemon.
    Peer myself(const Self& self) const;

    bool operator==(const Host&) const = default;

private:
    // Requests.
    void ask_next(const Self& self, RequestId id);
    static bool takes_locks_first(const Self& self) {
        return self.config.rules.locks_first || self.host % 2 == 0;
    }
    bool granted(const Self& self, RequestId id, const std::vector<Fence>& fences, Effects& fx);
    bool may_tell(const Self& self, const Request& request) const;
    static void tell(Request& request, Effects& fx);
    void tell_complete(const Self& self, Effects& fx);
    Request end(const Self& self, RequestId id);
    void stop(const Self& self, RequestId id, const char* why, Effects& fx);
    RequestId add(Request request);
    bool may_grant(const Self& self) const;
    void note_numbers(const Self& self, const std::vector<Fence>& fences);

    // Sticky requests.
    const agreement::Kept* find_kept(const agreement::ValueId& id) const;
    Key own_key() const;
    void begin_keeping(const Self& self, RequestId id);
    void hold_for_owner(RequestId id);
    bool take_up(const Self& self, const Key& key, const Want& want, const Terms& terms, Effects& fx);
    void hand_over(RequestId id, const Key& key);
    void serve_owner(const Self& self, RequestId id, Effects& fx);
    void let_forget(const Self& self, RequestId id);
    void heard_of_return(RequestId id, Effects& fx);
    bool wants_to_keep(const Self& self) const;
    bool may_forget(const Self& self) const;
    std::vector<agreement::Kept> wanted_kept(const Self& self) const;
    void compare_kept(const Self& self, Effects& fx);
    SiteId custodian(const agreement::Kept& kept) const;
    void take_custody(const Self& self, Effects& fx);
    RequestId hold(const Self& self, Request request);

    // Kinds.
    Epoch epoch(const Self& self) const;
    template <class F>
    void with_kind(const Self& self, ResourceId name, F&& f);
    template <class F>
    void with_each_kind(const Self& self, F&& f);
    void note_work(ResourceId name);
    void take_settings(const std::vector<Parts>& reports, Effects& fx);
    void drop_unused_semaphores();
    void refuse(const Self& self, RequestId id, Effects& fx);
    bool can_be_served(const Self& self, const Request& request) const;
    template <class KindEffects>
    bool pass_on(const Self& self, ResourceId kind, KindEffects& out, Effects& fx);

    // Messages.
    void take(const Self& self, SiteId from, const HostReport& report, Effects& fx);
    void take(const Self& self, SiteId from, const Frame& frame, Effects& fx);
    void take(const Self& self, SiteId from, const Alive& alive, Effects& fx);
    void take(const Self& self, SiteId from, const Learn& learn, Effects& fx);
    void handle(const Self& self, SiteId from, const Frame& frame, Effects& fx);
    std::optional<std::string> objection_to(const Self& self, SiteId from, const Message& message) const;
    std::optional<std::string> objection_to(const Self& self, SiteId from, const Frame& frame) const;
    std::optional<std::string> objection_to_due(const Self& self, SiteId from, const Frame& frame) const;
    static std::uint64_t weight_of(const Frame& frame);

    // Views.
    void see(const Self& self, const agreement::Value& value, Effects& fx);
    void forget_erring(const agreement::Value& value);
    void judge_adopted(const Self& self, const AgreedView& view, Effects& fx);
    void try_report(const Self& self, Effects& fx);
    void try_complete(const Self& self, Effects& fx);
    void add_fences(agreement::Holdings& locks) const;
    void begin_epoch(const Self& self, Effects& fx);
    void refute(const Self& self, const agreement::Claim& claim, Effects& fx);
    void begin_life(const Self& self, Effects& fx);
    void carry_over(const Self& self, const Request& request, Effects& fx);
    void part();

    // Leases, and the register.
    void renew(const Self& self, Ticks age);
    void pass_lease(const Self& self, Effects& fx);
    void pass_hold_offs(const Self& self, Effects& fx);
    void pass_silence(const Self& self, bool late, Effects& fx);
    std::optional<agreement::Change> wanted_change(const Self& self) const;
    bool let_out(agreement::Change& change) const;
    std::optional<agreement::Change> entry(const Self& self) const;
    std::optional<agreement::Change> exit(const Self& self) const;
    std::optional<agreement::Change> removal(const Self& self) const;
    template <class Lost>
    agreement::Change without(const Self& self, const agreement::Settings& settings, Lost lost) const;
    std::optional<agreement::Change> resettling(const Self& self) const;
    std::optional<agreement::Change> renewal(const Self& self) const;
    void weigh(const Self& self);
    bool works_in_newest() const;
    bool stays_quiet(const agreement::Change& change) const;
    bool is_member(const Self& self, const agreement::Value& value) const;
    Hearing::Here here(const Self& self) const;
    void tell_misses(const Self& self, Effects& fx, bool also_unchanged = false);
    bool is_lost(const Self& self, SiteId member) const;
    static Ticks report_patience(const Self& self);
    bool holds_up(const Self& self, SiteId member) const;

    // Requests of programs.
    std::vector<std::optional<Request>> requests_;  // by id
    std::set<RequestId> free_ids_;                  // of these, the empty ones
    std::set<RequestId> withheld_;                  // complete, and their programs do not know it
    std::set<RequestId> sticky_;                    // complete, and kept by the register or to be kept
    std::set<agreement::ValueId> disowned_;         // to be given back, though nobody here holds them
    std::uint32_t numbered_ = 0;                    // sticky requests of this life
    std::map<Key, RequestId> ids_;
    Locks locks_;
    boost::container::flat_map<ResourceId, Semaphore> semaphores_;
    std::set<ResourceId> unsettled_;  // semaphores with something to settle
    agreement::Settings settings_;    // of the epoch
    std::size_t kept_weight_ = 0;     // with which the epoch began, if that is much
    bool numbers_run_out_ = false;    // those of the fences of the epoch
    // Views and leases.
    std::uint32_t life_ = 0;
    Views views_;
    agreement::Value known_;      // the newest value that was returned or learned
    std::optional<Ticks> asked_;  // ticks since the call that is under way
    Ticks lease_left_ = 0;
    boost::container::flat_map<Peer, Ticks> missing_;  // removed members: ticks of their hold-offs
    std::optional<Ticks> first_seen_;                  // ticks since the first view of this life
    Hearing hearing_;
    std::vector<SiteId> told_misses_;              // members that it misses, as the others know
    Ticks awaited_ = 0;                            // ticks since the report to the newest view
    std::set<SiteId> unwanted_;                    // to be removed, as somebody says
    std::optional<agreement::Settings> proposed_;  // instead of the newest ones
    boost::container::flat_map<Peer, Misdeed> erring_;
    std::optional<std::uint32_t> frame_lost_in_;  // that view: the frame may have carried a token
    boost::container::flat_map<SiteId, std::uint64_t> early_bytes_;  // of the messages that are kept
    std::set<Peer> certified_;  // members, or removed ones, that are gone with all their programs
    Ticks renewed_ = 0;         // ticks since the last question, if it is answered
    Ticks beat_ = 0;            // ticks since the last signs of life
    bool knows_programs_ = true;
    bool leaving_ = false;
    bool stays_ = false;

    BOOST_DESCRIBE_CLASS(Host, (), (), (),
                         (requests_, free_ids_, withheld_, sticky_, disowned_, numbered_, ids_, locks_,
                          semaphores_, unsettled_, settings_, kept_weight_, numbers_run_out_, life_, views_,
                          known_, asked_, lease_left_, missing_, first_seen_, hearing_, told_misses_,
                          awaited_, unwanted_, proposed_, erring_, frame_lost_in_, early_bytes_, certified_,
                          renewed_, beat_, knows_programs_, leaving_, stays_))
};

}  // namespace allot::host
