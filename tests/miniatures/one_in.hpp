// Of two sites, at least one is in service.
//
// To request is to ask to go out of service, to hold is to be out, and to release is to ask to come back in.
// A site that comes back counts as out until it is told that it is in.
//
// Each site keeps a permission to be out. Who wants to go out needs both, its own too, and asks for them in
// the order of the sites; so it also sends messages to itself. Who wants to come back says Enter to the other
// site, waits for its Welcome, and only then gives both permissions back.
//
// A Welcome travels together with the next request of the other site, to save its own frame: nobody stays
// in for ever, so a next request comes. The protocol is live only where that is true.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/protocol.hpp"

namespace allot::miniatures {

class OneIn {
public:
    static const Model<OneIn> model;

    enum class Initial : std::uint8_t { both_in, first_out, second_out };
    BOOST_DESCRIBE_NESTED_ENUM(Initial, both_in, first_out, second_out)

    struct Config {
        struct Repairs {
            bool one_order = true;
            bool free_when_in = true;
            static constexpr Meaning meanings[]{
                {"one_order", "permissions are asked for in the order of the sites, not the own first"},
                {"free_when_in", "they are given back after the Welcome, not with the Enter"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (one_order, free_when_in), (), ())
        };
        std::uint32_t sites = 2;
        Initial initial = Initial::both_in;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"initial", "which of the two sites are in at the start"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, initial, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Ask {
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (), (), ())
    };
    struct Permit {
        bool operator==(const Permit&) const = default;
        BOOST_DESCRIBE_CLASS(Permit, (), (), (), ())
    };
    struct Enter {
        bool operator==(const Enter&) const = default;
        BOOST_DESCRIBE_CLASS(Enter, (), (), (), ())
    };
    struct Welcome {
        bool operator==(const Welcome&) const = default;
        BOOST_DESCRIBE_CLASS(Welcome, (), (), (), ())
    };
    struct Free {
        bool operator==(const Free&) const = default;
        BOOST_DESCRIBE_CLASS(Free, (), (), (), ())
    };
    using Message = std::variant<Ask, Permit, Enter, Welcome, Free>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Permit& permit, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Enter& enter, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Welcome& welcome, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Free& free, Effects& fx);
    Phase phase() const { return phase_; }

    static void on_state(const View<OneIn>& view, Report& report);

    bool operator==(const OneIn&) const = default;

private:
    static SiteId other(const Context& ctx) { return 1 - ctx.self; }
    static SiteId first_asked(const Context& ctx) {
        return ctx.config.repairs.one_order ? SiteId(0) : ctx.self;
    }
    void lend(SiteId to, Effects& fx);

    Phase phase_ = Phase::idle;
    bool owes_welcome_ = false;
    std::optional<SiteId> lent_;   // who has this site's permission
    std::optional<SiteId> asked_;  // who waits for it

    BOOST_DESCRIBE_CLASS(OneIn, (), (), (), (phase_, owes_welcome_, lent_, asked_))
};

}  // namespace allot::miniatures
