// One key, which site 0 keeps. A site that needs it asks site 0, uses it, and returns it; site 0 lends it to
// one site after the other, in the order in which they asked.
#pragma once

#include <deque>
#include <optional>

#include "core/protocol.hpp"

namespace allot {

class OneKey {
public:
    // What the laboratory knows of the protocol: one_key.cpp.
    static const Model<OneKey> model;

    // All sites share one. Each member is a flag: `--sites 4`.
    struct Config {
        // Switched off by `--without one-at-a-time`, to see that the checker notices.
        struct Repairs {
            bool one_at_a_time = true;
            static constexpr Meaning meanings[]{
                {"one_at_a_time", "site 0 lends the key only while it has it"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (one_at_a_time), (), ())
        };
        std::uint32_t sites = 3;
        Repairs repairs;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites, repairs), (), ())
    };

    // One struct for each kind of message.
    struct Ask {
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (), (), ())
    };
    struct Lend {
        bool operator==(const Lend&) const = default;
        BOOST_DESCRIBE_CLASS(Lend, (), (), (), ())
    };
    struct Return {
        bool operator==(const Return&) const = default;
        BOOST_DESCRIBE_CLASS(Return, (), (), (), ())
    };
    using Message = std::variant<Ask, Lend, Return>;

    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    // One step of one site; it calls one of the handlers below.
    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Lend& loan, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Return& back, Effects& fx);
    Phase phase() const { return phase_; }

    bool operator==(const OneKey&) const = default;

private:
    static constexpr SiteId keeper = 0;
    static void on_state(const View<OneKey>& view, Report& report);
    void lend(const Context& ctx, Effects& fx);

    Phase phase_ = Phase::idle;
    // Only site 0 uses these.
    std::deque<SiteId> waiting_;      // asked and have not had the key yet; the first comes first
    std::optional<SiteId> borrower_;  // has the key

    BOOST_DESCRIBE_CLASS(OneKey, (), (), (), (phase_, waiting_, borrower_))
};

}  // namespace allot
