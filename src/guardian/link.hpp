// The daemon's end of its guardian.
//
// No method but open() ever waits. keep() and drop() write packets to a socket; if the guardian does not read
// them, they stay in a queue, and flush() sends them when descriptor() is writable. If the guardian ends, or
// does not read for very long, read() says that it is gone; the daemon then opens a new Link, sets the
// deadline and keeps every charge again.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <variant>
#include <vector>

#include "base/boot_clock.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "guardian/charge.hpp"
#include "guardian/frames.hpp"
#include "guardian/packets.hpp"
#include "guardian/page.hpp"

namespace allot::guardian {

struct News {
    std::vector<std::variant<Ended, Stopped, Refused>> told;  // in the order of events
    std::vector<ChargeId> kept;                               // charges that it has from now on
    bool gone = false;                                        // the guardian; `why` is one line
    std::string why;
};

// Starts a process that runs run_guardian(), and does not wait until it listens.
using Starter = std::function<Result<bool>(const std::string& folder, std::chrono::milliseconds grace)>;
// Executes this program as `allot guardian`. The guardian is no child of this process.
Result<bool> start_guardian(const std::string& folder, std::chrono::milliseconds grace);

class Link {
public:
    // Connects to the guardian in `folder`, or starts one, and takes over the charges of an earlier daemon.
    // The caller must hold the lock of the folder. Waits at most as long as `patience` says. `grace` is the
    // time between SIGTERM and SIGKILL.
    static Result<std::unique_ptr<Link>> open(const std::string& folder, std::chrono::milliseconds grace,
                                              const Starter& starter = start_guardian,
                                              std::chrono::milliseconds patience = std::chrono::seconds(5));

    // The charges of the earlier daemon; the second call returns none.
    std::vector<Charge> taken_over() { return std::exchange(taken_over_, {}); }

    // Until when programs may run, and under the lease of which incarnation. The clock's epoch: never set.
    BootClock::time_point deadline() const { return page_.deadline(); }
    std::uint64_t keeper() const { return page_.keeper(); }
    // Moving it forward in time takes no system call. If the former deadline has passed, the guardian stops
    // all charges that were kept before this call; charges that are kept later live under the new deadline.
    void set_deadline(BootClock::time_point deadline, std::uint64_t keeper);

    // Keeps a charge, in place of one with the same id. Set a deadline before: without one, or after it, the
    // processes are killed at once. True: the guardian will hear of it even if the daemon dies now. False:
    // the packet waits for flush(). The error says why this charge can never be kept.
    Result<bool> keep(const Charge& charge);
    void drop(const ChargeId& id);
    // The lease is lost: its processes have ended by the deadline as it is now.
    void stop(const ChargeId& id);
    // Leases that no charge stands for: the next daemon cannot go on with them. Takes no system call.
    std::uint64_t strangers() const { return page_.strangers(); }
    void set_strangers(std::uint64_t count) { page_.set_strangers(count); }
    // Leases that only the memory stands for.
    void set_notes(std::uint64_t count) { page_.set_notes(count); }
    void set_testament(const Testament& testament) { send(testament, {}); }

    // The memory of the page. It outlives the daemon; from page_room on it is the daemon's.
    const Descriptor& memory() const { return page_.memory(); }

    int descriptor() const { return socket_.get(); }
    bool wants_to_write() const { return !unsent_.empty() && !gone_; }
    // Packets may be lost; read() says why.
    bool is_gone() const { return gone_; }
    void flush();
    // Takes what the guardian has sent. Call it when descriptor() is readable.
    News read();

    pid_t process() const { return peer_of(socket_).process; }

private:
    struct Unsent {
        std::string bytes;
        std::vector<Descriptor> passed;
    };

    Link(Descriptor socket, SharedPage page, Edition edition)
        : socket_(std::move(socket)), page_(std::move(page)), edition_(edition) {}
    static Result<std::unique_ptr<Link>> greet(Descriptor socket, std::chrono::milliseconds grace,
                                               BootClock::time_point until);
    Result<bool> take_over(BootClock::time_point until);
    bool send(const ToGuardian& message, std::vector<int> passed);
    void lose(const std::string& why);

    Descriptor socket_;
    SharedPage page_;
    const Edition edition_;  // of what is said
    std::vector<Charge> taken_over_;
    std::deque<Unsent> unsent_;
    bool gone_ = false;
    std::string why_gone_;
};

}  // namespace allot::guardian
