// What the renaming of stamps keeps: two sites count, and what is judged depends on how far apart they get.
#include <array>
#include <gtest/gtest.h>

#include "check/checker.hpp"
#include "core/view.hpp"
#include "world/entry_of.hpp"

namespace allot {
namespace {

// Each request of a site makes a stamp. With `hear` it asks the other for its clock first, so that it never
// stays behind; but one may make any number of stamps while the other makes none.
class Counting {
public:
    static const Model<Counting> model;

    struct Config {
        std::uint32_t sites = 2;
        bool hear = true;
        std::uint32_t stride = 1;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"hear", "a site moves its clock past what it hears"},
            {"stride", "how far one step moves the clock"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, hear, stride), (), ())
    };

    struct Ask {
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (), (), ())
    };
    struct Tell {
        Stamp clock;
        bool operator==(const Tell&) const = default;
        BOOST_DESCRIBE_CLASS(Tell, (), (clock), (), ())
    };
    using Message = std::variant<Ask, Tell>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand&, Effects& fx) {
        phase_ = Phase::waiting;
        if (ctx.config.hear)
            fx.send(1 - ctx.self, Ask{});
        else
            count(ctx, fx);
    }
    void receive(const Context&, SiteId from, const Ask&, Effects& fx) { fx.send(from, Tell{clock_}); }
    void receive(const Context& ctx, SiteId, const Tell& tell, Effects& fx) {
        clock_ = max(clock_, tell.clock);
        count(ctx, fx);
    }
    void release(const Context&, Effects& fx) {
        phase_ = Phase::idle;
        fx.released();
    }
    Phase phase() const { return phase_; }

    static void on_state(const View<Counting>& view, Report& report) {
        for (const SiteOf<Counting>* site : view.sites)
            if (site->protocol.phase_ == Phase::holding && site->protocol.clock_ == Stamp{})
                report.violated("counts", "a stamp is missing");
    }
    bool operator==(const Counting&) const = default;

private:
    void count(const Context& ctx, Effects& fx) {
        for (std::uint32_t i = 0; i < ctx.config.stride; ++i) clock_ = clock_.next();
        phase_ = Phase::holding;
        fx.granted({});
    }

    Phase phase_ = Phase::idle;
    Stamp clock_;
    BOOST_DESCRIBE_CLASS(Counting, (), (), (), (phase_, clock_))
};

constexpr std::array counting_properties{
    PropertyName{"counts", "who holds has made a stamp"},
};

constinit const Model<Counting> Counting::model{
    .name = "counting",
    .problem = "miniature",
    .summary = "sites that count",
    .links = Links::fifo,
    .properties = counting_properties,
    .on_state = &on_state,
};

template <class P>
check::Result judge(const Parameters& parameters) {
    const auto entry = world::entry_of<P>();
    auto machine = walk::make_machine(entry, parameters);
    EXPECT_TRUE(machine);
    return check::check(**machine, {});
}

// However far the other has got, it is heard before the next stamp is made.
TEST(Stamps, That_drift_apart_for_ever_are_renamed_exactly_if_who_is_behind_catches_up) {
    const auto result = judge<Counting>({{"requests", "any"}});
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.guesses, 0u);
}

// Who is behind may count until it is ahead: how far it was behind is guessed, and nothing is left out.
TEST(Stamps, That_drift_apart_and_may_come_close_again_are_renamed_to_all_they_may_be) {
    const auto result = judge<Counting>({{"requests", "any"}, {"hear", "off"}});
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_GT(result.guesses, 0u);
}

// The names of stamps are made for steps that go a little further than what is known.
TEST(Stamps, That_leap_ahead_are_noticed) {
    const auto result = judge<Counting>({{"requests", "any"}, {"stride", "4"}});
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    EXPECT_EQ(result.stopped_by, "a step made stamps too far ahead to be renamed");
    EXPECT_EQ(judge<Counting>({{"requests", "any"}, {"stride", "3"}}).verdict, check::Verdict::holds);
}

// Where a distance was guessed, a site may be served in a world that no real clocks lead to.
TEST(Stamps, That_are_guessed_do_not_show_that_somebody_can_be_served) {
    const auto result = judge<Counting>({{"requests", "any"}, {"hear", "off"}, {"property", "servable"}});
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    EXPECT_EQ(result.unchecked, std::vector<std::string>{"servable"});
}

// Site 0 is far ahead, and is served when site 1 has counted past it.
class Overtaken {
public:
    static const Model<Overtaken> model;

