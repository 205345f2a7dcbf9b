// allot, for programs: locks and permits that are shared with programs on other machines.
//
//     auto session = allot::client::Session::connect();
//     auto lease = session.acquire(allot::client::Demand().lock("db").permit("builds", 2), 30s);
//     write(row, lease.fence("db"));   // whoever stores refuses a fence smaller than one it has seen
//
// A Session is a connection with the daemon of this host. A Lease is what it granted; it is given back when
// the Lease goes out of scope. All functions may be called by several threads at once, and one thread may use
// a Session while others wait in it. Nothing here survives a fork().
//
// A thread that waits reads the connection itself. With its first request a session starts a thread of its
// own, which sleeps until the connection ends. Callbacks and coroutines run in that thread and must not block
// it.
//
// On its daemon's host a holder keeps a lock until it gives it back or its daemon ends, and hears of that. A
// permit is given to others, too, if the daemon is cut off or stopped, and so is everything that is held over
// a network that broke: see Lease::valid.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace allot::client {

// Goes on while the machine is suspended, as the clocks of those do that wait for what is held here.
struct Clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<Clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

// busy: others hold it (try_acquire says so by giving nothing). timed_out: not granted before the deadline.
// wrong: the demand makes no sense, or names what is not declared. forbidden: not for this user. unavailable:
// not now, and waiting does not help. limit: too many. unreachable: no daemon answers. lost: it was granted,
// and is held no longer.
enum class Code : std::uint8_t { busy, timed_out, wrong, forbidden, unavailable, limit, unreachable, lost };

// what() is one line for people.
class Failure : public std::runtime_error {
public:
    Failure(Code code, const std::string& reason) : std::runtime_error(reason), code_(code) {}
    Code code() const { return code_; }

private:
    Code code_;
};

// Until when somebody waits: a point in time, a duration from now, or, if nothing is said, without bound.
// Even then a daemon that is silent for Options::resume_within is given up.
class Deadline {
public:
    Deadline() = default;
    Deadline(Clock::time_point at) : at_(at) {}
    template <class Rep, class Period>
    Deadline(std::chrono::duration<Rep, Period> from_now) : at_(saturated(from_now)) {}

    Clock::time_point at() const { return at_; }
    bool never() const { return at_ == Clock::time_point::max(); }
    friend auto operator<=>(const Deadline&, const Deadline&) = default;

private:
    template <class Rep, class Period>
    static Clock::time_point saturated(std::chrono::duration<Rep, Period> from_now) {
        const auto now = Clock::now();
        const std::chrono::duration<double> room = Clock::time_point::max() - now;
        if (std::chrono::duration<double>(from_now) >= room) return Clock::time_point::max();
        return now + std::chrono::ceil<Clock::duration>(from_now);
    }

    Clock::time_point at_ = Clock::time_point::max();
};

// What is wanted, all of it together: first the locks as one set, then the permits by name.
class Demand {
public:
    struct Permit {
        std::string semaphore;
        std::uint32_t units = 1;
    };

    Demand& lock(std::string name) &;
    Demand&& lock(std::string name) &&;
    Demand& permit(std::string semaphore, std::uint32_t units = 1) &;
    Demand&& permit(std::string semaphore, std::uint32_t units = 1) &&;

    const std::vector<std::string>& locks() const { return locks_; }
    const std::vector<Permit>& permits() const { return permits_; }

    // Why nobody could grant this (nothing is asked for, a name is empty or there twice, no units); nothing
    // if it makes sense. acquire() refuses such a demand as wrong without asking the daemon.
    std::optional<std::string> objection() const;

private:
    std::vector<std::string> locks_;
    std::vector<Permit> permits_;
};

// One of the things that a lease holds. The fence of a lock only grows from holder to holder. That of a
// permit tells its holders apart.
struct Held {
    std::string name;
    std::uint64_t fence = 0;
};

