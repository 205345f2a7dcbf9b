// Client library of allot: locks and permits that are shared with programs on other machines.
//
//     auto session = allot::client::Session::connect();
//     auto lease = session.acquire(allot::client::Demand().lock("db").permit("builds", 2), 30s);
//     write(row, lease.fence("db"));   // the storage refuses a fence smaller than one it has seen
//
// A Session is a connection with a daemon, usually that of this host. A Lease is a grant; its destructor
// releases it. All functions are thread-safe, and a thread may use a Session while others wait in it.
// Sessions and leases do not survive a fork().
//
// A thread that waits reads the connection itself. With its first request, a session starts one thread, which
// sleeps until the connection ends. Callbacks and coroutines run in that thread and must not block.
//
// Over a Unix socket, a program holds a lock until it releases it or the daemon ends, and learns of that. A
// permit is also lost if the daemon is cut off from its peers or stops; over a network, every lease is also
// lost if the connection fails: see Lease::valid.
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

// A clock that runs while the machine is suspended, like the clocks of the programs that wait for our leases.
struct Clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<Clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

// busy: others hold it (try_acquire returns nothing instead). timed_out: not granted before the deadline.
// wrong: the demand is malformed or names an undeclared resource. forbidden: not for this user. unavailable:
// not now, and waiting does not help. limit: too many requests or sessions. unreachable: no daemon answers.
// lost: it was granted and is no longer held.
enum class Code : std::uint8_t { busy, timed_out, wrong, forbidden, unavailable, limit, unreachable, lost };

// what() is one line of text.
class Failure : public std::runtime_error {
public:
    Failure(Code code, const std::string& reason) : std::runtime_error(reason), code_(code) {}
    Code code() const { return code_; }

private:
    Code code_;
};

// A time limit: a point in time, a duration from now, or, by default, none. Even without one, the library
// stops waiting for a daemon that is silent for Options::resume_within.
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

// The resources that one request asks for. They are granted together: first the locks as one set, then the
// permits by name.
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

    // Why no daemon could grant this demand (empty, a name empty or twice, no units); nothing if it is well
    // formed. acquire() refuses a malformed demand as `wrong` without asking the daemon.
    std::optional<std::string> objection() const;

private:
    std::vector<std::string> locks_;
    std::vector<Permit> permits_;
};

// One resource that a lease holds. For one lock, each grant has a larger fence than all earlier ones. The
// fence of a permit only tells its holders apart.
struct Held {
    std::string name;
    std::uint64_t fence = 0;
};

// The end of a lease, for its program. stopped: it is stopped before others get what it held. told: it must
// stop by itself, since nobody can stop it. nothing: it may go on, because the resource is in the mode
// `fence`. kept: there is no end, because the resource is in the mode `sticky`: it belongs to the user of the
// program until it is released. With `told` and `nothing` only fences keep it apart from the next holder.
enum class Ending : std::uint8_t { stopped, told, nothing, kept };

struct Options {
    // `unix:/path`, `/path`, `tls:host:port`, `tcp:host:port`; empty: default_address(). `tls:` and `tcp:`
    // take several, as in `tls:a:7481,b:7481`: see Session.
    std::string address;
    std::string command;  // shown by `allot status`; empty: the name of this program
    // This program may be killed: the guardian of its host sends SIGTERM before a lease ends, and SIGKILL at
    // its end. Unix sockets only. Without it leases are fenced: see Ending::told.
    bool stoppable = false;
    // For all addresses together: each has its share.
    std::chrono::milliseconds connect_timeout{2000};
    // How long the library tries to reconnect after a connection breaks (the daemon is restarted), and how
    // long it waits for a silent daemon.
    std::chrono::milliseconds resume_within{10000};
    // For tls: PEM files, and the name that the daemon's certificate must have. An empty member comes from
    // $ALLOT_CERT, $ALLOT_KEY, $ALLOT_CA or $ALLOT_SERVER_NAME; the default of server_name is the host of the
    // address. Of several addresses all have that name, or `a,b` names each. A new connection uses renewed
    // files.
    std::string certificate;
    std::string key;
    std::string authority;
    std::string server_name;
};

// $ALLOT_SOCKET; else `tls:` and the addresses in $ALLOT_AT; else /run/allot/allot.sock if it exists; else
// $XDG_RUNTIME_DIR/allot/allot.sock if it exists; else /run/allot/allot.sock.
std::string default_address();

class Core;
struct Claim;

class Lease {
public:
    Lease() = default;  // holds nothing
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();

    // True if the lease is still held, as far as this program knows. It also becomes lost at valid_until():
    // others may then be granted the resources. Waits, for up to 100 ms, only if there is no connection.
    bool valid() const;
    explicit operator bool() const { return valid(); }
    // Time until which the lease is safe without further contact; min() if it is not held. It moves on as
    // long as the daemon answers and renews its own lease.
    Clock::time_point valid_until() const;

    Ending ending() const;
    const std::vector<Held>& held() const;
    std::uint64_t fence() const;  // of the only resource; std::logic_error if there is not exactly one
    std::uint64_t fence(std::string_view name) const;  // std::logic_error if it is not held

    // Calls `call` once, with the reason, when the lease is lost; soon if it is lost already. Never calls it
    // after a release.
    void on_lost(std::function<void(const std::string& reason)> call);
    // Why it was lost; empty if it was not.
    std::string lost_because() const;

    // Extends the lease until this process ends too, even if this program ends before. `process` is a child
    // that was not waited for yet. Unix sockets only.
    void follow(int process);

    // Releases the lease. Does not wait for the daemon.
    void release();
    // Lets go of the lease without giving back what is sticky (`Ending::kept`): that stays with its owner
    // when the session ends. All else ends with the session.
    void leave();

private:
    friend class Session;
    struct Owner;
    Lease(std::shared_ptr<Owner> owner, std::shared_ptr<Claim> claim);

    std::shared_ptr<Owner> owner_;
    std::shared_ptr<Claim> claim_;
};

// A lease, or the reason why there is none.
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

// With several addresses, each session draws the order in which it tries them. It goes on to the next if a
// daemon cannot be reached, refuses the session, or is silent for stop_within(); requests that wait are asked
// again there. A lease belongs to the daemon that granted it: while a session holds one, it returns to that
// daemon only, and the lease ends at valid_until() as it does with one address.
class Session {
public:
    // Throws Failure: unreachable; unavailable if the daemon refuses the session; wrong for a malformed
    // address or unreadable files.
    static Session connect(const Options& options = {});

    // Waits until everything is granted. Throws Failure.
    Lease acquire(const Demand& demand, Deadline deadline = {});
    // Nothing if not granted within `patience`. Throws Failure for any other reason.
    std::optional<Lease> try_acquire(const Demand& demand,
                                     std::chrono::microseconds patience = std::chrono::milliseconds(20));

    // Calls `call` from the session's thread.
    void async_acquire(const Demand& demand, Deadline deadline, std::function<void(Outcome)> call);
    // `Lease lease = co_await session.async_acquire(demand, deadline);` resumes in the session's thread.
    class Acquisition;
    Acquisition async_acquire(Demand demand, Deadline deadline = {});

    std::string host() const;  // the name of the daemon's host
    // The time that a program has to stop using a lost lease.
    std::chrono::microseconds stop_within() const;
    // For event loops: when this descriptor is readable, and from time to time, call Lease::valid. -1 while
    // there is no connection. A reconnect changes it.
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
