#include "miniatures/token_ring.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot::miniatures {

std::optional<std::string> TokenRing::config_error(const Config& config) {
    if (config.sites < 2) return "--sites " + std::to_string(config.sites) + ": a ring needs two";
    if (config.modulus < 2) return "--modulus " + std::to_string(config.modulus) + ": write 2 or more";
    return std::nullopt;
}

// The timer may fire at any time, so without a bound it would fill the ring.
void TokenRing::sample(Draw& draw) {
    draw.number("sites", 2, 4);
    draw.number("backlog", 2, 4);
    draw.faults("lose", 3);
    draw.faults("duplicate", 3);
}

void TokenRing::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void TokenRing::start(const Context& ctx, Effects& fx) {
    if (ctx.self != root) return;
    number_ = 1;
    pass_on(ctx, fx);
}

void TokenRing::request(const Context&, const Demand&, Effects&) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    phase_ = Phase::waiting;
}

void TokenRing::receive(const Context& ctx, SiteId, const Token& token, Effects& fx) {
    if (phase_ == Phase::holding) return;  // a copy of the token that is here
    const bool fresh = is_new(ctx, token);
    if (ctx.self != root) {
        number_ = token.number;
    } else if (fresh) {
        number_ = (number_ + 1) % ctx.config.modulus;
    } else {
        return;
    }
    if (!fresh || phase_ != Phase::waiting) return pass_on(ctx, fx);
    phase_ = Phase::holding;
    // While the root itself has the token, a copy would be a second token.
    if (ctx.self == root) fx.disarm(Timer::regenerate);
    fx.granted();
}

bool TokenRing::is_new(const Context& ctx, const Token& token) const {
    if (ctx.self != root) return token.number != number_;
    return token.number == number_ || !ctx.config.repairs.discard_copies;
}

void TokenRing::release(const Context& ctx, Effects& fx) {
    phase_ = Phase::idle;
    pass_on(ctx, fx);
    fx.released();
}

// An arbitrary start may leave the timer armed while the root holds the token; the release arms it again.
void TokenRing::timeout(const Context& ctx, Timer, Effects& fx) {
    if (phase_ != Phase::holding) pass_on(ctx, fx);
}

void TokenRing::pass_on(const Context& ctx, Effects& fx) const {
    fx.send(next(ctx), Token{number_});
    if (ctx.self == root) fx.arm(Timer::regenerate, 4 * ctx.config.sites);
}

// A number on the ring: that of a message, or the last one a site has seen.
struct TokenRing::Mark {
    std::uint32_t number;
    bool message;
    bool holding;
};

// The marks from the root on, round the ring. Where all is well, those that bear the root's
// number come first and the one before it comes after; the token is where the numbers change.
struct TokenRing::Reading {
    std::vector<Mark> marks;
    std::size_t present = 0;  // how many bear the root's number, before the first that does not
    bool in_order = false;
};

TokenRing::Reading TokenRing::read(const View<TokenRing>& view) {
    Reading reading;
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        const TokenRing& ring = view.site(site).protocol;
        reading.marks.push_back({ring.number_, false, ring.phase_ == Phase::holding});
        const auto behind = static_cast<std::ptrdiff_t>(reading.marks.size());
        // A channel lists its oldest message first, and that one is the furthest from the sender.
        for (const auto* envelope : view.flight)
            if (envelope->from == site)
                reading.marks.insert(reading.marks.begin() + behind,
                                     {std::get<Token>(envelope->message).number, true, false});
    }
    const std::uint32_t number = reading.marks.front().number;
    const std::uint32_t before = (number + view.config.modulus - 1) % view.config.modulus;
    const auto change = std::find_if(reading.marks.begin(), reading.marks.end(),
                                     [&](const Mark& mark) { return mark.number != number; });
    reading.present = static_cast<std::size_t>(change - reading.marks.begin());
    reading.in_order =
        std::all_of(change, reading.marks.end(), [&](const Mark& mark) { return mark.number == before; });
    return reading;
}

void TokenRing::on_state(const View<TokenRing>& view, Report& report) {
    const auto holders =
        std::count_if(view.sites.begin(), view.sites.end(), [](const auto* site) { return site->holding(); });
    if (holders > 1) report.violated("exclusion", std::to_string(holders) + " sites hold the unit");
    if (!read(view).in_order) report.violated("in-order", "a token is where an older one should be");
}

std::optional<Domain> TokenRing::domain(const Context& ctx, std::string_view member) {
    if (member == "phase")
        return Domain{static_cast<std::uint64_t>(Phase::idle), static_cast<std::uint64_t>(Phase::holding)};
    return Domain{0, ctx.config.modulus - 1};
}

// There is one token, on its way or held, and nobody else holds anything.
bool TokenRing::legal(const View<TokenRing>& view) {
    const Reading reading = read(view);
    if (!reading.in_order) return false;
    const Mark& newest = reading.marks[reading.present - 1];
    const auto holders = std::count_if(reading.marks.begin(), reading.marks.end(),
                                       [](const Mark& mark) { return mark.holding; });
    return newest.message ? holders == 0 : newest.holding && holders == 1;
}

namespace {

constexpr std::array properties{
    PropertyName{"exclusion", "at most one site holds the unit"},
    PropertyName{"in-order", "read from the root on, copies of the token come before older ones"},
};

}  // namespace

constinit const Model<TokenRing> TokenRing::model{
    .name = "token-ring",
    .problem = "miniature",
    .summary = "one unit on a ring; the token is made anew when it is lost",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .timers = {.fair = &fair},
    .stabilisation = {.channels = &channels, .legal = &legal},
};

}  // namespace allot::miniatures
