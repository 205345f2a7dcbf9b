// A token goes round a ring of sites; whoever has it may use the one resource. Message loss and arbitrary
// starts are survived.
//
// Site 0, the root, gives the token a new number each time it comes round, and sends it again when it seems
// lost: a timer that fires too early makes copies. The channels are FIFO, so a copy stays behind the token.
// The others pass on every token, since a copy may have to replace a token that was lost further on, but they
// keep only one whose number is new to them. The root discards what does not bear its number.
//
// After an arbitrary start the ring may be full of tokens. The root's number grows until it meets none of the
// numbers that are stale, and then sweeps all of them away; so there must be more numbers than messages.
#pragma once

#include <optional>
#include <vector>

#include "core/corrupt.hpp"
#include "core/protocol.hpp"

namespace allot::miniatures {

class TokenRing {
public:
    static const Model<TokenRing> model;

    struct Config {
        struct Repairs {
            bool discard_copies = true;
            static constexpr Meaning meanings[]{
                {"discard_copies", "the root takes only a token that bears its number"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (discard_copies), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t modulus = 8;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"modulus", "number of numbers of the token"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, modulus, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Token {
        std::uint32_t number = 0;
        bool operator==(const Token&) const = default;
        BOOST_DESCRIBE_CLASS(Token, (), (number), (), ())
    };
    using Message = std::variant<Token>;

    enum class Timer : std::uint8_t { regenerate };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, regenerate)

    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Token& token, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    static bool fair(Timer) { return true; }
    Phase phase() const { return phase_; }

    static void on_state(const View<TokenRing>& view, Report& report);

    // Arbitrary starts: what a site and a message may contain, whom a site sends to, and where it must lead.
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    static std::vector<SiteId> channels(const Context& ctx) { return {next(ctx)}; }
    static bool legal(const View<TokenRing>& view);

    bool operator==(const TokenRing&) const = default;

private:
    struct Mark;
    struct Reading;

    static constexpr SiteId root = 0;
    static SiteId next(const Context& ctx) { return (ctx.self + 1) % ctx.config.sites; }
    bool is_new(const Context& ctx, const Token& token) const;
    void pass_on(const Context& ctx, Effects& fx) const;
    static Reading read(const View<TokenRing>& view);

    Phase phase_ = Phase::idle;
    std::uint32_t number_ = 0;  // of the token that was here last; the root's: of the one it sent last

    BOOST_DESCRIBE_CLASS(TokenRing, (), (), (), (phase_, number_))
};

}  // namespace allot::miniatures
