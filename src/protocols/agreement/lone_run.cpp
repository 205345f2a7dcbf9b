#include "protocols/agreement/lone_run.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <utility>

namespace allot::agreement {

namespace {

class LoneRun {
public:
    LoneRun(std::vector<LoneHost> hosts, std::span<const SiteId> live, const Rules& rules)
        : hosts_(std::move(hosts)), live_(live), rules_(rules) {}

    std::optional<Value> run(SiteId proposer, std::uint32_t ballots) {
        for (std::uint32_t ballot = 0; ballot < ballots && !returned_; ++ballot) {
            returned_ = step(proposer, [](Register& here, const Register::Self& self, RegisterEffects& fx) {
                if (here.may_attempt()) return here.retry(self, fx);
                here.give_up();
                here.begin(self, Operation::read, {}, {}, fx);
            });
            deliver_all(proposer);
        }
        return returned_;
    }

private:
    struct Flying {
        SiteId from;
        SiteId to;
        RegisterMessage message;
    };

    // Each write is on the disk at once.
    template <class Action>
    std::optional<Value> step(SiteId host, Action&& action) {
        Register& here = hosts_[host].state;
        const Register::Self self{host, hosts_[host].incarnation, rules_};
        RegisterEffects fx;
        action(here, self, fx);
        do {
            here.deliver_own(self, fx);
            if (std::exchange(fx.persist, false)) here.synced(self, fx);
        } while (fx.persist ||
                 std::ranges::any_of(fx.sends, [&](const auto& one) { return one.to == host; }));
        for (RegisterEffects::Send& send : fx.sends)
            flight_.push_back({host, send.to, std::move(send.message)});
        return std::move(fx.returned);
    }

    void deliver_all(SiteId proposer) {
        while (!flight_.empty() && !returned_) {
            const Flying one = std::move(flight_.front());
            flight_.pop_front();
            if (one.to != proposer && std::ranges::find(live_, one.to) == live_.end()) continue;
            auto result = step(one.to, [&](Register& here, const Register::Self& self, RegisterEffects& fx) {
                here.receive(self, one.from, one.message, fx);
            });
            if (one.to == proposer) returned_ = std::move(result);
        }
    }

    std::vector<LoneHost> hosts_;
    const std::span<const SiteId> live_;
    const Rules& rules_;
    std::deque<Flying> flight_;
    std::optional<Value> returned_;
};

}  // namespace

std::optional<Value> lone_run(std::vector<LoneHost> hosts, SiteId proposer, std::span<const SiteId> live,
                              const Rules& rules, std::uint32_t ballots) {
    return LoneRun(std::move(hosts), live, rules).run(proposer, ballots);
}

std::vector<std::vector<SiteId>> majorities(const Record& record, std::span<const SiteId> live) {
    std::vector<SiteId> voters;
    for (const VoterId& voter : record.voters)
        if (std::ranges::find(live, voter.host) != live.end()) voters.push_back(voter.host);
    const int quorum = static_cast<int>(record.voters.size() / 2 + 1);
    std::vector<std::vector<SiteId>> all;
    for (unsigned chosen = 0; chosen < 1u << voters.size(); ++chosen) {
        if (std::popcount(chosen) != quorum) continue;
        std::vector<SiteId>& majority = all.emplace_back();
        for (std::size_t i = 0; i < voters.size(); ++i)
            if ((chosen >> i & 1) != 0) majority.push_back(voters[i]);
    }
    return all;
}

}  // namespace allot::agreement
