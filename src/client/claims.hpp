// What a session asked for and holds: one claim per ticket, and how claims change with what the daemon says.
// No input, output, clock or thread; the session does what is decided here.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/client.hpp"
#include "client/socket.hpp"
#include "session/frames.hpp"

namespace allot::client {

using session::Ticket;

// lost: the program must stop; the daemon may still count it as held, so it is given back like any other.
// giving_back: until the daemon has answered.
enum class Stage : std::uint8_t { waiting, held, lost, giving_back, over };

struct Claim;
using ClaimPtr = std::shared_ptr<Claim>;
// With the reason if it was not granted.
using Settled = std::function<void(const ClaimPtr&, const std::optional<Failure>&)>;

struct Claim {
    session::Acquire request;
    Clock::time_point asked_at;  // the daemon that grants was alive after this
    Deadline deadline;
    Stage stage = Stage::waiting;
    std::vector<Held> held;
    std::optional<Failure> failure;  // why it was not granted, or was lost

    // Who is told: a thread that waits, or functions for the session's own thread.
    std::condition_variable* waiter = nullptr;
    Settled settled;
    std::function<void(const std::string&)> on_lost;

    // The process it follows.
    Descriptor process;
    std::int32_t process_id = 0;

    Ticket ticket() const { return request.ticket; }
    bool has_permits() const { return !request.permits.empty(); }
};

session::Acquire as_request(const Demand& demand);
Code code_of(session::Refusal refusal);

class Claims {
public:
    ClaimPtr open(session::Acquire request, Clock::time_point now, Deadline deadline);

    // Each takes what the daemon said and gives the claim that it changed, if any.
    ClaimPtr granted(session::Granted& message);
    ClaimPtr refused(const session::Refused& message);
    ClaimPtr released(const session::Released& message);
    ClaimPtr lost(const session::Lost& message);

    // What this program decides by itself. True if the daemon must be told, with Release.
    bool give_back(const ClaimPtr& claim);  // a lease, or a request that nobody waits for any longer
    bool withdraw(const ClaimPtr& claim, Failure failure);        // what waits fails
    void lose(const ClaimPtr& claim, const std::string& reason);  // what is held is lost

    // The connection was taken up again: what must be said once more, and what changed.
    struct Resumption {
        std::vector<ClaimPtr> ask;      // Acquire
        std::vector<Ticket> give_back;  // Release
        std::vector<ClaimPtr> follow;   // Follow
        std::vector<ClaimPtr> lost;
    };
    Resumption resume(const session::Welcome& welcome);

    // The daemon will not know of any: there is nothing to give back.
    void forget();

    const std::vector<ClaimPtr>& all() const { return all_; }

private:
    std::vector<ClaimPtr>::iterator find(Ticket ticket);
    void end(const ClaimPtr& claim);
    void resume_one(const ClaimPtr& claim, bool known, Resumption& resumption);

    Ticket next_ = 1;
    std::vector<ClaimPtr> all_;  // by ticket; none that is over
};

}  // namespace allot::client
