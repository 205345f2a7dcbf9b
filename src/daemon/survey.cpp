#include "daemon/survey.hpp"

#include <chrono>

namespace allot::daemon {

namespace {

// How long a survey waits for hosts that do not answer.
constexpr std::chrono::milliseconds patience{500};

}  // namespace

void Survey::ask(const std::set<net::HostId>& hosts, Done done) {
    const std::uint64_t number = next_++;
    Round& round = rounds_[number];
    round.awaited = hosts;
    round.done = std::move(done);
    if (hosts.empty()) return finish(number);
    for (const net::HostId host : hosts) send_(host, ReportQuery{number});
    round.patience = std::make_unique<net::Timer>(loop_);
    round.patience->set(patience, [this, number] { finish(number); });
}

void Survey::receive(net::HostId from, const ReportAnswer& answer) {
    const auto place = rounds_.find(answer.number);
    if (place == rounds_.end() || place->second.awaited.erase(from) == 0) return;  // too late, or not asked
    place->second.reports[from] = answer.report;
    if (place->second.awaited.empty()) finish(answer.number);
}

void Survey::finish(std::uint64_t number) {
    auto round = rounds_.extract(number);
    round.mapped().done(std::move(round.mapped().reports));
}

}  // namespace allot::daemon
