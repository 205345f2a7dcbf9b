#include "protocols/semaphore/raymond.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot {

std::optional<std::string> Raymond::config_error(const Config& config) {
    if (config.permits < 1 || config.permits > config.sites)
        return "--permits " + std::to_string(config.permits) + ": with --sites " +
               std::to_string(config.sites) + " write a number from 1 to " + std::to_string(config.sites);
    return std::nullopt;
}

// Answers are counted, so every message must arrive exactly once; and k crashes stop every site.
void Raymond::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 5);
    const auto permits = draw.number("permits", 1, sites);
    draw.faults("crashes", permits > 0 ? permits - 1 : 0);
}

std::optional<std::string> Raymond::state_error(const Context& ctx) const {
    if (unanswered_.size() != ctx.config.sites || deferred_.size() != ctx.config.sites)
        return "unanswered and deferred need one number per site";
    if (phase_ != Phase::idle && !stamp_) return "a site that waits or holds has a stamp";
    return std::nullopt;
}

void Raymond::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Raymond::start(const Context& ctx, Effects&) {
    unanswered_.assign(ctx.config.sites, 0);
    deferred_.assign(ctx.config.sites, 0);
}

void Raymond::request(const Context& ctx, const Demand&, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    clock_ = clock_.next();
    stamp_ = clock_;
    phase_ = Phase::waiting;
    for (SiteId peer = 0; peer < ctx.config.sites; ++peer) {
        if (peer == ctx.self) continue;
        ++unanswered_[peer];
        fx.send(peer, Request{clock_});
    }
    try_enter(ctx, fx);
}

void Raymond::receive(const Context& ctx, SiteId from, const Request& request, Effects& fx) {
    clock_ = max(clock_, request.stamp);
    if (goes_first(ctx, from, request.stamp))
        ++deferred_[from];
    else
        fx.send(from, Reply{1});
}

void Raymond::receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx) {
    ensure(unanswered_[from] >= reply.answers, "a reply to a request that was never made");
    unanswered_[from] -= reply.answers;
    try_enter(ctx, fx);
}

void Raymond::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    stamp_.reset();
    for (SiteId peer = 0; peer < deferred_.size(); ++peer) {
        if (deferred_[peer] == 0) continue;
        fx.send(peer, Reply{deferred_[peer]});
        deferred_[peer] = 0;
    }
    fx.released();
}

void Raymond::try_enter(const Context& ctx, Effects& fx) {
    if (phase_ != Phase::waiting) return;
    // Stops at the k-th peer that has not answered: with many sites most of the time is spent here.
    std::uint32_t missing = 0;
    for (const std::uint32_t count : unanswered_)
        if (count > 0 && ++missing == ctx.config.permits) return;
    phase_ = Phase::holding;
    fx.granted();
}

bool Raymond::goes_first(const Context& ctx, SiteId other, Stamp others_stamp) const {
    if (phase_ == Phase::holding) return true;
    return phase_ == Phase::waiting && std::pair(*stamp_, ctx.self) < std::pair(others_stamp, other);
}

void Raymond::on_state(const View<Raymond>& view, Report& report) {
    const auto holders =
        std::count_if(view.sites.begin(), view.sites.end(), [](auto* site) { return site->holding(); });
    if (holders > static_cast<std::ptrdiff_t>(view.config.permits))
        report.violated("at-most-k", std::to_string(holders) + " sites hold one of " +
                                         std::to_string(view.config.permits) + " permits");

    check_answers(view, report);
}

// Between two live sites no awaited answer gets lost or doubled (semaphore.md, I4).
void Raymond::check_answers(const View<Raymond>& view, Report& report) {
    const std::size_t sites = view.sites.size();
    boost::container::small_vector<std::uint32_t, 36> under_way(sites * sites);  // [asker][peer]
    for (const auto* envelope : view.flight) {
        const auto* reply = std::get_if<Reply>(&envelope->message);
        const SiteId asker = reply ? envelope->to : envelope->from;
        const SiteId peer = reply ? envelope->from : envelope->to;
        under_way[asker * sites + peer] += reply ? reply->answers : 1;
    }
    boost::container::small_vector<const Raymond*, 6> live;  // nothing in place of those that are down
    for (SiteId site = 0; site < sites; ++site)
        live.push_back(view.site(site).up() ? &view.site(site).protocol : nullptr);
    for (SiteId asker = 0; asker < sites; ++asker) {
        if (live[asker] == nullptr) continue;
        const auto& unanswered = live[asker]->unanswered_;
        for (SiteId peer = 0; peer < sites; ++peer) {
            if (live[peer] == nullptr) continue;
            const std::uint32_t waited = unanswered[peer];
            const std::uint32_t due = under_way[asker * sites + peer] + live[peer]->deferred_[asker];
            if (waited != due)
                return report.violated("answers-kept", "site " + std::to_string(asker) + " waits for " +
                                                           std::to_string(waited) + " answers of site " +
                                                           std::to_string(peer) + ", but " +
                                                           std::to_string(due) + " are in flight or owed");
        }
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"at-most-k", "no more than k live sites hold a permit"},
    PropertyName{"answers-kept", "every answer that a site waits for is in flight or owed by the peer"},
};

}  // namespace

constinit const Model<Raymond> Raymond::model{
    .name = "raymond",
    .problem = "semaphore",
    .summary = "k permits among N sites; fewer than k crashes tolerated (Raymond 1989)",
    .source = "Raymond: A Distributed Algorithm for Multiple Entries to a Critical Section (1989)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.capacity = [](const Config& config) -> std::uint64_t { return config.permits; },
                 .capacity_is_bound = true},
    // A reply only brings its receiver closer to a grant.
    .reduction = {.prompt =
                      [](const EnvelopeOf<Message>& envelope) {
                          return std::holds_alternative<Reply>(envelope.message);
                      }},
    .handwritten = {.state_error = &Raymond::state_error},
};

}  // namespace allot