    struct Config {
        std::uint32_t sites = 2;
        bool count = true;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"count", "site 1 counts"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, count), (), ())
    };

    struct Tell {
        Stamp clock;
        bool operator==(const Tell&) const = default;
        BOOST_DESCRIBE_CLASS(Tell, (), (clock), (), ())
    };
    struct Heard {
        bool operator==(const Heard&) const = default;
        BOOST_DESCRIBE_CLASS(Heard, (), (), (), ())
    };
    using Message = std::variant<Tell, Heard>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context& ctx, Effects&) {
        if (ctx.self == 0) clock_ = clock_.next().next().next();
    }
    void request(const Context& ctx, const Demand&, Effects& fx) {
        phase_ = Phase::waiting;
        if (ctx.self == 0)
            clock_ = clock_.next().next().next();
        else if (ctx.config.count)
            clock_ = clock_.next();
        if (ctx.self == 1) fx.send(0, Tell{clock_});
    }
    void receive(const Context&, SiteId from, const Tell& tell, Effects& fx) {
        if (phase_ == Phase::waiting && !(tell.clock < clock_)) hold(fx);
        fx.send(from, Heard{});
    }
    void receive(const Context&, SiteId, const Heard&, Effects& fx) { hold(fx); }
    void release(const Context&, Effects& fx) {
        phase_ = Phase::idle;
        fx.released();
    }
    Phase phase() const { return phase_; }

    static void on_state(const View<Overtaken>& view, Report& report) {
        if (view.site(0).holding() && view.site(1).protocol.clock_ < view.site(0).protocol.clock_)
            report.violated("overtaken", "site 0 is ahead and was served");
    }
    bool operator==(const Overtaken&) const = default;

private:
    void hold(Effects& fx) {
        phase_ = Phase::holding;
        fx.granted({});
    }

    Phase phase_ = Phase::idle;
    Stamp clock_;
    BOOST_DESCRIBE_CLASS(Overtaken, (), (), (), (phase_, clock_))
};

constexpr std::array overtaken_properties{
    PropertyName{"overtaken", "site 0 is served only when it is not ahead"},
};

constinit const Model<Overtaken> Overtaken::model{
    .name = "overtaken",
    .problem = "miniature",
    .summary = "a site that waits until it is overtaken",
    .links = Links::fifo,
    .properties = overtaken_properties,
    .on_state = &on_state,
    .requests = {.forever = true},
};

// That site 0 waits for ever takes a clock that jumps back: nothing is decided by that.
TEST(Stamps, A_loop_that_uses_up_a_distance_is_no_counterexample) {
    const auto result = judge<Overtaken>({{"requests", "any"}});
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    ASSERT_EQ(result.violations.size(), 1u);
    EXPECT_EQ(result.violations.front().property, "starvation");
    EXPECT_FALSE(result.violations.front().replayed);
}

TEST(Stamps, A_loop_that_keeps_a_distance_is_one) {
    const auto result = judge<Overtaken>({{"requests", "any"}, {"count", "off"}, {"property", "starvation"}});
    EXPECT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_TRUE(result.violations.front().replayed);
}

// Site 1 breaks its contract once it has heard that site 0 is far ahead; it makes a stamp while it does so.
class Provoked {
public:
    static const Model<Provoked> model;

    struct Config {
        std::uint32_t sites = 2;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites), (), ())
    };
    struct Tell {
        Stamp clock;
        bool operator==(const Tell&) const = default;
        BOOST_DESCRIBE_CLASS(Tell, (), (clock), (), ())
    };
    using Message = std::variant<Tell>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand&, Effects& fx) {
        clock_ = clock_.next();
        if (provoked_) return fx.granted({});  // and does not say that it holds anything
        phase_ = Phase::holding;
        fx.granted({});
        if (ctx.self == 0) fx.send(1, Tell{clock_});
    }
    void receive(const Context&, SiteId, const Tell& tell, Effects&) {
        provoked_ = clock_.next().next().next() < tell.clock;
    }
    void release(const Context&, Effects& fx) {
        phase_ = Phase::idle;
        fx.released();
    }
    Phase phase() const { return phase_; }
    static void on_state(const View<Provoked>&, Report&) {}
    bool operator==(const Provoked&) const = default;

private:
    Phase phase_ = Phase::idle;
    Stamp clock_;
    bool provoked_ = false;
    BOOST_DESCRIBE_CLASS(Provoked, (), (), (), (phase_, clock_, provoked_))
};

constexpr std::array provoked_properties{PropertyName{"none", "nothing of its own"}};

constinit const Model<Provoked> Provoked::model{
    .name = "provoked",
    .problem = "miniature",
    .summary = "a site that is provoked by another that is far ahead",
    .links = Links::fifo,
    .properties = provoked_properties,
    .on_state = &on_state,
};

TEST(Stamps, A_violation_that_takes_away_from_a_distance_is_replayed) {
    const auto result = judge<Provoked>({{"requests", "any"}, {"property", "contract"}});
    ASSERT_EQ(result.verdict, check::Verdict::violated) << result.stopped_by;
    EXPECT_TRUE(result.violations.front().replayed);
}

}  // namespace
}  // namespace allot
