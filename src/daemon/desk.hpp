// The desk: what programs have asked for, and how far it has come. A request takes its locks first, as one
// set, then its permits by name, so that nobody waits in a circle across kinds; if it fails it gives all
// back.
//
// The desk knows no sockets. It is told who asks, and says its answers through `say`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/letters.hpp"
#include "daemon/space.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

// A session, as long as the daemon knows it.
using Owner = std::uint64_t;
using Clock = std::chrono::steady_clock;

class Desk {
public:
    static constexpr std::uint32_t locks_space = 0;  // its number; semaphores follow, by name

    using Say = std::function<void(Owner owner, const session::DaemonMessage& message)>;
    // Of all a request consists of; what it is made of may be saved.
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

    // `wake` is called before anything else that a program causes.
    Desk(const Config& config, Say say, std::function<void()> wake);
    void set_witness(Witness witness) { witness_ = std::move(witness); }

    // In the order of their numbers: the locks, then the semaphores by name.
    void add_space(std::unique_ptr<Space> space);
    Space& space(std::uint32_t number) { return *spaces_[number]; }
    std::uint32_t spaces() const { return static_cast<std::uint32_t>(spaces_.size()); }

    // From now on all fences exceed those of every earlier epoch.
    void raise_fences(std::uint32_t epoch) { fence_base_ = std::uint64_t{epoch} << 40; }
    // The life of the seats here. It stands in for a fence where a semaphore has several permits: successive
    // holders have no order there, but whoever was declared dead can be told from who lives.
    void set_life(std::uint32_t life) { life_ = life; }

    void acquire(Owner owner, const session::Acquire& want);
    void refuse(Owner owner, const session::Acquire& want, const session::Refused& refused);
    void release(Owner owner, session::Ticket ticket);
    // Its owner is told to stop. Until it has, and gives back, nobody else gets what is left of it.
    void lose(Owner owner, session::Ticket ticket, const std::string& why);
    // Everything but `spared`, which somebody else still uses.
    void abandon(Owner owner, const std::set<session::Ticket>& spared);

    // Takes in what the spaces have answered; to be called after anything that may have made them answer.
    void pump();

    // Refuses who has waited too long, and says when to come back.
    std::optional<Clock::time_point> expire(Clock::time_point now);

    const Lease* find(Owner owner, session::Ticket ticket) const;
    std::vector<const Lease*> leases() const;
    std::vector<const Lease*> leases_of(Owner owner) const;
    std::uint64_t grants() const { return grants_; }
    // Where a lease stands now: the space it waits in, or the last it has taken.
    std::string name_of_space(std::uint32_t number) const {
        return number == 0 ? "" : semaphores_[number - 1];
    }

    std::string saved() const;
    bool resume(std::string_view bytes);

private:
    using Key = std::pair<Owner, session::Ticket>;
    struct Saved {
        std::vector<Lease> leases;
        std::vector<std::string> spaces;
        Claim next_claim = 1;
        BOOST_DESCRIBE_CLASS(Saved, (), (leases, spaces, next_claim), (), ())
    };

    std::optional<session::Refused> objection(Owner owner, const session::Acquire& want) const;
    std::optional<std::string> wrong_names(const session::Acquire& want) const;
    void ask_next(Lease& lease);
    void finish(Lease& lease);
    void answer(const Answer& answer);
    void give_back(Lease& lease);
    void set_deadline(const Lease& lease);
    void clear_deadline(const Key& key);
    void end(const Key& key, const session::DaemonMessage& message);
    std::uint32_t space_of(const std::string& semaphore) const;
    std::uint64_t permit_fence(const Answer& answer) const;

    const Config& config_;
    Say say_;
    std::function<void()> wake_;
    Witness witness_ = [](const Lease&, const session::DaemonMessage&) {};
    std::vector<std::unique_ptr<Space>> spaces_;
    std::vector<std::string> semaphores_;  // by name, as the spaces after the first
    std::map<Key, Lease> leases_;
    std::unordered_map<Claim, Key> claims_;
    std::map<Key, Clock::time_point> deadlines_;
    std::set<std::pair<Clock::time_point, Key>> due_;
    Claim next_claim_ = 1;
    std::uint64_t fence_base_ = 0;
    std::uint32_t life_ = 0;
    std::uint64_t grants_ = 0;
    bool pumping_ = false;
};

}  // namespace allot::daemon
