// What people read about a member.
#include "daemon/member_report.hpp"

#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

// Several incarnations of one host may be waited for.
TEST(HostNames, Each_host_is_named_once_and_words_agree_with_their_number) {
    const HostNames two({"h2", "h1", "h2"});
    EXPECT_EQ(two.text(), "h1 and h2");
    EXPECT_STREQ(two.agree("was", "were"), "were");
    const HostNames one({"h1", "h1"});
    EXPECT_EQ(one.text(), "h1");
    EXPECT_STREQ(one.agree("was", "were"), "was");
}

}  // namespace
}  // namespace allot::daemon
