// The connection of a session: handshake and reconnecting, sending and receiving, pings.

#include <algorithm>
#include <poll.h>

#include "client/core.hpp"
#include "session/speak.hpp"

namespace allot::client {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds dial_pause{50};
constexpr milliseconds rare_dial{1000};

}  // namespace

// --- Connecting.

std::string Core::no_daemon(const std::string& why) const {
    return here().text + ": no daemon can be reached there (" + why + ")";
}

std::string Core::silence() const {
    return here().text + ": the daemon does not answer";
}

// A daemon that answers pings and renews no lease has no lease itself.
std::string Core::expiry() const {
    if (Clock::now() > proof_ + stop_within_ / 2) return silence();
    return here().text +
           ": the daemon answers, but its host did not reach the register in time; `allot status` says why";
}

void Core::greet(Connection connection, Time now) {
    connection_.emplace(std::move(connection));
    link_ = Link::greeting;
    ended_ = false;
    turned_away_ = false;
    greeted_at_ = now;
    chores_at_ = now + tick();
    scratch_.clear();
    session::put_message<session::ClientMessage>(session::Hello{.command = options_.command,
                                                                .resume = at_ == session_at_ ? session_ : "",
                                                                .stoppable = options_.stoppable},
                                                 greeting_edition, scratch_);
    if (!connection_->write(scratch_)) drop(no_daemon("the connection broke"));
}

// Only the daemon that granted a lease can go on with it, or take back what is sticky.
bool Core::is_bound() const {
    return std::ranges::any_of(claims_.all(), [](const ClaimPtr& claim) {
        return claim->phase == ClaimPhase::held ||
               (claim->phase == ClaimPhase::releasing && claim->ending == Ending::kept);
    });
}

// The destination at hand does not serve this session. There is a pause only after all were tried.
void Core::turn_to_next() {
    ++failures_;
    if (is_bound()) return;
    at_ = (at_ + 1) % destinations_.size();
    if (failures_ % destinations_.size() != 0) next_dial_ = Clock::now();
}

// Each destination has its share of connect_timeout in the first round, and more in each later one: hosts to
// which many programs turn at once need time.
Clock::time_point Core::dial_until(Time until, Time now) const {
    const std::size_t rounds = failures_ / destinations_.size();
    const auto share = static_cast<std::int64_t>(destinations_.size() >> std::min<std::size_t>(rounds, 8));
    const auto patience = Clock::duration(options_.connect_timeout) / std::max<std::int64_t>(1, share);
    return std::min(now + patience, std::max(until, now + short_wait));
}

void Core::redial(Lock& lock, Time until, int alarm) {
    const Time now = Clock::now();
    if (now < next_dial_) {
        const Time wake = std::min(until, next_dial_);
        lock.unlock();
        wait_for(-1, 0, wake, alarm);
        lock.lock();
        return;
    }
    // Dial often at first: a daemon that is restarted is back soon.
    next_dial_ = now + (now < down_since_ + options_.resume_within ? dial_pause : rare_dial);
    const Time patience = dial_until(until, now);
    const Destination& destination = here();
    lock.unlock();
    auto connection = Connection::dial(destination, patience);
    lock.lock();
    if (stopping_) return;
    if (connection) return greet(std::move(*connection), now);
    problem_ = no_daemon(connection.error());
    turn_to_next();
}

// The end of the stream wakes the reading thread.
void Core::drop(const std::string& problem) {
    if (!connection_ || doomed_) return;
    problem_ = problem;
    doomed_ = true;
    if (reading_)
        connection_->shut();
    else
        bury();
}

void Core::bury() {
    const Time now = Clock::now();
    if (link_ == Link::open) down_since_ = now;
    if (link_ == Link::greeting) turn_to_next();
    link_ = Link::down;
    connection_.reset();
    if (thread_polls_) wake_thread();  // it may be watching the closed descriptor
    doomed_ = false;
    chores_at_ = now;
    unanswered_since_.reset();
    statuses_.fail(Failure(Code::unreachable, problem_));
    orders_.fail(Failure(Code::unreachable, problem_));
}

// The session cannot be resumed: its leases are lost.
void Core::give_up(Code code) {
    session_.clear();
    refusals_ = 0;
    for (const ClaimPtr& claim : claims_.all()) {
        if (claim->phase == ClaimPhase::waiting) fail_waiting(claim, Failure(code, problem_));
        if (claim->phase == ClaimPhase::held) lose(claim, problem_);
    }
    claims_.forget();
}

