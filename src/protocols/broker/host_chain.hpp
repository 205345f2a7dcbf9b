// The ordered chain per host: any number of programs on a group of hosts take devices, any number at once
// (specs: kinds, section 3). Views over it (agreement/views_devices.hpp) let hosts come, go and die.
//
// One site stands for a whole host. It is the home of devices, each with a line of requests (line.hpp), and
// it speaks for its programs, each of which has a seat. A device is bound to a host, its home, or it floats:
// then its home follows from its name and the number of hosts. A request goes to the home of the smallest of
// its devices; from each, when it is first in line there, to the home of the next larger one; and the last
// one tells the host of the program. So a host talks only to those whose devices are asked for. Messages
// between devices and programs of one host are handled at once, and nobody sends them.
//
// A device that is bound to a host which is no member is lost. A request for it fails. A program that uses it
// already remains its user: if the host comes back before the program lets go, no other gets the device.
//
// The fence of a device is the number of requests that were first in its line in this epoch. A request
// collects the fences of its devices on its way.
//
// The application has seat 0. The other seats stand for programs that act by themselves: a timer lets each of
// them ask, and let go. Their grants reach nobody; properties look at the seats.
#pragma once

#include <array>
#include <boost/container/flat_map.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "core/protocol.hpp"
#include "protocols/agreement/recovery.hpp"
#include "protocols/broker/group.hpp"
#include "protocols/broker/line.hpp"
#include "protocols/semaphore/host_permits.hpp"

namespace allot {

namespace host_chain {

using Devices = std::vector<ResourceId>;

// The hosts of bound devices, `r0:2,r1:0` or `none`; `r0:-` is bound to a host that is no member.
struct Bindings {
    boost::container::flat_map<ResourceId, std::optional<SiteId>> hosts;

    static Result<Bindings> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const Bindings&) const = default;
};
BOOST_DESCRIBE_STRUCT(Bindings, (), (hosts))

struct Seat {
    Phase phase = Phase::idle;
    OwnId request;                    // the newest
    Devices wanted;                   // in the caller's order
    Devices lost;                     // of these: their hosts are no members, and the program has been told
    std::uint32_t requests_left = 0;  // of a program that acts by itself
    bool acted = false;               // as above: it asks, or lets go, and the site has not been told
    bool operator==(const Seat&) const = default;
};
BOOST_DESCRIBE_STRUCT(Seat, (), (phase, request, wanted, lost, requests_left, acted))

struct QueuedRequest {
    OwnId request;
    Devices further;            // after this one, ascending
    std::vector<Fence> fences;  // of those before this one
    bool operator==(const QueuedRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueuedRequest, (), (request, further, fences))

struct Line : chain::Line<QueuedRequest> {
    Fence newest;
    bool operator==(const Line&) const = default;
};
BOOST_DESCRIBE_STRUCT(Line, (chain::Line<QueuedRequest>), (newest))

}  // namespace host_chain

class HostChain {
public:
    static const Model<HostChain, FencesGrow> model;
    static constexpr std::array<std::string_view, 7> probes{
        "late-grant", "cancel-follows", "asked-again", "told-lost", "got-back", "refused-lost", "kept-lost"};

    struct Config {
        struct Repairs {
            bool ascending = true;
            bool pass_cancel = true;
            bool count_grants = true;
            bool keep_users = true;
            bool report_lost = true;
            bool ask_again = true;
            bool fail_lost = true;
            static constexpr Meaning meanings[]{
                {"ascending", "a request takes its devices in the order of their names, not in its own"},
                {"pass_cancel", "a cancellation follows its request from device to device"},
                {"count_grants", "a device gives each request that is first in its line a larger fence"},
                {"keep_users", "B1: a new epoch begins with the users of devices in line, wherever that is"},
                {"report_lost", "B3: a program that uses a lost device is reported as its user"},
                {"ask_again", "B4: a request that waits is made again in a new epoch"},
                {"fail_lost", "a request for a lost device fails; it does not wait for its host"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (ascending, pass_cancel, count_grants, keep_users, report_lost, ask_again,
                                  fail_lost),
                                 (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t resources = 2;
        std::uint32_t min_request = 1;
        std::uint32_t max_request = 0;
        broker::Wants wants;
        host_chain::Bindings bound;
        std::uint32_t seats = 1;
        host_permits::Counts seat_requests;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"resources", "number of devices, r0, r1 and so on"},
            {"min_request", "minimum of devices of one request"},
            {"max_request", "maximum of devices of one request; 0: any number"},
            {"wants",
             "the demands of programs: all, ring, cycle, or a list as in r0,r1/r1 (by host: r0,r1;r1;r0)"},
            {"bound", "the hosts of bound devices, r0:2,r1:0 (r0:- is lost); the others float"},
            {"seats", "number of programs on each host; the first is the application"},
            {"seat_requests",
             "requests of each further program: a number, or 2,1,0 (by host, the last for the rest)"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, resources, min_request, max_request, wants, bound, seats, seat_requests,
                              repairs),
                             (), ())

        // The place of the host at which a device lives; nothing: it is lost.
        std::optional<SiteId> home(ResourceId device) const;
        host_chain::Devices lost(const host_chain::Devices& devices) const;
        // For the laboratory: the same as a group of the broker, with a client for each host.
        broker::Group group() const;
    };
    // A request that finds all its devices at one host passes them in one step, so their number is bounded.
    static constexpr broker::Manner manner{.most = 64};
    static std::optional<std::string> config_error(const Config& config);

