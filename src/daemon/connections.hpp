// The connections of programs: reads their messages, and writes what they are told. The sessions behind them
// are the member's (host/sessions.hpp).
//
// A message is heard at once if nobody waits to be heard, and otherwise when it is the turn of its session.
// While much of a program is unheard, or it leaves much unread, nothing more of it is read. All bytes that
// are under way, in both directions, count for its user: beyond the share of one user
// (Limits::most_under_way) the connection is closed.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "daemon/config.hpp"
#include "daemon/permissions.hpp"
#include "host/sessions.hpp"
#include "net/log_once.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

using host::SessionId;

class Connections {
public:
    struct Events {
        // Calls `let_in` before the program is told anything. Returns why it is refused, if it is.
        using LetIn = std::function<void(SessionId)>;
        std::function<std::optional<std::string>(host::Caller, const session::Hello&, const LetIn&)> hello;
        // Acquire, Release, Ping or StatusQuery.
        std::function<void(SessionId, const session::ClientMessage&)> said;
        // The descriptor may be missing. Returns why the session must end, if it must.
        std::function<std::optional<std::string>(SessionId, const net::Identity&, session::Ticket,
                                                 Descriptor process)>
            follow;
        std::function<void(SessionId)> disconnected;
        // Whether a message may be heard at once; otherwise it waits for `hear_next`.
        std::function<bool()> is_free;
        std::function<void(SessionId)> waits;
        // Whether the session holds or wants something.
        std::function<bool(SessionId)> has_requests;
    };

    Connections(boost::asio::io_context& loop, const Config& config, Events events);
    ~Connections();
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    void accept(net::StreamPtr stream);
    void say(SessionId session, const session::DaemonMessage& message);
    // The first message that waits, if there is one.
    void hear_next(SessionId session);
    bool has_unheard(SessionId session) const;
    std::size_t count() const { return connected_.size(); }
    host::Caller caller(const net::Identity& identity) { return permissions_.caller(identity); }
    StatusReader reader(const host::Caller& caller) const { return permissions_.reader(caller); }
    // The programs of all sessions with a connection, by rules that have changed.
    std::map<SessionId, host::Caller> callers();
    // Closes the connection of a session without a word.
    void drop(SessionId session);
    // Those of programs whose certificates have been revoked.
    void close_revoked(const net::TlsPtr& tls);
    void close_all();

private:
    class Connection;
    using Bytes = std::shared_ptr<std::size_t>;

    Bytes under_way_of(const net::Identity& who);
    std::optional<std::string> too_much_under_way(std::size_t of_user) const;
    void hello(const std::shared_ptr<Connection>& connection, const session::Hello& hello);
    void let_in(const std::shared_ptr<Connection>& connection, SessionId session);
    void hear(Connection& connection, const session::ClientMessage& message);
    void gone(const std::shared_ptr<Connection>& connection);

    boost::asio::io_context& loop_;
    const Config& config_;
    Permissions permissions_;
    Events events_;
    std::map<SessionId, std::shared_ptr<Connection>> connected_;
    std::deque<std::shared_ptr<Connection>> strangers_;  // have not said hello; the oldest first
    net::LogOnce logged_;
    // Bytes of messages that have come and are not heard, or are not sent yet.
    std::size_t under_way_ = 0;
    std::map<std::string, std::weak_ptr<std::size_t>> under_way_of_;  // users
};

}  // namespace allot::daemon
