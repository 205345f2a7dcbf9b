// What makes a protocol. A type that breaks the concept is refused at compile time; each case below differs
// from a good protocol in one thing only. Misspelt and missing parts of a model: tests/compile_fail.
#include <gtest/gtest.h>

#include "core/model.hpp"
#include "world/instance_of.hpp"

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

// Everything that a protocol must have; `Self` is the protocol.
template <class Self>
struct Basis {
    using Config = TestConfig;
    using Message = std::variant<Ping, Pong>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;
    using Context = allot::Context<Config>;
    static const Model<Self>& model;

    void handle(const Context&, const Input& input, Effects& fx) {
        if (std::holds_alternative<input::Request>(input)) fx.granted();
        if (std::holds_alternative<input::Release>(input)) fx.released();
    }
    Phase phase() const { return Phase::idle; }
    static void on_state(const View<Self>&, Report&) {}
    BOOST_DESCRIBE_CLASS(Basis, (), (), (), ())
};

struct Good : Basis<Good> {
    std::uint32_t count = 0;
    bool operator==(const Good& other) const { return count == other.count; }
    BOOST_DESCRIBE_CLASS(Good, (Basis<Good>), (count), (), ())
};
static_assert(Protocol<Good>);

struct PhaseIsANumber : Basis<PhaseIsANumber> {
    int phase() const { return 0; }
    bool operator==(const PhaseIsANumber&) const { return true; }
    BOOST_DESCRIBE_CLASS(PhaseIsANumber, (Basis<PhaseIsANumber>), (), (), ())
};
static_assert(!Protocol<PhaseIsANumber>);

struct HandlesWithoutEffects : Basis<HandlesWithoutEffects> {
    void handle(const Context&, const Input&) {}
    bool operator==(const HandlesWithoutEffects&) const { return true; }
    BOOST_DESCRIBE_CLASS(HandlesWithoutEffects, (Basis<HandlesWithoutEffects>), (), (), ())
};
static_assert(!Protocol<HandlesWithoutEffects>);

struct Undescribed : Basis<Undescribed> {
    int hidden = 0;
    bool operator==(const Undescribed&) const { return true; }
};
static_assert(!Protocol<Undescribed>);

struct FloatingPoint : Basis<FloatingPoint> {
    double load = 0;
    bool operator==(const FloatingPoint&) const { return true; }
    BOOST_DESCRIBE_CLASS(FloatingPoint, (Basis<FloatingPoint>), (load), (), ())
};
static_assert(!Protocol<FloatingPoint>);

struct Pointer : Basis<Pointer> {
    int* shared = nullptr;
    bool operator==(const Pointer&) const { return true; }
    BOOST_DESCRIBE_CLASS(Pointer, (Basis<Pointer>), (shared), (), ())
};
static_assert(!Protocol<Pointer>);

struct NotCopyable : Basis<NotCopyable> {
    NotCopyable() = default;
    NotCopyable(const NotCopyable&) = delete;
    bool operator==(const NotCopyable&) const { return true; }
    BOOST_DESCRIBE_CLASS(NotCopyable, (Basis<NotCopyable>), (), (), ())
};
static_assert(!Protocol<NotCopyable>);

struct NotComparable : Basis<NotComparable> {
    bool operator==(const NotComparable&) const = delete;
    BOOST_DESCRIBE_CLASS(NotComparable, (Basis<NotComparable>), (), (), ())
};
static_assert(!Protocol<NotComparable>);

struct MessageIsNoVariant : Basis<MessageIsNoVariant> {
    using Message = Ping;
    bool operator==(const MessageIsNoVariant&) const { return true; }
    BOOST_DESCRIBE_CLASS(MessageIsNoVariant, (Basis<MessageIsNoVariant>), (), (), ())
};
static_assert(!Protocol<MessageIsNoVariant>);

struct OtherMessages : Basis<OtherMessages> {  // its effects cannot send them
    using Message = std::variant<Ping>;
    bool operator==(const OtherMessages&) const { return true; }
    BOOST_DESCRIBE_CLASS(OtherMessages, (Basis<OtherMessages>), (), (), ())
};
static_assert(!Protocol<OtherMessages>);

struct HearsNothing : Basis<HearsNothing> {  // nor is a message among its inputs
    using Input = std::variant<input::Start, input::Request, input::Release>;
    bool operator==(const HearsNothing&) const { return true; }
    BOOST_DESCRIBE_CLASS(HearsNothing, (Basis<HearsNothing>), (), (), ())
};
static_assert(!Protocol<HearsNothing>);

// A protocol takes just the inputs that it names.
static_assert(takes<Good, input::Start> && takes<Good, input::Receive<Good::Message>>);
static_assert(!takes<Good, input::Cancel> && !takes<Good, input::Leave> && !takes<Good, input::Detected>);

constexpr std::array properties{PropertyName{"nothing", "nothing is promised"}};
constexpr Model<Good> good_model{
    .name = "good",
    .problem = "none",
    .summary = "the smallest protocol",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &Good::on_state,
};

}  // namespace

template <>
const Model<Good>& Basis<Good>::model = good_model;

namespace {

TEST(Concept, What_a_model_leaves_out_has_a_default) {
    const world::InstanceOf<Good> instance(TestConfig{3});
    const SiteOf<Good> site;
    EXPECT_EQ(instance.sites(), 3u);
    EXPECT_EQ(instance.capacity(), 3u);
    EXPECT_TRUE(instance.may_request(1, site));
    EXPECT_TRUE(instance.may_crash(1, site));
    EXPECT_TRUE(instance.watches(1, site, 2));
    EXPECT_FALSE(instance.needs_anchor());
    EXPECT_EQ(instance.demands(0), std::vector{Demand{}});
    EXPECT_FALSE(instance.facts().cancels || instance.facts().leaves || instance.facts().has_timers);
    EXPECT_TRUE(instance.facts().hears.empty());
}

TEST(Concept, A_handler_can_cause_nothing_but_effects) {
    Good site;
    Good::Effects fx;
    const TestConfig config{2};
    const Demand demand;
    site.handle({config, 0}, input::Request{demand}, fx);
    fx.send(1, Ping{});
    ASSERT_EQ(fx.notices().size(), 1u);
    EXPECT_EQ(fx.notices()[0].kind, Notice::Kind::granted);
    ASSERT_EQ(fx.sends().size(), 1u);
    EXPECT_EQ(fx.sends()[0].to, 1u);
    fx.clear();
    EXPECT_TRUE(fx.sends().empty() && fx.notices().empty() && fx.timers().empty());
}

}  // namespace
