// What makes a protocol, and what breaks it. A type that breaks the concept is refused at compile time; each
// case below differs from a good protocol in one thing only.
#include <gtest/gtest.h>

#include "core/view.hpp"

namespace {

using namespace allot;

struct Ping {
    Stamp stamp;
    bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), (stamp))
struct Pong {
    bool operator==(const Pong&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pong, (), ())

struct TestConfig {
    std::uint32_t sites = 2;
};
BOOST_DESCRIBE_STRUCT(TestConfig, (), (sites))

struct Good {
    static constexpr std::string_view name = "good";
    static constexpr std::string_view problem = "none";
    static constexpr std::string_view summary = "the smallest protocol";
    static constexpr Links links = Links::fifo;
    static constexpr std::array properties{PropertyName{"nothing", "nothing is promised"}};
    using Config = TestConfig;
    using Message = std::variant<Ping, Pong>;
    using Ctx = Context<Config>;
    using Fx = Effects<Message>;
    static std::optional<std::string> wrong(const Config&) { return std::nullopt; }

    void start(const Ctx&, Fx&) {}
    void request(const Ctx&, const Demand&, Fx& fx) { fx.granted(); }
    void release(const Ctx&, Fx& fx) { fx.released(); }
    void receive(const Ctx&, SiteId, const Ping&, Fx&) {}
    void receive(const Ctx&, SiteId, const Pong&, Fx&) {}
    Phase phase() const { return Phase::idle; }
    static void on_state(const View<Good>&, Report&) {}

