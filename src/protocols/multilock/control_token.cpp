#include "protocols/multilock/control_token.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "protocols/multilock/model.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

using multilock::Inside;
using multilock::Latest;
using multilock::Register;
using multilock::TokenSet;
using Reading = multilock::Control;

namespace {

struct Post {
    ControlToken::Effects& fx;

    void ask(SiteId to, SiteId asker) { fx.send(to, ControlToken::Ask{asker}); }
    void hand(SiteId to, Register entries) { fx.send(to, ControlToken::Control{std::move(entries)}); }
};

}  // namespace

std::optional<std::string> ControlToken::config_error(const Config& config) {
    return multilock::resources_error(config.resources, config.max_request);
}

void ControlToken::sample(Draw& draw) {
    draw.number("sites", 2, 5);
    draw.number("resources", 1, 4);
    draw.choice("control", {"pass", "hold", "lock", "section"});
    draw.requests(4);
}

std::optional<std::string> ControlToken::state_error(const Context&) const {
    return control_.state_error();
}

void ControlToken::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void ControlToken::start(const Context& ctx, Effects&) {
    control_ = multilock::Path<Register>::at_start(ctx.self);
}

// --- Asking, with the control token.

void ControlToken::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    if (auto why = multilock::demand_error(demand)) return fx.refused(std::move(*why));
    phase_ = Phase::waiting;
    request_ = request_.next();
    wanted_ = demand.resources;
    control_.ask(ctx.self, Post{fx});
    if (control_.token) consult_register(ctx, fx);
}

void ControlToken::receive(const Context&, SiteId, const Ask& ask, Effects& fx) {
    control_.asked(ask.asker, Post{fx});
}

void ControlToken::receive(const Context& ctx, SiteId, const Control& control, Effects& fx) {
    control_.arrived(control.entries);
    consult_register(ctx, fx);
}

void ControlToken::consult_register(const Context& ctx, Effects& fx) {
    put_in(ctx, fx);
    Inquiries inquiries;
    for (ResourceId resource : wanted_) take_out(ctx, resource, inquiries);
    for (auto& [site, inquire] : inquiries) fx.send(site, std::move(inquire));

    if (ctx.config.control == Reading::pass) control_.leave(Post{fx});
    if (ctx.config.control == Reading::hold) {
        unanswered_ = static_cast<std::uint32_t>(inquiries.size());
        leave_after_answers(fx);
    }
    try_enter(ctx, fx);
}

// A token that this site keeps and no site has asked for since is inside from now on. The others stay:
// inquiries for them are in flight.
void ControlToken::put_in(const Context& ctx, Effects& fx) {
    for (auto token = kept_.begin(); token != kept_.end();) {
        auto& entry = control_.token->at(token->first);
        const auto* latest = std::get_if<Latest>(&entry);
        ensure(latest != nullptr, "a token that is here is not inside");
        if (latest->site != ctx.self) {
            ++token;
            continue;
        }
        if (std::ranges::find(wanted_, token->first) == wanted_.end()) fx.reached("put-in");
        entry = Inside{token->second};
        token = kept_.erase(token);
    }
}

void ControlToken::take_out(const Context& ctx, ResourceId resource, Inquiries& inquiries) {
    auto& entry = (*control_.token)[resource];
    if (const auto* inside = std::get_if<Inside>(&entry)) {
        mine_.emplace(resource, inside->fence);
    } else {
        const auto& latest = std::get<Latest>(entry);
        ensure(latest.site != ctx.self, "a token that only this site has asked for is inside");
        inquiries[latest.site].inquiries.push_back({resource, latest.request});
    }
    entry = Latest{ctx.self, request_};
}

// --- Tokens, from site to site.

void ControlToken::receive(const Context& ctx, SiteId from, const Inquire& inquire, Effects& fx) {
    TokenSet tokens;
    for (const multilock::Inquiry& inquiry : inquire.inquiries) {
        ResourceId resource = inquiry.resource;
        if (means_open_request(ctx, inquiry)) {
            if (!mine_.contains(resource)) fx.reached("asked-before-token");
            const bool only = heirs_.emplace(resource, from).second;
            ensure(only, "a token has one heir");
            continue;
        }
        const auto token = kept_.find(resource);
        ensure(token != kept_.end(), "a token stays here until it is inquired for");
        if (phase_ != Phase::idle) fx.reached("late-inquiry");
        if (std::ranges::find(wanted_, resource) != wanted_.end()) fx.reached("registered-again");
        tokens.insert(*token);
        kept_.erase(token);
    }
    if (ctx.config.control == Reading::hold)
        fx.send(from, Answer{std::move(tokens)});
    else if (!tokens.empty())
        fx.send(from, Tokens{std::move(tokens)});
}

bool ControlToken::means_open_request(const Context& ctx, const multilock::Inquiry& inquiry) const {
    if (phase_ == Phase::idle) return false;
    if (!ctx.config.repairs.numbered_inquiries) return std::ranges::count(wanted_, inquiry.resource) > 0;
    return inquiry.request == request_;
}

void ControlToken::receive(const Context& ctx, SiteId, const Answer& answer, Effects& fx) {
    ensure(unanswered_ > 0, "an answer that this site does not wait for");
    take(answer.tokens);
    --unanswered_;
    leave_after_answers(fx);
    try_enter(ctx, fx);
}

void ControlToken::receive(const Context& ctx, SiteId, const Tokens& tokens, Effects& fx) {
    take(tokens.tokens);
    try_enter(ctx, fx);
}

void ControlToken::leave_after_answers(Effects& fx) {
    if (unanswered_ == 0) control_.leave(Post{fx});
}

void ControlToken::take(const TokenSet& tokens) {
    ensure(phase_ == Phase::waiting, "tokens come to a site that waits");
    mine_.insert(tokens.begin(), tokens.end());
}

