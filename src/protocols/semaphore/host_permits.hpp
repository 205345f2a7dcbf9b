// Permits per host: at most k units are held at any time by any number of programs on a fixed group of hosts
// (specs: kinds, section 4). Views over it (agreement/views_permits.hpp) let hosts come, go and die.
//
// One site stands for a whole host, with one clock and a seat for each of its programs. A seat that asks
// takes a stamp and the host asks all other hosts. A host whose seats hold, or wait and asked earlier, owes
// the answer until they let go. So hosts answer hosts, and never seats: a permission covers the seats that
// its sender opens later, too, because their stamps exceed its clock. With one seat per host this is the
// algorithm of `permits` without start-up, crashes and detectors.
//
// Where a host may have more than one unit in use, one that owes an answer says how many units go first, and
// says it again when they become fewer. A seat may enter when its own units and all that may go first fit
// into k together.
//
// The application has seat 0. The other seats stand for programs that act by themselves: a timer lets each of
// them ask, and let go. Their grants reach nobody; properties look at the seats.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "core/protocol.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/semaphore/permits.hpp"

namespace allot {

namespace host_permits {

// A number, or one for each host or view, the last for all further ones: `2,1,0`.
struct Counts {
    std::vector<std::uint32_t> counts{1};

    static Result<Counts> parse(std::string_view name, std::string_view text);
    std::string text() const;
    std::uint32_t of(std::uint32_t place) const {
        return place < counts.size() ? counts[place] : counts.back();
    }
    bool operator==(const Counts&) const = default;
};
BOOST_DESCRIBE_STRUCT(Counts, (), (counts))

// The next act of the program in the second, third or fourth seat.
enum class Act : std::uint8_t { second, third, fourth };
BOOST_DESCRIBE_ENUM(Act, second, third, fourth)

struct Seat {
    Phase phase = Phase::idle;
    std::uint32_t units = 0;
    Stamp stamp;  // of its request
    std::optional<agreement::Birth> birth;
    boost::container::flat_map<SiteId, std::uint32_t> bounds;  // units that go first at other hosts, if known
    std::uint32_t requests_left = 0;                           // of a program that acts by itself
    bool acted = false;  // as above: it asks, or lets go, and the site has not been told
    bool operator==(const Seat&) const = default;
};
BOOST_DESCRIBE_STRUCT(Seat, (), (phase, units, stamp, birth, bounds, requests_left, acted))

// A request of another host that has not been answered.
struct Debt {
    SiteId host = 0;
    Stamp stamp;
    auto operator<=>(const Debt&) const = default;
};
BOOST_DESCRIBE_STRUCT(Debt, (), (host, stamp))

}  // namespace host_permits

class HostPermits {
public:
    static const Model<HostPermits, permits::FencesGrowInOrder> model;
    static constexpr std::array<std::string_view, 9> probes{
        "deferred-again", "late-defer",    "carried-twice", "carried-debt",   "carried-bound",
        "entry-at-thaw",  "let-go-frozen", "asked-frozen",  "refused-at-thaw"};

    struct Config {
        // Each is a row of section 4.5.
        struct Repairs {
            bool clear_permissions = true;
            bool drop_permissions = true;
            bool raise_clock = true;
            bool count_users = true;
            bool keep_debts = true;
            bool enter_at_once = true;
            bool keep_bounds = true;
            bool order_by_birth = true;
            bool keep_birth = true;
            bool bound_all_seats = true;
            bool defer_again = true;
            bool view_permits = true;
            bool keep_users = true;
            bool refuse_large = true;
            static constexpr Meaning meanings[]{
                {"clear_permissions",
                 "S1: a new epoch, whose stamps start again, begins without permissions"},
                {"drop_permissions",
                 "a waiting seat forgets its permissions at the end of an epoch; to keep "
                 "them is right, too"},
                {"raise_clock", "S2: the clocks of an epoch begin after the stamps that it gives"},
                {"count_users", "S3: as above, and users have stamps, too"},
                {"keep_debts", "S6: a new epoch knows the answers that are owed"},
                {"enter_at_once", "S6: a seat that may enter does so when the epoch begins"},
                {"keep_bounds", "S7: a new epoch knows how many units go first"},
                {"order_by_birth",
                 "S8: requests keep their order by epoch and stamp, not by the newest stamp"},
                {"keep_birth",
                 "S9: as above, by the epoch and stamp in which they were made, not the newest"},
                {"bound_all_seats", "S10: a host that has not answered may use units for all its seats"},
                {"defer_again", "S10: a host says again how many units go first when they become fewer"},
                {"view_permits", "k is that of the view, not the one with which a host began"},
                {"keep_users", "a rebuild counts all users, also if they exceed a lower k"},
                {"refuse_large", "a request that waits for more than a lower k is refused"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (clear_permissions, drop_permissions, raise_clock, count_users, keep_debts,
                                  enter_at_once, keep_bounds, order_by_birth, keep_birth, bound_all_seats,
                                  defer_again, view_permits, keep_users, refuse_large),
                                 (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t permits = 1;
        std::uint32_t max_request = 1;
        std::uint32_t seats = 1;
        host_permits::Counts seat_requests;
        std::uint32_t seat_units = 1;
        host_permits::Counts resize{{0}};
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"permits", "number of permits, k: the maximum of units that are held at once"},
            {"max_request", "maximum of units of one request"},
            {"seats", "number of programs on each host; the first is the application"},
            {"seat_requests",
             "requests of each further program: a number, or 2,1,0 (by host, the last for the rest)"},
            {"seat_units", "units of each of these requests"},
            {"resize", "with views: permits in view 1, 2 and so on, the last for the rest; 0: as at first"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, permits, max_request, seats, seat_requests, seat_units, resize, repairs),
                             (), ())

        // The units that may go first at a host which has not said how many.
        std::uint32_t unknown() const;
        std::uint32_t permits_in(std::uint32_t view) const;
        // The largest number of permits in any view.
        std::uint32_t most_permits() const;
    };
    static std::optional<std::string> config_error(const Config& config);