    std::uint32_t count = 0;
    bool operator==(const Good&) const = default;
};
BOOST_DESCRIBE_STRUCT(Good, (), (count))
static_assert(Protocol<Good>);

// Nothing optional is taken for granted.
static_assert(!Cancels<Good> && !Leaves<Good> && !HasTimers<Good> && !HasPrompt<Good>);
static_assert(!HearsTrusted<Good> && !HearsDead<Good> && !HearsSuspected<Good> && !HearsDeparted<Good>);

struct WithoutProperties : Good {  // what it inherits speaks of another protocol
    bool operator==(const WithoutProperties&) const = default;
};
BOOST_DESCRIBE_STRUCT(WithoutProperties, (Good), ())
static_assert(!Protocol<WithoutProperties>);

struct WithoutRelease : Good {
    static void on_state(const View<WithoutRelease>&, Report&) {}
    void release(const Ctx&, Fx&) = delete;
    bool operator==(const WithoutRelease&) const = default;
};
BOOST_DESCRIBE_STRUCT(WithoutRelease, (Good), ())
static_assert(!Protocol<WithoutRelease>);

struct MissesAMessage : Good {
    static void on_state(const View<MissesAMessage>&, Report&) {}
    void receive(const Ctx&, SiteId, const Ping&, Fx&) {}  // hides the handler for Pong
    bool operator==(const MissesAMessage&) const = default;
};
BOOST_DESCRIBE_STRUCT(MissesAMessage, (Good), ())
static_assert(!Protocol<MissesAMessage>);

struct PhaseIsANumber : Good {
    static void on_state(const View<PhaseIsANumber>&, Report&) {}
    int phase() const { return 0; }
    bool operator==(const PhaseIsANumber&) const = default;
};
BOOST_DESCRIBE_STRUCT(PhaseIsANumber, (Good), ())
static_assert(!Protocol<PhaseIsANumber>);

struct Undescribed : Good {
    static void on_state(const View<Undescribed>&, Report&) {}
    int hidden = 0;
    bool operator==(const Undescribed&) const = default;
};
static_assert(!Protocol<Undescribed>);

struct FloatingPoint : Good {
    static void on_state(const View<FloatingPoint>&, Report&) {}
    double load = 0;
    bool operator==(const FloatingPoint&) const = default;
};
BOOST_DESCRIBE_STRUCT(FloatingPoint, (Good), (load))
static_assert(!Protocol<FloatingPoint>);

struct Pointer : Good {
    static void on_state(const View<Pointer>&, Report&) {}
    int* shared = nullptr;
    bool operator==(const Pointer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pointer, (Good), (shared))
static_assert(!Protocol<Pointer>);

struct NotCopyable : Good {
    static void on_state(const View<NotCopyable>&, Report&) {}
    NotCopyable() = default;
    NotCopyable(const NotCopyable&) = delete;
    bool operator==(const NotCopyable&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotCopyable, (Good), ())
static_assert(!Protocol<NotCopyable>);

struct NotComparable : Good {
    static void on_state(const View<NotComparable>&, Report&) {}
    bool operator==(const NotComparable&) const = delete;
};
BOOST_DESCRIBE_STRUCT(NotComparable, (Good), ())
static_assert(!Protocol<NotComparable>);

struct ConfigWithoutSites : Good {
    static void on_state(const View<ConfigWithoutSites>&, Report&) {}
    struct Config {
        int permits = 1;
        BOOST_DESCRIBE_CLASS(Config, (), (permits), (), ())
    };
    static std::optional<std::string> wrong(const Config&) { return std::nullopt; }
    bool operator==(const ConfigWithoutSites&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConfigWithoutSites, (Good), ())
static_assert(!Protocol<ConfigWithoutSites>);

struct MessageIsNoVariant : Good {
    static void on_state(const View<MessageIsNoVariant>&, Report&) {}
    using Message = Ping;
    bool operator==(const MessageIsNoVariant&) const = default;
};
BOOST_DESCRIBE_STRUCT(MessageIsNoVariant, (Good), ())
static_assert(!Protocol<MessageIsNoVariant>);

struct Nameless : Good {
    static void on_state(const View<Nameless>&, Report&) {}
    static constexpr int name = 7;
    bool operator==(const Nameless&) const = default;
};
BOOST_DESCRIBE_STRUCT(Nameless, (Good), ())
static_assert(!Protocol<Nameless>);

struct StartsWithoutEffects : Good {
    static void on_state(const View<StartsWithoutEffects>&, Report&) {}
    void start(const Ctx&) {}
    bool operator==(const StartsWithoutEffects&) const = default;
};
BOOST_DESCRIBE_STRUCT(StartsWithoutEffects, (Good), ())
static_assert(!Protocol<StartsWithoutEffects>);

// What a protocol offers beyond the concept is recognised.
struct Generous : Good {
    static void on_state(const View<Generous>&, Report&) {}
    enum class Timer : std::uint8_t { tick };
    using Fx = Effects<Message, Timer>;
    void start(const Ctx&, Fx&) {}
    void request(const Ctx&, const Demand&, Fx&) {}
    void release(const Ctx&, Fx&) {}
    void cancel(const Ctx&, Fx&) {}
    void leave(const Ctx&, Fx&) {}
    void receive(const Ctx&, SiteId, const Ping&, Fx&) {}
    void receive(const Ctx&, SiteId, const Pong&, Fx&) {}
    void timeout(const Ctx&, Timer, Fx&) {}
    void dead(const Ctx&, Peer, Fx&) {}
    static bool fair(Timer) { return true; }
    static bool prompt(const Message&) { return false; }
    static bool may_request(const Ctx& ctx) { return ctx.self == 0; }
    bool operator==(const Generous&) const = default;
};
BOOST_DESCRIBE_ENUM(Generous::Timer, tick)
BOOST_DESCRIBE_STRUCT(Generous, (Good), ())
static_assert(Protocol<Generous> && Cancels<Generous> && Leaves<Generous> && HasTimers<Generous>);
static_assert(HearsDead<Generous> && !HearsTrusted<Generous> && NamesFairTimers<Generous> &&
              HasPrompt<Generous>);

TEST(Concept, Who_may_ask_and_for_what_has_a_default) {
    const TestConfig config{2};
    EXPECT_TRUE(may_request(Good{}, {config, 1}));
    EXPECT_TRUE(may_request(Generous{}, {config, 0}));
    EXPECT_FALSE(may_request(Generous{}, {config, 1}));
    EXPECT_EQ(demands_of<Good>({config, 0}), std::vector{Demand{}});
}

TEST(Concept, A_handler_can_cause_nothing_but_effects) {
    Good site;
    Effects<Good::Message> fx;
    const TestConfig config{2};
    site.request({config, 0}, Demand{}, fx);
    fx.send(1, Ping{});
    ASSERT_EQ(fx.notices().size(), 1u);
    EXPECT_EQ(fx.notices()[0].kind, Notice::Kind::granted);
    ASSERT_EQ(fx.sends().size(), 1u);
    EXPECT_EQ(fx.sends()[0].to, 1u);
    fx.clear();
    EXPECT_TRUE(fx.sends().empty() && fx.notices().empty() && fx.timers().empty());
}

}  // namespace