// A token may overtake an answer on the link; the control token is then still here.
void ControlToken::try_enter(const Context& ctx, Effects& fx) {
    if (mine_.size() < wanted_.size() || unanswered_ > 0) return;
    phase_ = Phase::holding;
    std::vector<Fence> fences;
    for (ResourceId resource : wanted_) {
        Fence& fence = mine_.at(resource);
        fence = fence.next();
        fences.push_back(fence);
    }
    if (ctx.config.control == Reading::lock) control_.leave(Post{fx});
    fx.granted(std::move(fences));
}

void ControlToken::release(const Context& ctx, Effects& fx) {
    hand_on(fx);
    phase_ = Phase::idle;
    wanted_.clear();
    if (ctx.config.control == Reading::section) control_.leave(Post{fx});
    fx.released();
}

// A token that no site has inquired for stays here.
void ControlToken::hand_on(Effects& fx) {
    boost::container::flat_map<SiteId, Tokens> parcels;
    for (const auto& [resource, fence] : mine_)
        if (const auto heir = heirs_.find(resource); heir != heirs_.end())
            parcels[heir->second].tokens.emplace(resource, fence);
        else
            kept_.emplace(resource, fence);
    for (auto& [heir, tokens] : parcels) {
        if (tokens.tokens.size() > 1) fx.reached("several-tokens");
        fx.send(heir, std::move(tokens));
    }
    mine_.clear();
    heirs_.clear();
}

// --- Properties.

void ControlToken::on_state(const View<ControlToken>& view, Report& report) {
    multilock::check_one_holder(view, report);
    for (const auto* site : view.sites)
        if (site->holding())
            for (ResourceId resource : site->application.demand.resources)
                if (!site->protocol.mine_.contains(resource))
                    report.violated("used-with-token", resource.name() + " is held without its token");
    check_tree(view, report);
    if (const Register* entries = find_register(view, report)) check_tokens(view, *entries, report);
}

const Register* ControlToken::find_register(const View<ControlToken>& view, Report& report) {
    std::vector<const Register*> found;
    for (const auto* site : view.sites)
        if (const auto& token = site->protocol.control_.token) found.push_back(&*token);
    for (const auto* envelope : view.flight)
        if (const auto* control = std::get_if<Control>(&envelope->message))
            found.push_back(&control->entries);
    if (found.size() == 1) return found.front();
    report.violated("one-token", "there are " + std::to_string(found.size()) + " control tokens");
    return nullptr;
}

void ControlToken::check_tokens(const View<ControlToken>& view, const Register& entries, Report& report) {
    boost::container::flat_map<ResourceId, std::uint32_t> tokens;
    const auto count = [&](const TokenSet& set) {
        for (const auto& [resource, fence] : set) ++tokens[resource];
    };
    for (const auto* site : view.sites) {
        count(site->protocol.mine_);
        count(site->protocol.kept_);
    }
    for (const auto* envelope : view.flight) {
        if (const auto* answer = std::get_if<Answer>(&envelope->message)) count(answer->tokens);
        if (const auto* parcel = std::get_if<Tokens>(&envelope->message)) count(parcel->tokens);
    }
    for (const auto& [resource, entry] : entries) {
        const auto* latest = std::get_if<Latest>(&entry);
        if (latest == nullptr)
            ++tokens[resource];
        else if (!view.site(latest->site).protocol.has_or_awaits(resource, latest->request))
            report.violated("registered", "site " + std::to_string(latest->site) +
                                              " is registered and neither has nor awaits " + resource.name());
        tokens.try_emplace(resource, 0);
    }
    for (const auto& [resource, number] : tokens)
        if (number != 1 || !entries.contains(resource))
            report.violated("one-token", resource.name() + " has " + std::to_string(number) + " tokens" +
                                             (entries.contains(resource) ? "" : " and another inside"));
}

void ControlToken::check_tree(const View<ControlToken>& view, Report& report) {
    std::vector<std::optional<SiteId>> last;
    for (const auto* site : view.sites) last.push_back(site->protocol.control_.last);
    std::vector<multilock::Climber> climbers;
    for (const auto* envelope : view.flight)
        if (const auto* ask = std::get_if<Ask>(&envelope->message))
            climbers.push_back({ask->asker, envelope->to});
    if (auto why = multilock::not_a_tree(std::move(last), climbers)) report.violated("tree", *why);
}

bool ControlToken::has_or_awaits(ResourceId resource, Stamp request) const {
    if (request == request_ && phase_ != Phase::idle) return std::ranges::count(wanted_, resource) > 0;
    return kept_.contains(resource);
}

namespace {

constexpr std::array properties{
    PropertyName{"one-holder", "no resource is held by two sites"},
    PropertyName{"one-token", "each token is with one site, in one message or in the control token"},
    PropertyName{"used-with-token", "a site that holds resources has their tokens"},
    PropertyName{"registered", "the site that asked last for a resource has its token or waits for it"},
    PropertyName{"tree", "the sites' guesses lead without a cycle to the end of the waiting line"},
    PropertyName{"fences-grow", "every grant of a resource has a higher fence than the one before"},
};
constexpr std::array<std::string_view, 5> probes{"put-in", "late-inquiry", "registered-again",
                                                 "asked-before-token", "several-tokens"};

}  // namespace

constinit const Model<ControlToken, FencesGrow> ControlToken::model{
    .name = "control-token",
    .problem = "multilock",
    .summary = "several locks; all requests pass one control token (Bouabdallah and Laforest 2000)",
    .source = "after Bouabdallah and Laforest (2000)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = multilock::named_requests<ControlToken>(),
    .handwritten = {.state_error = &ControlToken::state_error},
};

}  // namespace allot
