// The desk of a daemon whose resources are spaces: a request takes its locks first, as one set, then its
// permits by name, so that nobody waits in a circle across kinds; if it fails it gives all back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/lease_book.hpp"
#include "daemon/letters.hpp"
#include "daemon/overview.hpp"
#include "daemon/space.hpp"

namespace allot::daemon {

class Desk : public LeaseBook {
public:
    static constexpr std::uint32_t locks_space = 0;  // its number; semaphores follow, by name

    // `wake` is called before anything else that a program causes.
    Desk(const Config& config, Say say, std::function<void()> wake);

    // In the order of their numbers: the locks, then the semaphores by name.
    void add_space(std::unique_ptr<Space> space);
    Space& space(std::uint32_t number) { return *spaces_[number]; }
    std::uint32_t spaces() const { return static_cast<std::uint32_t>(spaces_.size()); }
    std::string name_of_space(std::uint32_t number) const {
        return number == 0 ? "" : semaphores()[number - 1];
    }

    // From now on all fences exceed those of every earlier epoch.
    void raise_fences(std::uint32_t epoch) { fence_base_ = std::uint64_t{epoch} << 40; }
    // The life of the seats here. It stands in for a fence where a semaphore has several permits: successive
    // holders have no order there, but whoever was declared dead can be told from who lives.
    void set_life(std::uint32_t life) { life_ = life; }

    // Until the owner has stopped, and gives back, nobody else gets what is left of it.
    void lose(Owner owner, session::Ticket ticket, const std::string& why) override;

    // Takes in what the spaces have answered; to be called after anything that may have made them answer.
    void pump() override;

    // Where each request stands now.
    PositionOf positions();
    // The tokens of locks that are here.
    std::vector<QueueReport> tokens();

    std::string saved() const;
    bool resume(std::string_view bytes);

private:
    struct Saved {
        std::vector<Lease> leases;
        std::vector<std::string> spaces;
        Claim next_claim = 1;
        BOOST_DESCRIBE_CLASS(Saved, (), (leases, spaces, next_claim), (), ())
    };

    void wake() override { wake_(); }
    std::optional<std::string> obstacle(const session::Acquire& want) const override;
    void ask(Lease& lease) override { ask_next(lease); }
    void give_back(Lease& lease) override;

    void ask_next(Lease& lease);
    void answer(const Answer& answer);
    std::uint32_t space_of(const std::string& semaphore) const;
    std::uint64_t permit_fence(const Answer& answer) const;

    std::function<void()> wake_;
    std::vector<std::unique_ptr<Space>> spaces_;
    std::unordered_map<Claim, Key> claims_;
    Claim next_claim_ = 1;
    std::uint64_t fence_base_ = 0;
    std::uint32_t life_ = 0;
    bool pumping_ = false;
};

}  // namespace allot::daemon
