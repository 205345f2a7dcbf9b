// The desk of a daemon around a Host: it tells the host what programs want, and the programs what the host
// answers.
#pragma once

#include <functional>

#include "daemon/lease_book.hpp"
#include "host/host.hpp"

namespace allot::daemon {

class HostDesk : public LeaseBook {
public:
    // The ways to the host.
    struct Ways {
        std::function<void()> wake;  // the time of the host is that of the clock afterwards
        std::function<void(const host::Key&, const host::Want&)> ask;
        std::function<void(const host::Key&)> release;
        std::function<std::chrono::microseconds()> valid_for;
        std::function<std::uint64_t()> unordered_fence;          // of a unit of several
        std::function<void(const Lease&)> granted;               // before its program hears of it
        std::function<void(const Lease&, bool was_lost)> ended;  // of a lease that was granted
    };

    HostDesk(const Config& config, Say say, Ways ways)
        : LeaseBook(config, std::move(say)), ways_(std::move(ways)) {}

    void answer(const host::Answer& answer);
    // A lease that an earlier daemon gave, whose program still runs.
    void adopt(Lease lease) { add(std::move(lease)); }
    void lose(Owner owner, session::Ticket ticket, const std::string& why) override;
    std::optional<std::chrono::microseconds> valid_for() const override { return ways_.valid_for(); }

    static host::Want want_of(const session::Acquire& want);
    // As the host gave them.
    std::vector<Fence> fences_of(const Lease& lease) const;
    using LeaseBook::find;

private:
    void wake() override { ways_.wake(); }
    void pump() override {}
    std::optional<std::string> obstacle(const session::Acquire&) const override { return std::nullopt; }
    void ask(Lease& lease) override;
    void give_back(Lease& lease) override;
    void begun(const Lease& lease) override { ways_.granted(lease); }
    void lose(const Lease& lease, const std::string& why);
    std::vector<session::Held> held_by(const Lease& lease, const std::vector<Fence>& fences) const;

    Ways ways_;
    bool is_told_ = false;  // the end of the request at hand comes from the host itself
    bool is_lost_ = false;  // and its program must stop
};

}  // namespace allot::daemon
