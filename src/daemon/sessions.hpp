// The connected programs: reads their messages, passes them to the desk, and sends its answers. A program
// that ends releases all its leases at once, except those that follow a process.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/lease_book.hpp"
#include "daemon/permissions.hpp"
#include "net/log_once.hpp"
#include "net/loop.hpp"
#include "net/process_watch.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

// A session, connected or not.
struct SessionRecord {
    std::string name;  // to resume it by
    std::string user;
    std::string command;
    net::ProcessMark process;  // of the program; without a number if it is on another host
};
BOOST_DESCRIBE_STRUCT(SessionRecord, (), (name, user, command, process))

class Sessions {
public:
    // Calls back when the status is complete.
    using StatusQuery = std::function<void(bool whole, std::function<void(const session::Status&)>)>;
    // Why no more messages can be sent for this request now; empty if they can.
    using Congestion = std::function<std::string(const session::Acquire&)>;

    Sessions(boost::asio::io_context& loop, const Config& config, LeaseBook& desk, StatusQuery status,
             Congestion congestion);
    ~Sessions();

    void accept(net::StreamPtr stream);
    void say(Owner owner, const session::DaemonMessage& message);
    void close_all();

    std::uint32_t connected() const;
    // The owner of a lease, for the status.
    session::Party party(Owner owner) const;

    // Hears of each lease that follows a process from now on.
    using Followed = std::function<void(Owner, session::Ticket, const Descriptor& process)>;
    void set_followed(Followed followed) { followed_ = std::move(followed); }
    // Hears of each session that another process than before has resumed.
    using Moved = std::function<void(Owner)>;
    void set_moved(Moved moved) { moved_ = std::move(moved); }
    const SessionRecord* record(Owner owner) const;
    // A lease that an earlier daemon gave; its program may resume the session. It follows this process, if
    // there is one.
    void adopt(Owner owner, const SessionRecord& record, session::Ticket ticket, Descriptor process);

private:
    class Session;
    using Key = std::pair<Owner, session::Ticket>;

    void hello(const std::shared_ptr<Session>& session, const session::Hello& hello);
    // Why this session is refused, if it is.
    std::optional<std::string> objection_to(const net::Identity& who, bool resumed);
    std::optional<std::string> no_place_for(Owner owner) const;
    void greet(Session& session, Owner owner, bool resumed);
    void answer(Session& session, const session::ClientMessage& message);
    void acquire(Session& session, const session::Acquire& want);
    void follow(Session& session, const session::Follow& follow);
    void watch(const Key& key, const net::ProcessMark& mark, Descriptor process);
    void ended(const Key& key);
    void gone(const std::shared_ptr<Session>& session);
    void wait_for(Owner owner, std::chrono::milliseconds patience);
    void expect(Owner owner);
    void follower_ended(const Key& key);
    void release_absent(Owner owner);
    void forget_if_done(Owner owner);

    using Record = SessionRecord;
    // A process that a lease follows.
    struct Follower {
        net::ProcessMark mark;
        std::unique_ptr<net::ProcessWatch> watch;
    };
    // A program that may reconnect.
    struct Absence {
        explicit Absence(boost::asio::io_context& loop) : patience(loop) {}
        net::Timer patience;
        std::unique_ptr<net::ProcessWatch> watch;
    };

    boost::asio::io_context& loop_;
    const Config& config_;
    Permissions permissions_;
    LeaseBook& desk_;
    StatusQuery status_;
    Congestion congestion_;
    std::map<Owner, Record> records_;
    std::map<Owner, std::shared_ptr<Session>> connected_;
    std::deque<std::shared_ptr<Session>> strangers_;  // connected, but have not said hello; the oldest first
    net::LogOnce logged_;
    std::map<Key, Follower> followers_;
    Followed followed_ = [](Owner, session::Ticket, const Descriptor&) {};
    Moved moved_ = [](Owner) {};
    Owner next_owner_ = 1;
    std::map<Owner, std::unique_ptr<Absence>> absent_;
};

}  // namespace allot::daemon
