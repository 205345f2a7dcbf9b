#include "miniatures/two_locks.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot::miniatures {

std::optional<std::string> TwoLocks::config_error(const Config& config) {
    if (config.sites < 2) return "--sites " + std::to_string(config.sites) + ": write 2 or more";
    return std::nullopt;
}

void TwoLocks::sample(Draw& draw) {
    draw.number("sites", 2, 4);
    draw.toggle("cancel");
}

std::vector<Demand> TwoLocks::demands(const Context& ctx) {
    const Demand both = ctx.self % 2 == 0 ? Demand{1, {"a", "b"}} : Demand{1, {"b", "a"}};
    return {Demand{1, {"a"}}, Demand{1, {"b"}}, both};
}

void TwoLocks::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void TwoLocks::start(const Context&, Effects&) {
    fence_ = fence_.next();
}

void TwoLocks::request(const Context&, const Demand& demand, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    wanted_ = demand.resources;
    const auto first = missing();
    ensure(first.has_value(), "a request for nothing");
    phase_ = Phase::waiting;
    fx.send(keeper_of(*first), Ask{});
}

void TwoLocks::receive(const Context&, SiteId from, const Ask&, Effects& fx) {
    queue_.push_back(from);
    lend(fx);
}

void TwoLocks::receive(const Context& ctx, SiteId from, const Lend& loan, Effects& fx) {
    if (phase_ == Phase::leaving) {
        if (ctx.config.repairs.return_late_lock) fx.send(from, Return{});
        return rest(fx);
    }
    ensure(phase_ == Phase::waiting, "a lock that nobody asked for");
    loans_[lock_of(from)] = loan.fence;
    if (const auto next = missing()) return fx.send(keeper_of(*next), Ask{});
    phase_ = Phase::holding;
    std::vector<Fence> fences;
    for (const ResourceId lock : wanted_) fences.push_back(loans_.at(lock));
    fx.granted(std::move(fences));
}

void TwoLocks::release(const Context&, Effects& fx) {
    give_back(fx);
    rest(fx);
}

void TwoLocks::receive(const Context& ctx, SiteId from, const Return&, Effects& fx) {
    ensure(borrower_ == from, "a lock comes back from its borrower");
    borrower_.reset();
    if (ctx.config.repairs.number_every_loan || !queue_.empty()) fence_ = fence_.next();
    lend(fx);
}

void TwoLocks::cancel(const Context&, Effects& fx) {
    const SiteId keeper = keeper_of(missing().value());
    phase_ = Phase::leaving;
    give_back(fx);
    fx.send(keeper, Withdraw{});
}

void TwoLocks::receive(const Context&, SiteId from, const Withdraw&, Effects& fx) {
    const auto place = std::find(queue_.begin(), queue_.end(), from);
    if (place == queue_.end()) return;  // the lock is under way, and will come back
    queue_.erase(place);
    fx.send(from, Withdrawn{});
}

void TwoLocks::receive(const Context&, SiteId, const Withdrawn&, Effects& fx) {
    rest(fx);
}

std::optional<ResourceId> TwoLocks::missing() const {
    std::optional<ResourceId> first;
    for (const ResourceId lock : wanted_)
        if (!loans_.contains(lock) && (!first || lock < *first)) first = lock;
    return first;
}

void TwoLocks::give_back(Effects& fx) {
    for (const auto& [lock, fence] : loans_) fx.send(keeper_of(lock), Return{});
    loans_.clear();
}

void TwoLocks::rest(Effects& fx) {
    phase_ = Phase::idle;
    wanted_.clear();
    fx.released();
}

void TwoLocks::lend(Effects& fx) {
    if (borrower_ || queue_.empty()) return;
    borrower_ = queue_.front();
    queue_.erase(queue_.begin());
    fx.send(*borrower_, Lend{fence_});
}

bool TwoLocks::is_lost(const View<TwoLocks>& view, SiteId keeper) {
    const auto borrower = view.site(keeper).protocol.borrower_;
    if (!borrower || view.site(*borrower).protocol.loans_.contains(lock_of(keeper))) return false;
    return std::none_of(view.flight.begin(), view.flight.end(), [&](const auto* envelope) {
        const bool to_borrower = envelope->from == keeper && envelope->to == *borrower;
        const bool to_keeper = envelope->from == *borrower && envelope->to == keeper;
        return (to_borrower && std::holds_alternative<Lend>(envelope->message)) ||
               (to_keeper && std::holds_alternative<Return>(envelope->message));
    });
}

void TwoLocks::on_state(const View<TwoLocks>& view, Report& report) {
    for (const SiteId keeper : {0u, 1u}) {
        const ResourceId lock = lock_of(keeper);
        std::uint32_t holders = 0;
        for (const auto* site : view.sites) {
            const auto& names = site->application.demand.resources;
            const auto place = std::find(names.begin(), names.end(), lock);
            if (!site->holding() || place == names.end()) continue;
            if (++holders > 1) report.violated("exclusion", "lock " + lock.name() + " is held twice");
            const Fence fence = site->application.fences.at(static_cast<std::size_t>(place - names.begin()));
            if (fence != view.site(keeper).protocol.fence_)
                report.violated("fence-fits", "a holder of lock " + lock.name() + " has an old fence");
        }
        if (is_lost(view, keeper)) report.violated("lock-kept", "lock " + lock.name() + " is nowhere");
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"exclusion", "no lock is held by two sites"},
    PropertyName{"lock-kept",
                 "a lock is with its keeper, with whom it was lent to, or under way between them"},
    PropertyName{"fence-fits", "a holder has the newest fence of each of its locks"},
    PropertyName{"fences-grow", "every grant of a lock has a higher fence than the one before"},
};

}  // namespace

constinit const Model<TwoLocks, FencesGrow> TwoLocks::model{
    .name = "two-locks",
    .problem = "miniature",
    .summary = "two locks, asked for by name, with fences and cancellation",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.demands = &demands},
};

}  // namespace allot::miniatures