// --- Sending.

template <class Message>
void Core::say(const Message& message) {
    if (link_ != Link::open || doomed_) return;
    scratch_.clear();
    session::put_message<session::ClientMessage>(message, edition_, scratch_);
    if (!connection_->write(scratch_)) drop(no_daemon("the connection broke"));
}

template void Core::say(const session::Release&);
template void Core::say(const session::StatusQuery&);
template void Core::say(const session::Order&);

void Core::ask(const ClaimPtr& claim) {
    session::Acquire& request = claim->request;
    if (claim->deadline.never()) {
        request.patience_us = 0;
    } else {
        const auto left = std::chrono::ceil<microseconds>(claim->deadline.at() - Clock::now());
        request.patience_us = static_cast<std::uint64_t>(std::max<std::int64_t>(1, left.count()));
    }
    say(request);
}

void Core::say_follow(const Claim& claim) {
    if (link_ != Link::open || doomed_) return;
    scratch_.clear();
    session::put_message<session::ClientMessage>(session::Follow{claim.ticket(), claim.process_id}, edition_,
                                                 scratch_);
    if (!connection_->write_with(scratch_, claim.process.get(), Clock::now() + options_.connect_timeout))
        drop(silence());
}

void Core::fail_waiting(const ClaimPtr& claim, Failure failure) {
    if (claims_.withdraw(claim, std::move(failure))) say(session::Release{claim->ticket()});
    tell(claim);
}

// --- Receiving.

void Core::take_in(const Socket::Received& received) {
    if (!received.bytes.empty()) unanswered_since_.reset();
    const bool good = connection_->take_in(
        received.bytes, [&](std::string_view content) { return doomed_ || understand(content); });
    if (!good)
        drop(no_daemon(connection_->problem()));
    else if (received.closed || !connection_->flush())
        drop(no_daemon("the other end closed the connection"));
}

bool Core::understand(std::string_view content) {
    const auto spoken = link_ == Link::greeting ? session::edition_in(content) : std::nullopt;
    if (spoken && !is_known(*spoken)) {
        drop(here().text + ": the daemon speaks edition " + std::to_string(*spoken) +
             " of the session protocol, this program " + std::to_string(first_edition) + " to " +
             std::to_string(newest_edition) + "; install the same allot for both");
        turned_away_ = true;
        return true;
    }
    if (spoken) edition_ = *spoken;
    if (!decode(content, heard_message_, edition_) || !content.empty()) return false;
    std::visit([&](auto& message) { hear(message); }, heard_message_);
    return true;
}

void Core::hear(session::Welcome& message) {
    if (link_ != Link::greeting) return;
    link_ = Link::open;
    failures_ = 0;
    refusals_ = 0;
    session_ = std::move(message.session);
    session_at_ = at_;
    host_ = std::move(message.host);
    stop_within_ = microseconds(message.stop_within_us);
    proof_ = greeted_at_;
    // In a new session no lease is left, and another host may have less time.
    if (!message.resumed) leased_until_ = Time();
    extend(greeted_at_, message.valid_us);
    const Claims::Resumption resumption = claims_.resume(message);
    for (const ClaimPtr& claim : resumption.lost) tell(claim);
    for (const Ticket ticket : resumption.release) say(session::Release{ticket});
    for (const ClaimPtr& claim : resumption.follow) say_follow(*claim);
    for (const ClaimPtr& claim : resumption.ask) ask(claim);
    for (std::condition_variable* waiter : waiters_) waiter->notify_one();
}

// Valid from the question on: the answer may have been on its way for any time.
void Core::extend(Time asked, const session::Validity& valid_us) {
    leased_until_ = std::max(leased_until_, asked + microseconds(valid_us.value_or(0)));
}

void Core::hear(session::Granted& message) {
    if (const ClaimPtr claim = claims_.granted(message)) {
        extend(claim->asked_at, message.valid_us);
        chores_at_ = std::min(chores_at_, Clock::now() + tick());
        tell(claim);
    }
}

void Core::hear(session::Refused& message) {
    if (const ClaimPtr claim = claims_.refused(message)) tell(claim);
}

