// Path reversal by hand: what one site does with requests and tokens, and when guesses are a tree.
#include "protocols/multilock/path.hpp"

#include <gtest/gtest.h>

namespace {

using namespace allot;
using multilock::Climber;
using multilock::not_a_tree;
using Path = multilock::Path<int>;

struct Post {
    std::vector<std::string> sent;

    void ask(SiteId to, SiteId asker) {
        sent.push_back("ask " + std::to_string(to) + " for " + std::to_string(asker));
    }
    void hand(SiteId to, int token) {
        sent.push_back("hand " + std::to_string(token) + " to " + std::to_string(to));
    }
};

using Sent = std::vector<std::string>;
using Guesses = std::vector<std::optional<SiteId>>;

TEST(Path, An_idle_owner_hands_the_token_to_whoever_asks) {
    Post post;
    Path path = Path::at_start(0);
    path.token = 7;
    path.asked(2, post);
    EXPECT_EQ(post.sent, Sent{"hand 7 to 2"});
    EXPECT_EQ(path.last, 2u);
    EXPECT_FALSE(path.token);
}

TEST(Path, Who_uses_the_token_hands_it_on_when_it_leaves) {
    Post post;
    Path path = Path::at_start(0);
    path.ask(0, post);
    path.asked(2, post);
    path.asked(1, post);
    EXPECT_EQ(post.sent, Sent{"ask 2 for 1"});
    path.leave(post);
    EXPECT_EQ(post.sent.back(), "hand 0 to 2");
    EXPECT_EQ(path.last, 1u);
    EXPECT_FALSE(path.next);
}

TEST(Path, Who_passes_a_request_on_takes_the_asker_for_the_end) {
    Post post;
    Path path = Path::at_start(1);
    path.asked(3, post);
    EXPECT_EQ(post.sent, Sent{"ask 0 for 3"});
    path.ask(1, post);
    EXPECT_EQ(post.sent.back(), "ask 3 for 1");
    EXPECT_FALSE(path.last);
    path.arrived(5);
    EXPECT_EQ(path.token, 5);
}

TEST(Path, A_second_token_is_noticed) {
    Post post;
    Path path = Path::at_start(1);
    EXPECT_THROW(path.arrived(5), BrokenInvariant);
    EXPECT_THROW(path.leave(post), BrokenInvariant);
}

TEST(Tree, Requests_under_way_are_part_of_it) {
    EXPECT_FALSE(not_a_tree(Guesses{std::nullopt, 0, 1}, {}));
    // 1 has asked and guesses nobody any more; its request is on its way to 0.
    const Climber climber{1, 0};
    EXPECT_FALSE(not_a_tree(Guesses{std::nullopt, std::nullopt, 1}, std::span(&climber, 1)));
    EXPECT_TRUE(not_a_tree(Guesses{std::nullopt, std::nullopt, 1}, {}));
}

TEST(Tree, A_request_stands_for_all_who_wait_behind_its_asker) {
    // 2 stands in line behind 1, whose request is still under way.
    const Climber climber{1, 0};
    EXPECT_FALSE(not_a_tree(Guesses{std::nullopt, 2, std::nullopt}, std::span(&climber, 1)));
}

TEST(Tree, A_circle_is_found) {
    EXPECT_TRUE(not_a_tree(Guesses{1, 0, std::nullopt}, {}));
    const Climber own{1, 2};
    EXPECT_TRUE(not_a_tree(Guesses{std::nullopt, std::nullopt, 1}, std::span(&own, 1)));
}

}  // namespace
