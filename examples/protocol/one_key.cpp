#include "one_key.hpp"

#include <algorithm>

#include "core/model.hpp"

namespace allot {

void OneKey::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void OneKey::start(const Context&, Effects&) {}

void OneKey::request(const Context&, const Demand&, Effects& fx) {
    phase_ = Phase::waiting;
    fx.send(keeper, Ask{});
}

void OneKey::receive(const Context& ctx, SiteId from, const Ask&, Effects& fx) {
    waiting_.push_back(from);
    lend(ctx, fx);
}

void OneKey::receive(const Context&, SiteId, const Lend&, Effects& fx) {
    phase_ = Phase::holding;
    fx.granted();
}

void OneKey::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.send(keeper, Return{});
    fx.released();
}

void OneKey::receive(const Context& ctx, SiteId, const Return&, Effects& fx) {
    borrower_.reset();
    lend(ctx, fx);
}

void OneKey::lend(const Context& ctx, Effects& fx) {
    if (borrower_ && ctx.config.repairs.one_at_a_time) return;
    if (waiting_.empty()) return;
    borrower_ = waiting_.front();
    waiting_.pop_front();
    fx.send(*borrower_, Lend{});
}

void OneKey::on_state(const View<OneKey>& view, Report& report) {
    const auto holders =
        std::count_if(view.sites.begin(), view.sites.end(), [](const auto* site) { return site->holding(); });
    if (holders > 1) report.violated("one-holder", std::to_string(holders) + " sites hold the key");
}

namespace {

constexpr std::array properties{PropertyName{"one-holder", "at most one site holds the key"}};

}  // namespace

constinit const Model<OneKey> OneKey::model{
    .name = "one-key",
    .problem = "example",
    .summary = "one key, which site 0 lends to one site after the other",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .requests = {.capacity = [](const Config&) -> std::uint64_t { return 1; }},
};

}  // namespace allot
