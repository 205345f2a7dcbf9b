#include "protocols/multilock/naimi_trehel.hpp"

#include "base/ensure.hpp"
#include "core/draw.hpp"

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

}  // namespace allot
