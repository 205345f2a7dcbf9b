// The requests of programs, and how far they have come: who asked for what, until when it is patient, and
// what it holds. A request is served elsewhere: by a derived class, which is told what is asked for and given
// back.
//
// The book knows no sockets. It is told who asks, and says its answers through `say`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

// A session, as long as the daemon knows it.
using Owner = std::uint64_t;
// A part of a request, as the space that serves it knows it.
using Claim = std::uint64_t;
using Clock = std::chrono::steady_clock;

class LeaseBook {
public:
    using Say = std::function<void(Owner owner, const session::DaemonMessage& message)>;
    // One space of a request.
    struct Part {
        std::uint32_t space = 0;
        Claim claim = 0;
        bool granted = false;
        BOOST_DESCRIBE_CLASS(Part, (), (space, claim, granted), (), ())
    };
    struct Lease {
        Owner owner = 0;
        session::Ticket ticket = 0;
        session::Acquire want;
        std::vector<Part> parts;  // those asked for so far; all but the last are granted
        std::vector<session::Held> held;
        bool granted = false;
        std::string lost;  // why, if its owner was told to stop; what is left of it is kept meanwhile
        std::uint64_t since_ms = 0;  // when it was asked for, or granted, since the epoch
        BOOST_DESCRIBE_CLASS(Lease, (), (owner, ticket, want, parts, held, granted, lost, since_ms), (), ())
    };
    // Hears of every request that is granted, or that ends.
    using Witness = std::function<void(const Lease& lease, const session::DaemonMessage& message)>;

    LeaseBook(const Config& config, Say say);
    LeaseBook(const LeaseBook&) = delete;
    LeaseBook& operator=(const LeaseBook&) = delete;
    virtual ~LeaseBook() = default;
    void set_witness(Witness witness) { witness_ = std::move(witness); }

    void acquire(Owner owner, const session::Acquire& want);
    void refuse(Owner owner, const session::Acquire& want, const session::Refused& refused);
    void release(Owner owner, session::Ticket ticket);
    // Its owner is told to stop.
    virtual void lose(Owner owner, session::Ticket ticket, const std::string& why) = 0;
    // Everything but `spared`, which somebody else still uses.
    void abandon(Owner owner, const std::set<session::Ticket>& spared);

    // Refuses who has waited too long, and says when to come back.
    std::optional<Clock::time_point> expire(Clock::time_point now);

    // For how long programs may use what they hold, from now on, unless they hear more; nothing if they may
    // until they are told to stop.
    virtual std::optional<std::chrono::microseconds> valid_for() const { return std::nullopt; }

    session::Validity valid_us() const;

    const Lease* find(Owner owner, session::Ticket ticket) const;
    std::vector<const Lease*> leases() const;
    std::vector<const Lease*> leases_of(Owner owner) const;
    std::uint64_t grants() const { return grants_; }

protected:
    using Key = std::pair<Owner, session::Ticket>;

    // Called before anything else that a program causes, and after it.
    virtual void wake() = 0;
    virtual void pump() = 0;
    // Why nothing of this can be had here, if waiting does not help.
    virtual std::optional<std::string> obstacle(const session::Acquire& want) const = 0;
    virtual void ask(Lease& lease) = 0;
    virtual void give_back(Lease& lease) = 0;
    // All that the lease asks for is held, and its owner hears of it next.
    virtual void begun(const Lease&) {}

    const Config& config() const { return config_; }
    const std::vector<std::string>& semaphores() const { return semaphores_; }
    Lease* find(const Key& key);
    Lease& add(Lease lease);
    // All that the lease asks for is held.
    void finish(Lease& lease);
    // Also of what is not known: then it is released already.
    void end(const Key& key, const session::DaemonMessage& message);
    // Tells the owner, who has to give the lease back then.
    void tell_lost(const Lease& lease, const std::string& why);

private:
    std::optional<session::Refused> objection(Owner owner, const session::Acquire& want) const;
    std::optional<std::string> wrong_names(const session::Acquire& want) const;
    std::optional<std::string> wrong_permits(const session::Acquire& want) const;
    void set_deadline(const Lease& lease);
    void clear_deadline(const Key& key);

    const Config& config_;
    Say say_;
    Witness witness_ = [](const Lease&, const session::DaemonMessage&) {};
    std::vector<std::string> semaphores_;  // by name
    std::map<Key, Lease> leases_;
    std::map<Key, Clock::time_point> deadlines_;
    std::set<std::pair<Clock::time_point, Key>> due_;
    std::uint64_t grants_ = 0;
};

}  // namespace allot::daemon
