#include "etcd/client.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/ensure.hpp"

namespace allot::etcd {

void Client::read(Milliseconds time, std::function<void(Result<Found>)> done,
                  std::function<void()> all_failed) {
    ensure(!done_, "etcd is read twice at once");
    done_ = std::move(done);
    all_failed_ = std::move(all_failed);
    deadline_ = Clock::now() + time;
    tries_ = 0;
    problems_.assign(settings_.endpoints.size(), "");
    try_read();
}

// A slow member answers in a later round. The time that is left at the end may be too short for any answer.
void Client::try_read() {
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline_ - Clock::now());
    const std::size_t round = std::min<std::size_t>(tries_ / settings_.endpoints.size(), 10);
    const Milliseconds patience = std::min(settings_.patience * (1U << round), left);
    if (tries_ > 0 && patience < settings_.patience / 3) return give_up();
    post(range_path, range_request(settings_.key), std::max(patience, settings_.patience / 3),
         [this](Result<std::string> answer) {
             if (!answer) return read_failed(answer.error());
             auto found = parse_range(*answer, settings_.key);
             if (!found) return read_failed(found.error());
             const auto told = std::exchange(done_, nullptr);
             told(std::move(*found));
         });
}

// All endpoints may refuse at once, so rounds are a moment apart.
void Client::read_failed(const std::string& why) {
    problems_[current_] = why;
    next_endpoint();
    if (++tries_ % settings_.endpoints.size() != 0) return try_read();
    pause_.set(settings_.patience / 3, [this] { try_read(); });
    all_failed_();
}

// The answer must not be taken for that of the next question.
void Client::cancel_read() {
    if (!done_) return;
    done_ = nullptr;
    pause_.cancel();
    connection_.reset();
}

// Called from a try, so never from inside `read`.
void Client::give_up() {
    const auto told = std::exchange(done_, nullptr);
    told(Error{problems()});
}

void Client::exchange(const Found& before, const std::vector<Put>& puts, Milliseconds time,
                      std::function<void(Result<Exchanged>)> done) {
    post(txn_path, exchange_request(settings_.key, before, puts), time,
         [this, written = puts.front().value, done = std::move(done)](Result<std::string> answer) {
             auto exchanged = answer ? parse_exchange(*answer, settings_.key, written)
                                     : Result<Exchanged>(Error{answer.error()});
             if (!exchanged) next_endpoint();
             done(std::move(exchanged));
         });
}

void Client::next_endpoint() {
    current_ = (current_ + 1) % settings_.endpoints.size();
}

void Client::post(std::string_view path, std::string body, Milliseconds patience,
                  std::function<void(Result<std::string>)> done) {
    if (!connection_ || connection_->endpoint() != endpoint())
        connection_ = std::make_unique<Connection>(loop_, endpoint(), settings_.tls);
    connection_->post({path, std::move(body), patience},
                      [done = std::move(done)](Result<Connection::Answer> answer) {
                          if (!answer) return done(Error{answer.error()});
                          if (answer->status != 200)
                              return done(Error{refusal(answer->status, answer->body)});
                          done(std::move(answer->body));
                      });
}

std::string Client::problems() const {
    std::string all;
    for (std::size_t i = 0; i < problems_.size(); ++i)
        if (!problems_[i].empty())
            all +=
                fmt::format("{}{}: {}", all.empty() ? "" : "; ", settings_.endpoints[i].text(), problems_[i]);
    return all.empty() ? "no endpoint has answered yet" : all;
}

}  // namespace allot::etcd