void Core::hear(session::Released& message) {
    if (const ClaimPtr claim = claims_.released(message)) tell(claim);
}

void Core::hear(session::Lost& message) {
    if (const ClaimPtr claim = claims_.lost(message)) tell(claim);
}

// The number of a ping is the time at which it was sent.
void Core::hear(session::Pong& message) {
    const Time sent = born_ + microseconds(message.number);
    proof_ = std::max(proof_, std::min(sent, pinged_at_));
    extend(std::min(sent, pinged_at_), message.valid_us);
    for (std::condition_variable* waiter : waiters_) waiter->notify_one();
}

void Core::hear(session::StatusAnswer& message) {
    statuses_.answer(std::move(message));
}

void Core::hear(session::OrderAnswer& message) {
    orders_.answer(std::move(message));
}

// A daemon that turns the session away does not resume it. Another one may have room.
void Core::hear(session::Farewell& message) {
    const bool may_ask_others = link_ == Link::greeting && ++refusals_ < destinations_.size();
    drop(here().text + ": " + message.reason);
    turned_away_ = true;
    if (!may_ask_others) return give_up(Code::unavailable);
    for (const ClaimPtr& claim : claims_.all())
        if (claim->phase == ClaimPhase::held) lose(claim, problem_);
}

// --- Pings and timeouts.

microseconds Core::ping_every() const {
    const microseconds patience = options_.resume_within;
    return (stop_within_ > microseconds::zero() ? std::min(stop_within_, patience) : patience) / 8;
}

Clock::duration Core::tick() const {
    return std::clamp<Clock::duration>(ping_every() / 2, milliseconds(5), milliseconds(250));
}

// The reading thread may not have noticed the end of the connection yet, so look for it.
bool Core::connected() const {
    return link_ == Link::open && !wait_for(connection_->descriptor(), POLLRDHUP, Clock::now());
}

// How often the watching thread looks for answers to pings.
Clock::duration Core::look_every() const {
    return std::clamp<Clock::duration>(ping_every(), short_wait, std::chrono::seconds(1));
}

void Core::chores(Time now) {
    check_link(now);
    check_claims(now);
    const bool busy = link_ != Link::open || !claims_.all().empty();
    chores_at_ = now + (busy ? tick() : look_every());
}

void Core::check_link(Time now) {
    if (link_ == Link::open) return;
    if (link_ == Link::greeting && now > dial_until(Time::max(), greeted_at_)) drop(silence());
    if (now > down_since_ + options_.resume_within) give_up(Code::unreachable);
}

void Core::check_claims(Time now) {
    if (is_silent(now, stop_within_) && destinations_.size() > 1 && !is_bound()) return leave_for_another();
    const bool silent = is_silent(now, options_.resume_within);
    bool wants_sign = false;
    for (const ClaimPtr& claim : claims_.all()) {
        if (claim->phase == ClaimPhase::waiting) {
            wants_sign = wants_sign || now >= claim->asked_at + ping_every();
            if (silent)
                fail_waiting(claim, Failure(Code::unreachable, silence()));
            else if (claim->settled && now >= claim->deadline.at())
                fail_waiting(claim, at_deadline());
        } else {
            // Also for a lost lease until it is released: the daemon keeps its locks while we are alive.
            wants_sign = wants_sign || now >= std::max(claim->asked_at, proof_) + ping_every();
            const bool ends = claim->phase == ClaimPhase::held && claim->ending != Ending::nothing &&
                              claim->ending != Ending::kept;
            if (ends && now >= leased_until_) lose(claim, expiry());
        }
    }
    if (wants_sign && link_ == Link::open && now >= pinged_at_ + ping_every()) ping(now);
}

bool Core::is_silent(Time now, Clock::duration patience) const {
    return unanswered_since_ && now > *unanswered_since_ + patience;
}

// The requests that wait are asked again there.
void Core::leave_for_another() {
    if (doomed_) return;
    drop(silence());
    turn_to_next();
}

void Core::ping(Time now) {
    const auto number = std::chrono::floor<microseconds>(now - born_);
    pinged_at_ = now;
    if (!unanswered_since_) unanswered_since_ = now;
    say(session::Ping{static_cast<std::uint64_t>(number.count())});
}

void Core::lose(const ClaimPtr& claim, const std::string& reason) {
    claims_.lose(claim, reason);
    tell(claim);
}

}  // namespace allot::client
