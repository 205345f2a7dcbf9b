#include "allot/client.hpp"

#include <algorithm>
#include <new>
#include <unistd.h>

#include "base/boot_clock.hpp"
#include "client/core.hpp"

namespace allot::client {

Clock::time_point Clock::now() noexcept {
    return time_point(BootClock::now().time_since_epoch());
}

// --- Demand

Demand& Demand::lock(std::string name) & {
    locks_.push_back(std::move(name));
    return *this;
}

Demand&& Demand::lock(std::string name) && {
    return std::move(lock(std::move(name)));
}

Demand& Demand::permit(std::string semaphore, std::uint32_t units) & {
    permits_.push_back({std::move(semaphore), units});
    return *this;
}

Demand&& Demand::permit(std::string semaphore, std::uint32_t units) && {
    return std::move(permit(std::move(semaphore), units));
}

std::optional<std::string> Demand::objection() const {
    if (locks_.empty() && permits_.empty()) return "nothing is asked for; name a lock or a permit";
    for (auto lock = locks_.begin(); lock != locks_.end(); ++lock) {
        if (lock->empty()) return "the name of a lock is empty; name each lock, as in db,gpu0";
        if (std::find(locks_.begin(), lock, *lock) != lock)
            return "lock " + *lock + ": it is named twice; name it once";
    }
    for (auto permit = permits_.begin(); permit != permits_.end(); ++permit) {
        const auto same = [&](const Permit& other) { return other.semaphore == permit->semaphore; };
        if (permit->semaphore.empty())
            return "the name of a semaphore is empty; name each one, as in builds=2";
        if (permit->units == 0) return "permit " + permit->semaphore + ": write at least 1 unit";
        if (std::find_if(permits_.begin(), permit, same) != permit)
            return "permit " + permit->semaphore + ": it is named twice; add the units up";
    }
    return std::nullopt;
}

// --- Lease

// The last owner, a Session or a Lease, closes the connection. In a forked child there is nothing to close:
// the connection belongs to the parent, and the thread does not exist.
struct Lease::Owner {
    explicit Owner(std::shared_ptr<Core> owned) : core(std::move(owned)) {}
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() {
        if (is_mine())
            core->stop();
        else
            new (std::nothrow) std::shared_ptr(std::move(core));  // leaked on purpose
    }

    bool is_mine() const { return process == ::getpid(); }

    std::shared_ptr<Core> core;
    const pid_t process = ::getpid();
};

Lease::Lease(std::shared_ptr<Owner> owner, std::shared_ptr<Claim> claim)
    : owner_(std::move(owner)), claim_(std::move(claim)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    release();
    owner_ = std::move(other.owner_);
    claim_ = std::move(other.claim_);
    return *this;
}

Lease::~Lease() {
    release();
}

void Lease::release() {
    if (claim_ && owner_->is_mine()) owner_->core->release(claim_);
    claim_.reset();
    owner_.reset();
}

void Lease::leave() {
    claim_.reset();
    owner_.reset();
}

bool Lease::valid() const {
    return claim_ && owner_->core->valid(claim_);
}

Clock::time_point Lease::valid_until() const {
    return claim_ ? owner_->core->valid_until(claim_) : Clock::time_point::min();
}

Ending Lease::ending() const {
    return claim_ ? claim_->ending : Ending::stopped;
}

const std::vector<Held>& Lease::held() const {
    static const std::vector<Held> nothing;
    return claim_ ? claim_->held : nothing;
}

std::uint64_t Lease::fence() const {
    if (held().size() != 1)
        throw std::logic_error("Lease::fence(): the lease does not hold exactly one resource");
    return held().front().fence;
}

std::uint64_t Lease::fence(std::string_view name) const {
    for (const Held& one : held())
        if (one.name == name) return one.fence;
    throw std::logic_error("Lease::fence(): " + std::string(name) + " is not held");
}

void Lease::on_lost(std::function<void(const std::string&)> call) {
    if (claim_) owner_->core->on_lost(claim_, std::move(call));
}

std::string Lease::lost_because() const {
    return claim_ ? owner_->core->lost_because(claim_) : "";
}

void Lease::follow(int process) {
    if (!claim_) throw std::logic_error("Lease::follow(): the lease holds nothing");
    owner_->core->follow(claim_, process);
}

Lease Outcome::lease() && {
    if (failure_) throw Failure(*failure_);
    return std::move(lease_);
}

// --- Session

Session::Session(std::shared_ptr<Lease::Owner> owner) : owner_(std::move(owner)) {}

Session Session::connect(const Options& options) {
    auto owner = std::make_shared<Lease::Owner>(std::make_shared<Core>(options, Core::Turns::drawn));
    owner->core->connect();
    return Session(std::move(owner));
}

Lease Session::acquire(const Demand& demand, Deadline deadline) {
    return {owner_, owner_->core->acquire(demand, deadline)};
}

std::optional<Lease> Session::try_acquire(const Demand& demand, std::chrono::microseconds patience) {
    try {
        return acquire(demand, patience);
    } catch (const Failure& failure) {
        if (failure.code() == Code::timed_out) return std::nullopt;
        throw;
    }
}

void Session::async_acquire(const Demand& demand, Deadline deadline, std::function<void(Outcome)> call) {
    // The pending request does not keep the session open.
    const std::weak_ptr<Lease::Owner> waiting = owner_;
    owner_->core->async_acquire(
        demand, deadline,
        [waiting, call = std::move(call)](const ClaimPtr& claim, const std::optional<Failure>& failure) {
            auto owner = waiting.lock();
            if (failure || !owner)
                call(failure.value_or(Failure(Code::unreachable, "the session was closed")));
            else
                call(Lease(std::move(owner), claim));
        });
}

Session::Acquisition Session::async_acquire(Demand demand, Deadline deadline) {
    return {*this, std::move(demand), deadline};
}

void Session::Acquisition::await_suspend(std::coroutine_handle<> waiting) {
    // The callback may destroy this object, so nothing of it is used after the call.
    session_->async_acquire(demand_, deadline_, [this, waiting](Outcome outcome) {
        outcome_.emplace(std::move(outcome));
        waiting.resume();
    });
}

Lease Session::Acquisition::await_resume() {
    return std::move(*outcome_).lease();
}

std::string Session::host() const {
    return owner_->core->host();
}

std::chrono::microseconds Session::stop_within() const {
    return owner_->core->stop_within();
}

int Session::descriptor() const {
    return owner_->core->descriptor();
}

}  // namespace allot::client