    struct Request {
        Stamp stamp;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (stamp), (), ())
    };
    struct Reply {
        Stamp stamp;  // permits every request of the receiver up to this stamp
        bool operator==(const Reply&) const = default;
        BOOST_DESCRIBE_CLASS(Reply, (), (stamp), (), ())
    };
    struct Defer {
        Stamp stamp;
        std::uint32_t units = 0;  // that go first at the sender
        bool operator==(const Defer&) const = default;
        BOOST_DESCRIBE_CLASS(Defer, (), (stamp, units), (), ())
    };
    using Message = std::variant<Request, Reply, Defer>;
    using Timer = host_permits::Act;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Defer& defer, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx) { release(ctx, fx); }
    void timeout(const Context& ctx, Timer act, Effects& fx);
    Phase phase() const { return seats_.empty() ? Phase::idle : seats_.front().phase; }

    // Why a message from outside cannot have come to this site, beyond message_error (core/model.hpp), which
    // knows neither the receiver nor its state.
    std::optional<std::string> objection(const Context& ctx, const Message& message) const;

    // The programs beside the application: one acts, and the site hears of it later (settle); all that hold
    // are stopped.
    void wake(Timer act) { seats_[seat_of(act)].acted = true; }
    void settle(const Context& ctx, Effects& fx);
    void stop_programs(Effects& fx);

    // Recovery (agreement/recovery.hpp).
    agreement::Holdings holdings(const Context& ctx) const;
    static HostPermits rebuild(const Context& ctx, const agreement::Before<HostPermits>& before,
                               std::span<const agreement::Claim> all, Effects& fx);
    static Config among(const Config& config, std::uint32_t sites, std::uint32_t view);
    void forget_epoch(const Config& config);
    void abandon() { seats_.front() = {}; }
    static constexpr bool has_seats = true;
    static constexpr bool keeps_queues = true;

    const std::vector<host_permits::Seat>& seats() const { return seats_; }
    // Requests that are not answered yet: of all other hosts, and of this one. A host that enters by bounds
    // asks again and again while a single unit here stays in use, so their number has no bound of its own.
    std::size_t debts() const { return debts_.size(); }
    std::size_t debts_to(SiteId host) const {
        const auto first = debts_.lower_bound({host, Stamp()});
        return static_cast<std::size_t>(debts_.lower_bound({host + 1, Stamp()}) - first);
    }
    // For a host that drives its programs itself: as many seats as it needs, each with a request of a
    // program. A seat that enters is `holding` afterwards.
    void open(std::size_t seat) { seats_.resize(std::max(seats_.size(), seat + 1)); }
    void ask(const Context& ctx, std::size_t seat, std::uint32_t units, Effects& fx);
    void let_go(const Context& ctx, std::size_t seat, Effects& fx);

    static std::vector<Demand> demands(const Context& ctx);
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    static void sample(Draw& draw);
    static void on_state(const View<HostPermits>& view, Report& report);

    bool operator==(const HostPermits&) const = default;

private:
    using Claim = agreement::Claim;
    using Seat = host_permits::Seat;
    using Before = agreement::Before<HostPermits>;
    friend struct HostPermitsProperties;

    static std::size_t seat_of(Timer act) { return static_cast<std::size_t>(act) + 1; }
    static Timer act_of(std::size_t seat) { return static_cast<Timer>(seat - 1); }

    void await_act(std::size_t seat, Effects& fx) const;

    // Own units that hold, and those that wait with an earlier stamp.
    struct Ahead {
        std::uint32_t held = 0;
        std::vector<std::pair<Stamp, std::uint32_t>> waiting;  // the earliest first, with all units up to it
        std::uint32_t of(SiteId self, SiteId host, Stamp stamp) const;
    };

    // Answering.
    std::uint32_t held() const;
    Ahead ahead() const;
    std::vector<std::uint32_t> blockers_of_debts(const Context& ctx) const;
    void pay_debts(const Context& ctx, const std::vector<std::uint32_t>& before, Effects& fx);

    // Entering.
    std::uint64_t others_ahead(const Context& ctx, const Seat& seat) const;
    std::vector<std::size_t> waiting_seats() const;
    void enter(const Context& ctx, Effects& fx);

    // Recovery.
    static std::vector<Claim> fitting(const Config& config, std::span<const Claim> claims);
    void refuse_large(const Context& ctx, std::span<const Claim> claims, Effects& fx) const;
    void take_seats(const Context& ctx, const HostPermits& before, std::span<const Claim> claims);
    void take_permissions(const Context& ctx, const Before& before, std::span<const Claim> claims);
    void take_debts(const Context& ctx, std::span<const Claim> claims);
    void reach_probes(const Context& ctx, std::span<const Claim> claims, Effects& fx) const;

    Stamp clock_;                                          // the highest stamp seen
    boost::container::flat_map<SiteId, Stamp> permitted_;  // the highest own stamp that each host permits
    boost::container::flat_set<host_permits::Debt> debts_;
    std::vector<Seat> seats_;

    BOOST_DESCRIBE_CLASS(HostPermits, (), (), (), (clock_, permitted_, debts_, seats_))
};

}  // namespace allot
