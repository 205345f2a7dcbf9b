// The requests and leases of a session: one claim per ticket, and how the daemon's messages change it. No
// input, output, clock or thread: the session acts on the results.
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

// lost: the program must stop. The daemon may still keep the lease, so the program releases it like any
// other. releasing: the daemon has not answered Release yet.
enum class ClaimPhase : std::uint8_t { waiting, held, lost, releasing, over };

struct Claim;
using ClaimPtr = std::shared_ptr<Claim>;
// The failure is empty if the claim was granted.
using Settled = std::function<void(const ClaimPtr&, const std::optional<Failure>&)>;

struct Claim {
    session::Acquire request;
    Clock::time_point asked_at;  // the daemon that grants it was alive after this time
    Deadline deadline;
    ClaimPhase phase = ClaimPhase::waiting;
    std::vector<Held> held;
    Ending ending = Ending::stopped;
    std::optional<Failure> failure;  // why it was not granted, or was lost

    // The receivers of news: a thread that waits, or functions that the session's own thread calls.
    std::condition_variable* waiter = nullptr;
    Settled settled;
    std::function<void(const std::string&)> on_lost;

    // The process that the lease follows.
    Descriptor process;
    std::int32_t process_id = 0;

    Ticket ticket() const { return request.ticket; }
};

session::Acquire as_request(const Demand& demand);
Code code_of(session::Refusal refusal);

class Claims {
public:
    ClaimPtr open(session::Acquire request, Clock::time_point now, Deadline deadline);

    // Each function applies a message of the daemon and returns the claim that it changed, if any.
    ClaimPtr granted(session::Granted& message);
    ClaimPtr refused(const session::Refused& message);
    ClaimPtr released(const session::Released& message);
    ClaimPtr lost(const session::Lost& message);

    // Decisions of this program. True if the daemon must receive Release.
    bool release(const ClaimPtr& claim);                    // a lease, or a request that nobody waits for
    bool withdraw(const ClaimPtr& claim, Failure failure);  // a request fails
    void lose(const ClaimPtr& claim, const std::string& reason);  // a lease is lost

    // After a reconnect: the messages to repeat, and the claims that changed.
    struct Resumption {
        std::vector<ClaimPtr> ask;     // Acquire
        std::vector<Ticket> release;   // Release
        std::vector<ClaimPtr> follow;  // Follow
        std::vector<ClaimPtr> lost;
    };
    Resumption resume(const session::Welcome& welcome);

    // Ends all claims without Release: the daemon does not know them.
    void forget();

    const std::vector<ClaimPtr>& all() const { return all_; }

private:
    std::vector<ClaimPtr>::iterator find(Ticket ticket);
    void end(const ClaimPtr& claim);
    void resume_one(const ClaimPtr& claim, bool known, Resumption& resumption);

    Ticket next_ = 1;
    std::vector<ClaimPtr> all_;  // by ticket; without those that are over
};

}  // namespace allot::client
