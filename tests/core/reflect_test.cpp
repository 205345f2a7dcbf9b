#include "core/reflect.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/reflect_example.hpp"

namespace allot {
namespace {

using namespace reflect_example;

struct Undescribed {
    int value = 0;
};

struct WithFloat {
    float value = 0;
};
BOOST_DESCRIBE_STRUCT(WithFloat, (), (value))

struct HoldsUndescribed {
    std::vector<Undescribed> values{};
};
BOOST_DESCRIBE_STRUCT(HoldsUndescribed, (), (values))

struct LastForgotten {
    std::optional<int> kept{};
    bool forgotten = false;
};
BOOST_DESCRIBE_STRUCT(LastForgotten, (), (kept))

struct FirstForgotten {
    std::string forgotten{};
    std::optional<int> kept{};
};
BOOST_DESCRIBE_STRUCT(FirstForgotten, (), (kept))

struct OnlyForgotten {
    std::vector<int> forgotten{};
};
BOOST_DESCRIBE_STRUCT(OnlyForgotten, (), ())

struct ManyForgotten {
    bool kept = false;
    bool forgotten = false;
    bool also_kept = false;
};
BOOST_DESCRIBE_STRUCT(ManyForgotten, (), (kept, also_kept))

struct Base {
    int inherited = 1;
};
BOOST_DESCRIBE_STRUCT(Base, (), (inherited))

struct Derived : Base {
    int own = 2;
};
BOOST_DESCRIBE_STRUCT(Derived, (Base), (own))

class Hidden {
public:
    Hidden() = default;

private:
    int value_ = 7;
    BOOST_DESCRIBE_CLASS(Hidden, (), (), (), (value_))
};

enum Unfixed { unfixed_a, unfixed_b };

struct First {
    struct Same {};
};
struct Second {
    struct Same {};
};
BOOST_DESCRIBE_STRUCT(First::Same, (), ())
BOOST_DESCRIBE_STRUCT(Second::Same, (), ())

template <class T>
struct Stamped : T {
    using NamedAfter = T;
};

template <class T>
struct Wrapped {};

static_assert(Reflectable<Everything> && Reflectable<const Everything> && Reflectable<Message>);
static_assert(Reflectable<Derived> && Reflectable<Hidden>);
static_assert(Reflectable<std::set<int, std::greater<>>>);

static_assert(!Reflectable<float> && !Reflectable<double> && !Reflectable<int*> && !Reflectable<char>);
static_assert(!Reflectable<const char*> && !Reflectable<std::unique_ptr<int>>);
static_assert(!Reflectable<std::unordered_set<int>> && !Reflectable<std::unordered_map<int, int>>);
static_assert(!Reflectable<std::multiset<int>> && !Reflectable<std::multimap<int, int>>);
static_assert(!Reflectable<Undescribed> && !Reflectable<WithFloat> && !Reflectable<HoldsUndescribed>);
static_assert(!Reflectable<std::vector<Undescribed>> && !Reflectable<std::optional<float>>);
static_assert(!Reflectable<std::variant<Ping, Undescribed>> && !Reflectable<std::map<int, float>>);
static_assert(!Reflectable<std::pair<int, float>> && !Reflectable<std::array<float, 2>>);
static_assert(!Reflectable<Unfixed>, "an unknown value of such an enum would be undefined behaviour");

static_assert(!Reflectable<LastForgotten> && !Reflectable<FirstForgotten>);
static_assert(!Reflectable<OnlyForgotten> && !Reflectable<ManyForgotten>);

static_assert(!Reflectable<std::vector<Ping>>, "elements without bytes would make any count plausible");
static_assert(!Reflectable<std::set<std::array<int, 0>>>);
static_assert(Reflectable<std::map<int, Ping>> && Reflectable<std::optional<Ping>>);

static_assert(!Reflectable<std::variant<First::Same, Second::Same>>, "JSON could not tell the two");

static_assert(kind_name<Ask>() == "Ask");
static_assert(kind_name<Server::Reply>() == "Reply");
static_assert(kind_name<Undescribed>() == "Undescribed");
static_assert(kind_name<Wrapped<std::vector<Ask>>>().starts_with("Wrapped<"));
static_assert(kind_name<Stamped<Ask>>() == "Ask");

static_assert(enum_name(Mood::eager) == "eager");
static_assert(enum_name(static_cast<Mood>(1)).empty());
static_assert(enum_from<Mood>("tired") == Mood::tired);
static_assert(!enum_from<Mood>("angry"));
static_assert(enum_names<Mood>() == std::array<std::string_view, 3>{"calm", "eager", "tired"});
static_assert(enum_values<Mood>() == std::array<Mood, 3>{Mood::calm, Mood::eager, Mood::tired});

template <class T>
std::vector<std::string> names_of(const T& value) {
    std::vector<std::string> names;
    for_each_member(value, [&](std::string_view name, const auto&) { names.emplace_back(name); });
    return names;
}

TEST(ReflectTest, Members_come_in_the_order_of_the_description) {
    EXPECT_EQ(names_of(Ask{}), (std::vector<std::string>{"stamp", "units"}));
    EXPECT_TRUE(names_of(Ping{}).empty());
}

TEST(ReflectTest, Inherited_and_private_members_count) {
    EXPECT_EQ(names_of(Derived{}), (std::vector<std::string>{"inherited", "own"}));
    EXPECT_EQ(names_of(Hidden{}), (std::vector<std::string>{"value"}));
}

TEST(ReflectTest, A_member_can_be_changed_through_its_visit) {
    Derived value;
    for_each_member(value, [](std::string_view, int& member) { member = 9; });
    EXPECT_EQ(value.inherited, 9);
    EXPECT_EQ(value.own, 9);
}

TEST(ReflectTest, The_kind_of_a_variant_is_that_of_its_alternative) {
    EXPECT_EQ(kind_name(Message(Ping{})), "Ping");
    EXPECT_EQ(kind_name(Message(Server::Reply{})), "Reply");
    EXPECT_EQ(kind_names<Message>(), (std::array<std::string_view, 3>{"Ping", "Ask", "Reply"}));
}

}  // namespace
}  // namespace allot
