#include "protocols/multilock/naimi_trehel.hpp"

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot {

namespace {

struct Post {
    NaimiTrehel::Effects& fx;

    void ask(SiteId to, SiteId asker) { fx.send(to, NaimiTrehel::Ask{asker}); }
    void hand(SiteId to, Fence fence) { fx.send(to, NaimiTrehel::Token{fence}); }
};

}  // namespace

void NaimiTrehel::sample(Draw& draw) {
    draw.number("sites", 2, 6);
    draw.requests(5);
}

void NaimiTrehel::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void NaimiTrehel::start(const Context& ctx, Effects&) {
    path_ = multilock::Path<Fence>::at_start(ctx.self);
}

void NaimiTrehel::request(const Context& ctx, const Demand&, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    phase_ = Phase::waiting;
    path_.ask(ctx.self, Post{fx});
    if (!path_.token) return;
    fx.reached("kept");
    enter(fx);
}

void NaimiTrehel::receive(const Context&, SiteId, const Ask& ask, Effects& fx) {
    if (path_.last) fx.reached("passed-on");
    if (!path_.last && path_.want && !path_.token) fx.reached("line-before-token");
    path_.asked(ask.asker, Post{fx});
}

void NaimiTrehel::receive(const Context&, SiteId, const Token& token, Effects& fx) {
    path_.arrived(token.fence);
    enter(fx);
}

void NaimiTrehel::enter(Effects& fx) {
    phase_ = Phase::holding;
    path_.token = path_.token->next();
    fx.granted({*path_.token});
}

void NaimiTrehel::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    path_.leave(Post{fx});
    fx.released();
}

void NaimiTrehel::on_state(const View<NaimiTrehel>& view, Report& report) {
    std::uint32_t holders = 0;
    std::uint32_t tokens = 0;
    std::vector<std::optional<SiteId>> last;
    for (const auto* site : view.sites) {
        const auto& path = site->protocol.path_;
        holders += site->holding();
        tokens += path.token.has_value();
        last.push_back(path.last);
        if (site->holding() && !path.token)
            report.violated("used-with-token", "a site holds the lock without the token");
    }
    std::vector<multilock::Climber> climbers;
    for (const auto* envelope : view.flight)
        if (const auto* ask = std::get_if<Ask>(&envelope->message))
            climbers.push_back({ask->asker, envelope->to});
        else
            ++tokens;
    if (holders > 1) report.violated("one-holder", std::to_string(holders) + " sites hold the lock");
    if (tokens != 1) report.violated("one-token", "there are " + std::to_string(tokens) + " tokens");
    if (auto why = multilock::not_a_tree(std::move(last), climbers)) report.violated("tree", *why);
}

namespace {

constexpr std::array properties{
    PropertyName{"one-holder", "no two sites hold the lock"},
    PropertyName{"one-token", "the token is with one site or in one message"},
    PropertyName{"used-with-token", "the site that holds the lock has the token"},
    PropertyName{"tree", "the sites' guesses lead without a cycle to the end of the waiting line"},
    PropertyName{"fences-grow", "every grant has a higher fence than the one before"},
};
constexpr std::array<std::string_view, 3> probes{"passed-on", "line-before-token", "kept"};

}  // namespace

constinit const Model<NaimiTrehel, FencesGrow> NaimiTrehel::model{
    .name = "naimi-trehel",
    .problem = "multilock",
    .summary = "one lock; its token follows a tree that every request reshapes (Naimi and Trehel 1987)",
    .source = "Naimi and Trehel (1987)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .handwritten = {.state_error = &NaimiTrehel::state_error},
};

}  // namespace allot
