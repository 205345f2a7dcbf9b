// Protocols that misbehave: the checker must name what they do, and never fall over it.
#include <gtest/gtest.h>
#include <stdexcept>

#include "check/checker.hpp"
#include "world/entry_of.hpp"

namespace {

using namespace allot;

enum class Fault : std::uint8_t {
    polls_itself,
    writes_to_nobody,
    throws,
    chatters,
    grants_twice,
    starts_broken
};
BOOST_DESCRIBE_ENUM(Fault, polls_itself, writes_to_nobody, throws, chatters, grants_twice, starts_broken)

struct Poll {
    bool operator==(const Poll&) const = default;
    BOOST_DESCRIBE_CLASS(Poll, (), (), (), ())
};

// A site that asks and then does what its fault says.
struct Offender {
    static const Model<Offender> model;

    struct Config {
        std::uint32_t sites = 2;
        Fault fault = Fault::polls_itself;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"fault", "what the sites do wrong"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, fault), (), ())
    };
    using Message = std::variant<Poll>;
    using Ctx = Context<Config>;
    using Effects = allot::Effects<Message>;
    using Fx = Effects;
    using Input = allot::Input<Message>;
    static void on_state(const View<Offender>&, Report&) {}
    static bool prompt(const EnvelopeOf<Message>&) { return true; }

    void handle(const Ctx& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Ctx& ctx, Fx&) {
        if (ctx.config.fault == Fault::starts_broken) throw std::runtime_error("no way to start");
    }
    void request(const Ctx& ctx, const Demand&, Fx& fx) {
        now = Phase::waiting;
        switch (ctx.config.fault) {
            case Fault::writes_to_nobody:
                return fx.send(ctx.config.sites, Poll{});
            case Fault::throws:
                return static_cast<void>(std::vector<int>().at(3));
            case Fault::grants_twice:
                fx.granted();
                return fx.granted();
            default:
                return fx.send(ctx.self, Poll{});
        }
    }
    void receive(const Ctx& ctx, SiteId, const Poll&, Fx& fx) { fx.send(ctx.self, Poll{}); }
    void release(const Ctx&, Fx& fx) {
        now = Phase::idle;
        fx.released();
    }
    Phase phase() const { return now; }

    Phase now = Phase::idle;
    bool operator==(const Offender&) const = default;
    BOOST_DESCRIBE_CLASS(Offender, (), (now), (), ())
};

inline constexpr std::array offender_properties{PropertyName{"none", "nothing"}};

inline constinit const Model<Offender> Offender::model{
    .name = "offender",
    .problem = "test",
    .summary = "does what it must not",
    .links = Links::fifo,
    .properties = offender_properties,
    .on_state = &Offender::on_state,
    .reduction = {.prompt = &Offender::prompt},
};
static_assert(Protocol<Offender>);

check::Result check_offender(const Parameters& parameters) {
    static const world::Entry entry = world::entry_of<Offender>();
    const auto machine = walk::make_machine(entry, parameters);
    EXPECT_TRUE(machine) << (machine ? "" : machine.error());
    return check::check(**machine, {});
}

void expect_first_violation(const check::Result& result, std::string_view property) {
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, property) << result.violations.front().detail;
}

TEST(Misbehaviour, To_send_oneself_the_same_message_again_is_no_progress) {
    expect_first_violation(check_offender({{"fault", "polls-itself"}, {"full", "on"}}), "deadlock");
    expect_first_violation(
        check_offender({{"fault", "polls-itself"}, {"full", "on"}, {"property", "deadlock"}}), "deadlock");
}

TEST(Misbehaviour, A_message_to_a_site_that_does_not_exist_is_an_assertion) {
    for (const char* full : {"on", "off"})
        expect_first_violation(check_offender({{"fault", "writes-to-nobody"}, {"full", full}}), "assertion");
}

TEST(Misbehaviour, What_a_handler_throws_is_an_assertion) {
    expect_first_violation(check_offender({{"fault", "throws"}}), "assertion");
    expect_first_violation(check_offender({{"fault", "starts-broken"}}), "assertion");
}

TEST(Misbehaviour, Prompt_messages_without_end_are_an_assertion) {
    expect_first_violation(check_offender({{"fault", "chatters"}}), "assertion");
}

TEST(Misbehaviour, A_grant_that_nobody_waits_for_breaks_the_contract) {
    expect_first_violation(check_offender({{"fault", "grants-twice"}}), "contract");
}

}  // namespace
