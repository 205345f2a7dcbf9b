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
    static constexpr std::string_view name = "counting";
    static constexpr std::string_view problem = "miniature";
    static constexpr std::string_view summary = "sites that count";
    static constexpr Links links = Links::fifo;
    static constexpr std::array properties{
        PropertyName{"counts", "who holds has made a stamp"},
    };
    struct Config {
        std::uint32_t sites = 2;
        bool hear = true;
        BOOST_DESCRIBE_CLASS(Config, (), (sites, hear), (), ())
    };
    static std::optional<std::string> wrong(const Config&) { return std::nullopt; }

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

    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand&, Effects& fx) {
        phase_ = Phase::waiting;
        if (ctx.config.hear)
            fx.send(1 - ctx.self, Ask{});
        else
            count(fx);
    }
    void receive(const Context&, SiteId from, const Ask&, Effects& fx) { fx.send(from, Tell{clock_}); }
    void receive(const Context&, SiteId, const Tell& tell, Effects& fx) {
        clock_ = max(clock_, tell.clock);
        count(fx);
    }
    void release(const Context&, Effects& fx) {
        phase_ = Phase::idle;
        fx.released();
    }
    Phase phase() const { return phase_; }

    static void on_state(const View<Counting>& view, Report& report) {
        for (const Site<Counting>* site : view.sites)
            if (site->protocol.phase_ == Phase::holding && site->protocol.clock_ == Stamp{})
                report.violated("counts", "a stamp is missing");
    }
    bool operator==(const Counting&) const = default;

private:
    void count(Effects& fx) {
        clock_ = clock_.next();
        phase_ = Phase::holding;
        fx.granted({});
    }

    Phase phase_ = Phase::idle;
    Stamp clock_;
    BOOST_DESCRIBE_CLASS(Counting, (), (), (), (phase_, clock_))
};

check::Result judge(const Parameters& parameters) {
    const auto entry = world::entry_of<Counting>();
    auto machine = entry.make(parameters);
    EXPECT_TRUE(machine);
    return check::check(**machine, {});
}

// However far the other has got, it is heard before the next stamp is made.
TEST(Stamps, That_drift_apart_for_ever_are_renamed_exactly_if_who_is_behind_catches_up) {
    const auto result = judge({{"requests", "any"}});
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.gaps_cut, 0u);
}

// Who is behind may count until it is ahead: how far it was behind matters.
TEST(Stamps, That_drift_apart_and_may_come_close_again_are_not_renamed_exactly) {
    const auto result = judge({{"requests", "any"}, {"hear", "off"}});
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    EXPECT_GT(result.gaps_cut, 0u);
}

}  // namespace
}  // namespace allot
