// Naimi and Trehel's mutual exclusion (1987): one lock, held by the site that has the token.
//
// path.hpp explains how the token moves. An entry costs no message at the site that used the token last, and
// on average about log N requests and one token elsewhere. The token counts its grants: that is the fence.
//
// It tolerates no crash: the token may get lost with a site.
#pragma once

#include <optional>

#include "core/protocol.hpp"
#include "protocols/multilock/path.hpp"

namespace allot {

class NaimiTrehel {
public:
    static const Model<NaimiTrehel, FencesGrow> model;

    struct Config {
        std::uint32_t sites = 3;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites), (), ())
    };
    static std::optional<std::string> config_error(const Config&) { return std::nullopt; }
    static void sample(Draw& draw);

    struct Ask {
        SiteId asker = 0;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (asker), (), ())
    };
    struct Token {
        Fence fence;  // of the newest grant
        bool operator==(const Token&) const = default;
        BOOST_DESCRIBE_CLASS(Token, (), (fence), (), ())
    };
    using Message = std::variant<Ask, Token>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Token& token, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }
    std::optional<std::string> state_error(const Context&) const { return path_.state_error(); }

    static void on_state(const View<NaimiTrehel>& view, Report& report);

    bool operator==(const NaimiTrehel&) const = default;

private:
    void enter(Effects& fx);

    Phase phase_ = Phase::idle;
    multilock::Path<Fence> path_;

    BOOST_DESCRIBE_CLASS(NaimiTrehel, (), (), (), (phase_, path_))
};

}  // namespace allot
