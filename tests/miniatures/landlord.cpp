#include "miniatures/landlord.hpp"

#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot::miniatures {

void Landlord::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Landlord::sample(Draw& draw) {
    draw.number("sites", 2, 5);
    draw.number("term", 1, 4);
    draw.number("tolerance", draw.number("skew", 0, 2), 3);
    draw.requests(3);
    draw.faults("cuts", 2);
    draw.choice("writes", {"instant", "late"});
}

std::uint32_t Landlord::whole_time(const Config& config) {
    return config.term + (config.repairs.wait_longer ? 2 * config.tolerance : 0);
}

void Landlord::start(const Context& ctx, Effects&) {
    if (let_) wait_ = whole_time(ctx.config);
}

Landlord Landlord::after_crash(Disk disk) const {
    Landlord next;
    if (disk == Disk::kept) next.let_ = synced_note_.value_or(let_);
    if (disk == Disk::torn) next.let_ = let_;
    return next;
}

// --- A tenant.

void Landlord::request(const Context& ctx, const Demand&, Effects& fx) {
    phase_ = Phase::waiting;
    left_ = ctx.config.term;
    fx.send(0, Ask{});
}

void Landlord::receive(const Context&, SiteId, const Let&, Effects& fx) {
    if (left_ == 0) {
        phase_ = Phase::idle;
        fx.refused("the room came too late");
        return;
    }
    phase_ = Phase::holding;
    fx.granted();
}

void Landlord::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.released();
}

// --- The landlord.

void Landlord::receive(const Context& ctx, SiteId from, const Ask&, Effects& fx) {
    queue_.push_back(from);
    let_to_next(ctx, fx);
}

void Landlord::let_to_next(const Context& ctx, Effects& fx) {
    if (let_ || queue_.empty()) return;
    if (!synced_note_) synced_note_ = let_;
    let_ = true;
    fx.persist();
    wait_ = whole_time(ctx.config);
    answer_ = queue_.front();
    queue_.erase(queue_.begin());
    if (!ctx.config.repairs.note_first) answer(fx);
}

void Landlord::answer(Effects& fx) {
    if (!answer_) return;
    fx.send(*answer_, Let{});
    answer_.reset();
}

void Landlord::synced(const Context&, Effects& fx) {
    synced_note_.reset();
    answer(fx);
}

void Landlord::tick(const Context& ctx, Effects& fx) {
    if (left_ > 0 && --left_ == 0 && phase_ == Phase::holding) fx.revoked();
    // The time counts from the answer, which has not left yet.
    if (wait_ == 0 || answer_ || --wait_ > 0) return;
    if (!synced_note_) synced_note_ = let_;
    let_ = false;
    fx.persist();
    let_to_next(ctx, fx);
}

namespace {

constexpr PropertyName exclusion{"exclusion", "at most one tenant has the room"};
constexpr PropertyName properties[]{exclusion};

}  // namespace

void Landlord::on_state(const View<Landlord>& view, Report& report) {
    const auto inside = std::ranges::count_if(
        view.sites, [](const auto* site) { return site->holding() && !site->application.revoked; });
    if (inside > 1) report.violated(exclusion.name, "two tenants have the room");
}

constinit const Model<Landlord> Landlord::model{
    .name = "landlord",
    .problem = "example",
    .summary = "one room, let for a time by a landlord that may crash",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .sample = &sample,
    .requests = {.asks = [](const Context& ctx) { return ctx.self != 0; }},
    .faults = {.mortal = [](const Context& ctx) { return ctx.self == 0; }},
    .durability = {.after_crash = &Landlord::after_crash},
};

}  // namespace allot::miniatures
