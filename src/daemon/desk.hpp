// The programs' side of the daemon: it passes what programs say to the sessions of the member, and carries
// out what these answer. It watches processes, sets alarms, writes the audit log, and lets the guardian know.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "daemon/alarms.hpp"
#include "daemon/auditor.hpp"
#include "daemon/config.hpp"
#include "daemon/connections.hpp"
#include "daemon/wards.hpp"
#include "host/member.hpp"
#include "host/turns.hpp"
#include "net/process_watch.hpp"

namespace allot::daemon {

class Desk {
public:
    // The ways to the member.
    struct Ways {
        std::function<void(const session::Order&, const host::Caller& by,
                           std::function<void(const session::OrderAnswer&)> done)>
            obey;
        std::function<void()> wake;  // the time of the member is that of the clock afterwards
        std::function<host::Member::Self()> self;
        std::function<void(host::Member::Effects&)> carry_out;
        std::function<void(bool whole, const StatusReader&, std::function<void(const session::Status&)>)>
            status;
    };

    Desk(boost::asio::io_context& loop, const Config& config, host::Member& member, Ways ways);

    // The error, if there is one.
    std::optional<std::string> open();
    void note(const std::string& event, const std::string& reason = "") { auditor_.note(event, reason); }
    void note_order(const std::string& user, const session::Held& resource, const std::string& order) {
        auditor_.ordered(user, resource, order);
    }
    // Programs of an earlier daemon, for `adopt` when the host has started.
    std::vector<Wards::Ward> taken_over() { return wards_.taken_over(); }
    void adopt(std::vector<Wards::Ward> wards, host::Member::Effects& fx);
    void set_testament(guardian::Testament testament) { wards_.set_testament(std::move(testament)); }
    // False if programs may run that nobody knows.
    bool knows_all() const { return wards_.knows_all(); }

    void accept(net::StreamPtr stream) { connections_.accept(std::move(stream)); }
    void close_revoked(const net::TlsPtr& tls) { connections_.close_revoked(tls); }
    void close_all() { connections_.close_all(); }
    bool holds_anything() const;
    // Nobody is served any more.
    void end_all();
    // The holder of the lock with this fence, if it is here, must stop and give it back. True if it is here.
    bool evict(const std::string& lock, std::uint64_t fence, const std::string& why);
    // The caller gives back what its programs left behind; the number of requests.
    std::size_t return_left(const std::string& resource, const host::Caller& by);
    std::string owner_of(const host::Caller& caller) const {
        return host::Sessions::owner_of(ways_.self().config.sessions, caller);
    }

    const Config& config() const { return config_; }
    // The rights of a reader without a session.
    StatusReader reader(const net::Identity& identity) {
        return connections_.reader(connections_.caller(identity));
    }
    // The rules and the patterns of secrets have changed.
    void reconsider();

    // Programs that must stop do so by the deadline as it is now: to be called before that moves on.
    void stop_lost(const host::Member::Effects& fx);
    void renew(BootClock::time_point deadline, std::uint32_t keeper) { wards_.renew(deadline, keeper); }
    void tell(host::Member::Effects& fx);
    // Does what is due.
    void pass_time();
    std::optional<Alarms::Clock::time_point> next_alarm() const { return alarms_.next(); }

    std::size_t connected() const { return connections_.count(); }
    std::uint64_t grants() const { return grants_; }
    // Why something cannot be kept as it should; empty if all is well.
    std::string trouble() const;

private:
    template <class Action>
    void converse(Action&& action);
    Connections::Events events();
    std::optional<std::string> hello(host::Caller caller, session::Hello hello,
                                     const std::function<void(SessionId)>& let_in);
    void hear(SessionId session, const session::ClientMessage& message);
    void want_turn(SessionId session);
    void serve_soon();
    void serve();
    void serve(SessionId session);
    void obey(SessionId session, const session::Order& order);
    std::optional<std::string> follow(SessionId session, const net::Identity& who, session::Ticket ticket,
                                      Descriptor process);
    void note_evicted();
    void lose(const host::Key& key, const std::string& why);
    void note_unadopted(const std::string& why);
    void watch(const host::Key& key, Descriptor process);
    void watch_program(SessionId session);
    void guard(const host::Key& key);
    void begin(const host::ToProgram& told, const host::Session* session);
    void end(const host::ToProgram& told, const host::Session* session);
    std::string why_lost(const host::Ended& ended);
    void set_validity(session::DaemonMessage& message) const;

    boost::asio::io_context& loop_;
    const Config& config_;
    host::Member& member_;
    Ways ways_;
    Auditor auditor_;
    Wards wards_;
    Alarms alarms_;
    Connections connections_;
    // A message is heard at once, until this work is done; then all sessions have their turns, in slices with
    // other events in between.
    static constexpr host::Cost at_once = 256;
    host::Turns turns_;
    host::Cost work_ = 0;  // that was done in all,
    host::Cost free_until_ = at_once;
    bool serving_ = false;  // soon
    SessionId next_session_ = 1;
    std::uint64_t grants_ = 0;
    std::unique_ptr<host::Member::Effects> spare_;  // cleared, with the memory of earlier ones
    std::map<host::Key, std::unique_ptr<net::ProcessWatch>> followed_;
    std::map<SessionId, std::unique_ptr<net::ProcessWatch>> programs_;
    std::map<host::Key, std::string> losing_;  // leases that programs were told to give back, and why
};

}  // namespace allot::daemon
