// Asks all hosts for their reports, and waits for those that answer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "daemon/letters.hpp"
#include "net/loop.hpp"
#include "net/mesh.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class Survey {
public:
    using Reports = std::map<net::HostId, Report>;
    using Done = std::function<void(Reports)>;

    Survey(boost::asio::io_context& loop, std::function<void(net::HostId to, const ReportQuery&)> send)
        : loop_(loop), send_(std::move(send)) {}

    // Done at once if no host is asked.
    void ask(const std::set<net::HostId>& hosts, Done done);
    void receive(net::HostId from, const ReportAnswer& answer);

private:
    struct Round {
        Reports reports;
        std::set<net::HostId> awaited;
        Done done;
        std::unique_ptr<net::Timer> patience;
    };
    void finish(std::uint64_t number);

    boost::asio::io_context& loop_;
    std::function<void(net::HostId, const ReportQuery&)> send_;
    std::map<std::uint64_t, Round> rounds_;
    std::uint64_t next_ = 1;
};

// Answers that are expensive and wanted by many: computed one at a time, with a pause in between for other
// work. A question that comes meanwhile is answered by the next computation, with all others, so that no
// answer is older than its question. To write an answer may take long, too, so each turn of the loop tells
// one of those who asked.
template <class Answer>
class SharedAnswer {
public:
    using Done = std::function<void(const Answer&)>;
    SharedAnswer(boost::asio::io_context& loop, std::function<void(Done)> find_out)
        : find_out_(std::move(find_out)), rest_(loop) {}

    void ask(Done done) {
        askers_.push_back(std::move(done));
        if (!under_way_) find_out_later();
    }

private:
    using Clock = net::Timer::Clock;

    void find_out_later() {
        under_way_ = true;
        rest_.set(std::max(Clock::duration::zero(), rested_at_ - Clock::now()), [this] { next(); });
    }

    void next() {
        began_ = Clock::now();
        served_ = std::exchange(askers_, {});
        find_out_([this](const Answer& answer) {
            answer_ = answer;
            tell_next(0);
        });
    }

    void tell_next(std::size_t place) {
        served_[place](answer_);
        if (place + 1 < served_.size())
            return rest_.set(Clock::duration::zero(), [this, place] { tell_next(place + 1); });
        served_.clear();
        answer_ = {};
        const auto rest = std::min<Clock::duration>(4 * (Clock::now() - began_), longest_rest);
        rested_at_ = Clock::now() + rest;
        under_way_ = false;
        if (!askers_.empty()) find_out_later();
    }

    static constexpr std::chrono::milliseconds longest_rest{500};

    std::function<void(Done)> find_out_;
    std::vector<Done> askers_;
    std::vector<Done> served_;  // they get the answer at hand
    Answer answer_{};
    Clock::time_point began_{};
    bool under_way_ = false;
    net::Timer rest_;
    Clock::time_point rested_at_{};
};

}  // namespace allot::daemon
