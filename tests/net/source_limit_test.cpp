// How many handshakes of one address may fail.

#include "net/source_limit.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace allot::net {
namespace {

using std::chrono::seconds;

Endpoint ipv4(std::uint32_t address, std::uint16_t port = 1) {
    Endpoint one;
    auto& in = reinterpret_cast<sockaddr_in&>(one.storage);
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(address);
    one.size = sizeof in;
    return one;
}

Endpoint ipv6(const char* address) {
    Endpoint one;
    auto& in = reinterpret_cast<sockaddr_in6&>(one.storage);
    in.sin6_family = AF_INET6;
    EXPECT_EQ(::inet_pton(AF_INET6, address, &in.sin6_addr), 1);
    one.size = sizeof in;
    return one;
}

class SourceLimitTest : public testing::Test {
protected:
    void fail(const Endpoint& source, double times) {
        for (double i = 0; i < times; ++i) limit.failed(source, now);
    }
    bool lets_in(const Endpoint& source) { return limit.lets_in(source, now); }

    SourceLimit limit;
    SourceLimit::Clock::time_point now = SourceLimit::Clock::now();
};

TEST_F(SourceLimitTest, Keeps_out_an_address_whose_handshakes_fail_and_no_other) {
    fail(ipv4(1), SourceLimit::at_once - 1);
    EXPECT_TRUE(lets_in(ipv4(1)));
    fail(ipv4(1, 99), 1);
    EXPECT_FALSE(lets_in(ipv4(1, 7))) << "whatever its port is";
    EXPECT_TRUE(lets_in(ipv4(2)));
}

TEST_F(SourceLimitTest, Forgives_with_time) {
    fail(ipv4(1), SourceLimit::at_once);
    now += seconds(1);
    fail(ipv4(1), SourceLimit::per_second - 1);
    EXPECT_TRUE(lets_in(ipv4(1)));
    fail(ipv4(1), 1);
    EXPECT_FALSE(lets_in(ipv4(1)));
    now += seconds(60);
    fail(ipv4(1), SourceLimit::at_once - 1);
    EXPECT_TRUE(lets_in(ipv4(1))) << "all was forgiven";
}

TEST_F(SourceLimitTest, Takes_a_network_of_IPv6_for_one_source) {
    fail(ipv6("2001:db8:1:2::1"), SourceLimit::at_once);
    EXPECT_FALSE(lets_in(ipv6("2001:db8:1:2:3:4:5:6")));
    EXPECT_TRUE(lets_in(ipv6("2001:db8:1:3::1")));
}

TEST_F(SourceLimitTest, Remembers_a_bounded_number_of_addresses) {
    for (std::uint32_t i = 0; i < 3 * SourceLimit::most_sources; ++i) limit.failed(ipv4(i), now);
    EXPECT_EQ(limit.sources(), SourceLimit::most_sources);
    EXPECT_FALSE(lets_in(ipv4(1'000'000))) << "those that are not remembered share one limit";
    EXPECT_TRUE(lets_in(ipv4(1)));
    now += seconds(1);
    limit.failed(ipv4(1'000'000), now);
    EXPECT_EQ(limit.sources(), 1u) << "those that were forgiven make room";
}

}  // namespace
}  // namespace allot::net