struct Options {
    std::string address;  // `unix:/path`, `/path`, `tls:host:port`, `tcp:host:port`; empty: default_address()
    std::string command;  // what `allot status` shows; empty: the name of this program
    std::chrono::milliseconds connect_timeout{2000};
    // A connection that breaks (the daemon is restarted) is taken up again for so long; a daemon that is
    // silent is waited for no longer than this.
    std::chrono::milliseconds resume_within{10000};
    // tls: files in PEM, and the name that the daemon's certificate must bear. What is empty is taken from
    // $ALLOT_CERT, $ALLOT_KEY, $ALLOT_CA and $ALLOT_SERVER_NAME; without the last it is the host of the
    // address.
    std::string certificate;
    std::string key;
    std::string authority;
    std::string server_name;
};

// $ALLOT_SOCKET; else the daemon elsewhere (tls) that $ALLOT_AT names as host:port; else
// /run/allot/allot.sock if it is there; else $XDG_RUNTIME_DIR/allot/allot.sock if it is there; else
// /run/allot/allot.sock.
std::string default_address();

class Core;
struct Claim;

class Lease {
public:
    Lease() = default;  // holds nothing
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();

    // Whether it is held still, as far as the daemon has said. A lease with permits, or over TCP, is lost as
    // well if the daemon has given no sign of life for the time within which holders must stop: others may be
    // let in then. Waits only where the connection has ended, up to 100 ms, for another.
    bool valid() const;
    explicit operator bool() const { return valid(); }
    // As long as nothing else is heard it is held until then; without permits, over a Unix socket, for ever.
    Clock::time_point valid_until() const;

    const std::vector<Held>& held() const;
    std::uint64_t fence() const;                       // of the only thing held; std::logic_error if not one
    std::uint64_t fence(std::string_view name) const;  // std::logic_error if that is not held

    // Called once, with the reason, when the lease is lost; at once if it is lost already. Never called for a
    // lease that was given back.
    void on_lost(std::function<void(const std::string& reason)> call);
    // Why it was lost; empty if it was not.
    std::string lost_because() const;

    // From now on the lease lasts until this process is gone, too, even if this program dies before.
    // `process` is a child that was not waited for yet. Unix sockets only.
    void follow(int process);

    // Gives it back. Does not wait for the daemon.
    void release();

private:
    friend class Session;
    struct Owner;
    Lease(std::shared_ptr<Owner> owner, std::shared_ptr<Claim> claim);

    std::shared_ptr<Owner> owner_;
    std::shared_ptr<Claim> claim_;
};

// A lease, or why there is none.
class Outcome {
public:
    Outcome(Lease lease) : lease_(std::move(lease)) {}
    Outcome(Failure failure) : failure_(std::move(failure)) {}

    explicit operator bool() const { return !failure_; }
    const Failure& failure() const { return failure_.value(); }
    Lease lease() &&;  // throws the failure, if there is one

private:
    Lease lease_;
    std::optional<Failure> failure_;
};

class Session {
public:
    // Throws Failure: unreachable; unavailable if the daemon turns us away; wrong for an address or files
    // that make no sense.
    static Session connect(const Options& options = {});

    // Waits until all of it is granted. Throws Failure.
    Lease acquire(const Demand& demand, Deadline deadline = {});
    // Nothing if it is not granted within `patience`. Throws Failure for anything else.
    std::optional<Lease> try_acquire(const Demand& demand,
                                     std::chrono::microseconds patience = std::chrono::milliseconds(20));

    // Calls back from the session's thread.
    void async_acquire(const Demand& demand, Deadline deadline, std::function<void(Outcome)> call);
    // `Lease lease = co_await session.async_acquire(demand, deadline);` goes on in the session's thread.
    class Acquisition;
    Acquisition async_acquire(Demand demand, Deadline deadline = {});

    std::string host() const;  // whose daemon this is
    // Who loses a lease must have stopped using it after so long.
    std::chrono::microseconds stop_within() const;
    // For who waits for other things as well: when this is readable, or after a moment, call Lease::valid.
    // -1 while there is no connection. It may change.
    int descriptor() const;

private:
    explicit Session(std::shared_ptr<Lease::Owner> owner);
    std::shared_ptr<Lease::Owner> owner_;
};

class Session::Acquisition {
public:
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting);
    Lease await_resume();

private:
    friend class Session;
    Acquisition(Session& session, Demand demand, Deadline deadline)
        : session_(&session), demand_(std::move(demand)), deadline_(deadline) {}

    Session* session_;
    Demand demand_;
    Deadline deadline_;
    std::optional<Outcome> outcome_;
};

}  // namespace allot::client
