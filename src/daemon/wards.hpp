// Programs whose leases outlive the daemon. The guardian keeps those that follow a process: it stops them
// when the lease of this host ends, and gives them to the next daemon. All others stop by themselves in time;
// the next daemon finds them in the ledger, which lies in the memory of the guardian.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/ledger.hpp"
#include "daemon/receipts.hpp"
#include "guardian/link.hpp"
#include "host/sessions.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class Wards {
public:
    struct Ward {
        host::Lease lease;
        Descriptor command;  // that the lease follows, if it follows one
    };

    struct Events {
        // The guardian cannot keep this lease.
        std::function<void(const host::Key&, const std::string& why)> refused;
        // An earlier daemon has left something that is not adopted.
        std::function<void(const std::string& why)> unadopted;
    };
    Wards(boost::asio::io_context& loop, const Config& config, Events events)
        : config_(config), events_(std::move(events)), readable_(loop), retry_(loop) {}
    ~Wards();
    Wards(const Wards&) = delete;
    Wards& operator=(const Wards&) = delete;

    // Connects to the guardian, or starts it. The error, if there is one.
    std::optional<std::string> open();
    // The programs of the daemon before this one, as far as their leases have receipts, and the incarnation
    // of the host under which they ran.
    std::vector<Ward> taken_over();
    std::uint32_t keeper() const { return static_cast<std::uint32_t>(link_->keeper()); }
    // False if programs may run that are not among them.
    bool knows_all() const { return knows_all_; }

    // Until when programs may run, whichever daemon said so.
    BootClock::time_point deadline() const { return link_->deadline(); }
    // Programs may run until then, under the lease of this incarnation.
    void renew(BootClock::time_point deadline, std::uint32_t keeper);

    // A lease begins. When this returns, the next daemon can know of it.
    void begin(const host::Request& lease, const host::Session& session);
    // Another process has the session of a lease now, or it must give the lease back: the note says so.
    void rewrite(const host::Request& lease, const host::Session& session);
    // The guardian has the lease, or will have it.
    bool guards(const host::Key& key) const { return charges_.contains(id_of(key)); }
    // The guardian keeps the lease of a program that it may stop, or, with a process, the one that follows
    // it. Why it cannot, if so. A program that has ended needs no guardian.
    std::optional<std::string> follow(const host::Request& lease, const host::Session& session,
                                      const Descriptor& process);
    // The guardian has told its program to stop, because the lease of this host is about to end.
    bool is_stopping(const host::Key& key) const;
    // A lease is lost: its program has stopped by the deadline as it is now. To be called before that moves
    // on; the end of the lease follows.
    void stop(const host::Key& key);
    // The same by order, which the next daemon knows as well.
    void evict(const host::Request& lease, const host::Session& session);
    // A lease has ended; if it was lost, its program is stopped.
    void end(const host::Key& key, bool was_lost);
    // The guardian certifies the end of this daemon and of all its programs, if it does not come back.
    void set_testament(guardian::Testament testament);
    // Why there is no guardian; empty if there is one.
    const std::string& problem() const { return problem_; }

private:
    static guardian::ChargeId id_of(const host::Key& key) { return {key.session, key.ticket}; }
    std::optional<std::string> connect();
    Result<host::Lease> lease_in(std::string_view record);
    std::optional<Ward> taken_over(guardian::Charge charge);
    std::optional<Ward> taken_over(const Ledger::Note& note);
    void inherit_stranger(const std::string& why);
    void write(const host::Request& lease, const host::Session& session);
    void erase(const guardian::ChargeId& id);
    bool is_asking(BootClock::time_point now) const;
    void note_asked();
    void kept(const guardian::ChargeId& id);
    void count_strangers();
    void wait();
    void wait_for_room();
    void read();
    void begin_again(const std::string& why);
    void try_again();

    const Config& config_;
    Events events_;
    Receipts receipts_;
    std::unique_ptr<guardian::Link> link_;
    boost::asio::posix::stream_descriptor readable_;
    bool awaits_room_ = false;
    net::Timer retry_;
    std::string problem_;
    bool knows_all_ = false;
    boost::unordered_flat_set<guardian::ChargeId> leases_;  // granted now
    std::map<guardian::ChargeId, guardian::Charge> charges_;
    Ledger ledger_;
    boost::unordered_flat_map<guardian::ChargeId, Ledger::Place> entries_;
    // Charges of which the guardian has not said that it keeps them. Until then their entries stay.
    std::set<guardian::ChargeId> unconfirmed_;
    std::uint64_t inherited_ = 0;  // strangers of the earlier daemon, until the keeper is this one
    std::string bytes_;
    std::optional<guardian::Testament> testament_;
    BootClock::time_point deadline_{};
    std::uint32_t keeper_ = 0;
    // Charges whose processes got SIGTERM before the deadline moved on, which came too late for some of them:
    // those that end before the former deadline.
    std::set<guardian::ChargeId> asked_;
    BootClock::time_point asked_until_{};
};

}  // namespace allot::daemon
