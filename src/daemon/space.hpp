// A space is one protocol among all hosts: all locks together, or one semaphore. Its sites are *seats*, which
// a daemon lends to whoever asks. Who finds no free seat, or wants a lock that a seat of this host wants,
// waits in order, and may be overtaken a few times by those whose locks are free.
//
// A new kind of resource is a protocol, a function that makes a SpaceOf it (locks.cpp, semaphore.cpp), and a
// line where the daemon makes its spaces (node.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "daemon/place.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

using net::HostId;

// One request to one space. The daemon numbers them.
using Claim = std::uint64_t;

struct Answer {
    enum class Kind : std::uint8_t { granted, refused, lost };
    Kind kind{};
    Claim claim = 0;
    std::vector<Fence> fences;  // granted: one per resource of the demand, if the protocol gives any
    std::string reason;         // refused, lost
    SiteId site = 0;            // granted: who got it
};

// Of a semaphore on one host: each costs every request two messages, and one program at a time may sit there.
constexpr std::uint32_t most_permit_seats = 4;

// How sites are spread: the first of each host come first, so they may be homes, or founders.
struct Seating {
    std::uint32_t hosts = 1;
    std::uint32_t seats = 1;  // at most, of each host
    HostId self = 0;

    std::uint32_t sites() const { return hosts * seats; }
    HostId host_of(SiteId site) const { return site % hosts; }
    std::uint32_t seat_of(SiteId site) const { return site / hosts; }
    SiteId site(HostId host, std::uint32_t seat) const { return seat * hosts + host; }
};

// What one host can tell of one space.
struct SpaceView {
    struct Queue {
        std::string resource;
        std::vector<SiteId> waiters;  // in order
    };
    struct Seat {
        SiteId site = 0;
        Claim claim = 0;
    };
    std::vector<Queue> tokens;  // of the resources whose token is here
    std::vector<Seat> taken;    // seats that somebody has
};

class Space {
public:
    // Gives a message of a site here to a site of another host.
    using Post = std::function<void(SiteId from, SiteId to, std::string_view message)>;

    virtual ~Space() = default;

    // What follows may produce answers, which wait in answers() until the daemon takes them.
    virtual void request(Claim claim, const Demand& demand) = 0;
    // Lets go of what is held, or takes the request back. No answer comes for this claim any more.
    virtual void release(Claim claim) = 0;
    // False if these bytes are no message, or not for a site here.
    virtual bool deliver(SiteId from, SiteId to, std::string_view message) = 0;

    std::vector<Answer>& answers() { return answers_; }

    // What is known of the lives of other hosts: only some protocols listen.
    virtual void trusted(HostId host, std::uint32_t life) = 0;
    virtual void dead(HostId host, std::uint32_t life) = 0;
    // The seats here begin a life; before that there are none, and whoever asks waits. So does what is
    // written to them, unless they hear of deaths: then it is lost.
    virtual void begin_life(std::uint32_t life) = 0;
    // The seats end: what they held is lost, who waited goes on waiting.
    virtual void end_life(const std::string& why) = 0;
    virtual bool begun() const = 0;
    // Without standing (daemon/vigil.hpp) nobody has a seat where seats hear of deaths: what was held is
    // lost, but given back only once its holders have stopped, and who waited goes on waiting.
    virtual void stand(bool standing, const std::string& why) = 0;
    virtual void holders_stopped() = 0;
    // Whether some seat here may ask: it can take others in.
    virtual bool takes_part() const = 0;
    // Nothing can be asked for here any more.
    virtual void close(const std::string& why) = 0;
    // The same for as long as the reason lasts; an empty one ends it.
    virtual void obstruct(const std::string& why) = 0;
    // Why nothing can be asked for; empty if it can.
    virtual const std::string& closed() const = 0;

    virtual SpaceView view() const = 0;
    // Where those resources are that are known here and wanted, by name.
    virtual std::vector<Place> places(const std::function<bool(const Place&)>& wanted) const = 0;

    // All seats, for a daemon that goes on later.
    virtual std::string saved() const = 0;
    virtual bool resume(std::string_view saved) = 0;

protected:
    std::vector<Answer> answers_;
};

std::unique_ptr<Space> make_locks(const Seating& seating, Space::Post post);
// Where the token of a lock begins, and where those ask who do not know where it is.
HostId home_of(std::string_view lock, std::uint32_t hosts);
std::unique_ptr<Space> make_semaphore(const Seating& seating, std::uint32_t permits,
                                      std::uint32_t max_request, Space::Post post);

}  // namespace allot::daemon
