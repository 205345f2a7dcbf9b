// Programs whose leases outlive the daemon. The guardian keeps those that follow a process: it stops them
// when the lease of this host ends, and gives them to the next daemon. All others stop by themselves in time;
// the next daemon finds them in the ledger, which lies in the memory of the guardian.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/lease_book.hpp"
#include "daemon/ledger.hpp"
#include "daemon/sessions.hpp"
#include "guardian/link.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class Wards {
public:
    struct Ward {
        LeaseBook::Lease lease;
        SessionRecord session;
        Descriptor command;  // that the lease follows; empty if it follows the session
    };

    // `refused`: the guardian cannot keep this lease.
    using Refused = std::function<void(Owner, session::Ticket, const std::string& why)>;
    Wards(boost::asio::io_context& loop, const Config& config, Refused refused)
        : config_(config), refused_(std::move(refused)), readable_(loop), retry_(loop) {}
    ~Wards();
    Wards(const Wards&) = delete;
    Wards& operator=(const Wards&) = delete;

    // Connects to the guardian, or starts it. The error, if there is one.
    std::optional<std::string> open();
    // The programs of the daemon before this one, and the incarnation of the host under which they ran.
    std::vector<Ward> taken_over();
    std::uint32_t keeper() const { return static_cast<std::uint32_t>(link_->keeper()); }
    // False if programs may run that are not among them.
    bool knows_all() const { return knows_all_; }

    // Until when programs may run, whichever daemon said so.
    BootClock::time_point deadline() const { return link_->deadline(); }
    // Programs may run until then, under the lease of this incarnation.
    void renew(BootClock::time_point deadline, std::uint32_t keeper);

    // A lease begins. When this returns, the next daemon can know of it.
    void begin(const LeaseBook::Lease& lease, const SessionRecord& session);
    // Another process has the session of a lease now.
    void move(const LeaseBook::Lease& lease, const SessionRecord& session);
    void follow(const LeaseBook::Lease& lease, const SessionRecord& session, const Descriptor& process);
    // A lease is lost: its program has stopped by the deadline as it is now. To be called before that moves
    // on; the end of the lease follows.
    void stop(Owner owner, session::Ticket ticket);
    // A lease has ended; if it was lost, its program is stopped.
    void end(const LeaseBook::Lease& lease, bool was_lost);
    // Why there is no guardian; empty if there is one.
    const std::string& problem() const { return problem_; }

private:
    static guardian::ChargeId id_of(const LeaseBook::Lease& lease) { return {lease.owner, lease.ticket}; }
    std::optional<Ward> taken_over(guardian::Charge charge);
    std::optional<Ward> taken_over(const Ledger::Note& note);
    bool can_serve(const LeaseBook::Lease& lease) const;
    void inherit_stranger();
    void write(const LeaseBook::Lease& lease, const SessionRecord& session);
    void erase(const guardian::ChargeId& id);
    void erase_moved();
    void count_strangers();
    void wait();
    void wait_for_room();
    void read();
    void begin_again(const std::string& why);
    void try_again();

    const Config& config_;
    Refused refused_;
    std::unique_ptr<guardian::Link> link_;
    boost::asio::posix::stream_descriptor readable_;
    bool awaits_room_ = false;
    net::Timer retry_;
    std::string problem_;
    bool knows_all_ = false;
    std::uint64_t leases_ = 0;  // granted now
    std::map<guardian::ChargeId, guardian::Charge> charges_;
    Ledger ledger_;
    std::map<guardian::ChargeId, Ledger::Place> entries_;
    std::vector<guardian::ChargeId> moving_;  // entries that go when the guardian has their charges
    std::uint64_t inherited_ = 0;             // strangers of the earlier daemon, until the keeper is this one
    std::string bytes_;
    BootClock::time_point deadline_{};
    std::uint32_t keeper_ = 0;
};

}  // namespace allot::daemon