    // A request goes to the home of this device.
    struct Acquire {
        ResourceId device;
        host_chain::QueuedRequest request;
        bool operator==(const Acquire&) const = default;
        BOOST_DESCRIBE_CLASS(Acquire, (), (device, request), (), ())
    };
    struct Grant {
        OwnId request;
        std::vector<Fence> fences;  // of its devices, ascending
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (request, fences), (), ())
    };
    struct Done {
        ResourceId device;
        OwnId request;
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (device, request), (), ())
    };
    struct Cancel {
        ResourceId device;
        OwnId request;
        bool operator==(const Cancel&) const = default;
        BOOST_DESCRIBE_CLASS(Cancel, (), (device, request), (), ())
    };
    using Message = std::variant<Acquire, Grant, Done, Cancel>;
    using Timer = host_permits::Act;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Cancel, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Acquire& acquire, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Grant& grant, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Cancel& cancel, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void cancel(const Context& ctx, Effects& fx) { release(ctx, fx); }
    void timeout(const Context& ctx, Timer act, Effects& fx);
    Phase phase() const { return seats_.empty() ? Phase::idle : seats_.front().phase; }

    // Why a message from outside cannot have come to this site, beyond message_error (core/model.hpp), which
    // knows neither the receiver nor its state.
    std::optional<std::string> objection(const Context& ctx, SiteId from, const Message& message) const;

    // The programs beside the application: one acts, and the site hears of it later (settle); all that hold
    // are stopped.
    void wake(Timer act) { seats_[seat_of(act)].acted = true; }
    void settle(const Context& ctx, Effects& fx);
    void stop_programs(Effects& fx);

    // Recovery (agreement/recovery.hpp).
    agreement::Holdings holdings(const Context& ctx) const;
    static HostChain rebuild(const Context& ctx, const agreement::Before<HostChain>& before,
                             std::span<const agreement::Claim> claims, Effects& fx);
    static Config among(const Config& config, const std::vector<Peer>& members, std::uint32_t view);
    void forget_epoch(const Config& config);
    void abandon() { seats_.front() = {}; }
    static constexpr bool has_seats = true;
    static constexpr bool keeps_queues = false;

    const std::vector<host_chain::Seat>& seats() const { return seats_; }
    // For a host that drives its programs itself: as many seats as it needs, each with a request of a
    // program. A seat whose request is granted is `holding` afterwards. `ask` returns why it fails at once.
    // After a rebuild a seat says which of its devices are lost. Seat 0, if it waits, is not asked for again
    // by a rebuild.
    void open(std::size_t seat) { seats_.resize(std::max(seats_.size(), seat + 1)); }
    std::optional<std::string> ask(const Context& ctx, std::size_t seat, const host_chain::Devices& wanted,
                                   Effects& fx);
    void let_go(const Context& ctx, std::size_t seat, Effects& fx);

    static std::vector<Demand> demands(const Context& ctx);
    static Demand draw_demand(const Context& ctx, Random& random);
    static std::optional<std::string> demand_error(const Config& config, const Demand& demand);
    static std::optional<std::string> unlisted(const Config& config);
    static void sample(Draw& draw);
    static void on_state(const View<HostChain>& view, Report& report);

    bool operator==(const HostChain&) const = default;

private:
    using Claim = agreement::Claim;
    using Seat = host_chain::Seat;
    using Line = host_chain::Line;
    using Devices = host_chain::Devices;
    friend struct HostChainProperties;

    static std::size_t seat_of(Timer act) { return static_cast<std::size_t>(act) + 1; }
    static Timer act_of(std::size_t seat) { return static_cast<Timer>(seat - 1); }
    void await_act(std::size_t seat, Effects& fx) const;
    void ask_or_wait(const Context& ctx, std::size_t seat, const Devices& wanted, Effects& fx);

    template <class One>
    void pass(const Context& ctx, std::optional<SiteId> to, const One& message, Effects& fx);
    // Serves the first in line.
    auto serving(const Context& ctx, Line& line, Effects& fx);

    // Recovery.
    void take_users(const Context& ctx, std::span<const Claim> claims);
    void take_seats(const Context& ctx, const HostChain& before, std::span<const Claim> claims, Effects& fx);

    Stamp clock_;  // of the newest request of this host
    std::vector<Seat> seats_;
    std::map<ResourceId, Line> lines_;  // of the devices at home here that were asked for in this epoch

    BOOST_DESCRIBE_CLASS(HostChain, (), (), (), (clock_, seats_, lines_))
};

}  // namespace allot
