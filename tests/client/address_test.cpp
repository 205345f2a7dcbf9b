#include "client/address.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "allot/client.hpp"

namespace allot::client {
namespace {

TEST(Address, A_path_is_a_Unix_socket) {
    const Address wanted{.kind = Address::Kind::local, .path = "/run/allot/allot.sock"};
    EXPECT_EQ(*parse_address("/run/allot/allot.sock"), wanted);
    EXPECT_EQ(*parse_address("unix:/run/allot/allot.sock"), wanted);
    EXPECT_EQ(parse_address("./here.sock")->path, "./here.sock");
    EXPECT_EQ(parse_address("unix:here.sock")->path, "here.sock");
}

TEST(Address, Hosts_have_ports_and_IPv6_has_brackets) {
    const Address named{.kind = Address::Kind::tls, .remote = {"build7", 7400}};
    EXPECT_EQ(*parse_address("tls:build7:7400"), named);
    EXPECT_EQ(parse_address("tls:[fd00::7]:7400")->remote.host, "fd00::7");
    EXPECT_EQ(parse_address("tcp:127.0.0.1:7400")->kind, Address::Kind::tcp);
    EXPECT_EQ(parse_address("tcp:[::1]:7400")->remote.host, "::1");
}

TEST(Address, What_makes_no_sense_is_told_what_to_write) {
    const auto refused = [](const std::string& text, const std::string& advice) {
        const auto address = parse_address(text);
        ASSERT_FALSE(address) << text;
        EXPECT_NE(address.error().find(advice), std::string::npos) << address.error();
    };
    refused("", "write the path of a Unix socket");
    refused("unix:", "write the path of a Unix socket");
    refused("allot", "write the path of a Unix socket");
    refused("tls:build7", "write host:port");
    refused("tls:build7:", "write host:port");
    refused("tls:build7:70000", "write host:port");
    refused("tls:build7:0", "write host:port");
    refused("tls::7400", "write host:port");
    refused("tls:fd00::7:7400", "write host:port");
    refused("tcp:build7:7400", "write tls:build7:7400");
    refused("tcp:127.example.com:7400", "write tls:127.example.com:7400");
    refused("/" + std::string(200, 'x'), "at most 107 characters");
}

TEST(Address, Several_are_separated_by_commas) {
    const auto addresses = parse_addresses("tls:build7:7400,[fd00::7]:7400,build8:7401");
    ASSERT_TRUE(addresses) << addresses.error();
    ASSERT_EQ(addresses->size(), 3U);
    EXPECT_EQ((*addresses)[1].remote, (HostPort{"fd00::7", 7400}));
    EXPECT_EQ((*addresses)[2], *parse_address("tls:build8:7401"));
    EXPECT_EQ(parse_addresses("/run/a,b.sock")->front().path, "/run/a,b.sock");
}

TEST(Address, A_list_that_makes_no_sense_is_told_what_to_write) {
    const auto refused = [](const std::string& text, const std::string& advice) {
        const auto addresses = parse_addresses(text);
        ASSERT_FALSE(addresses) << text;
        EXPECT_NE(addresses.error().find(advice), std::string::npos) << addresses.error();
    };
    refused("tls:build7:7400,", "an address is empty");
    refused("tls:,build7:7400", "an address is empty");
    refused("tls:build7:7400,build8", "tls:build8: write host:port");
    refused("tls:build7:7400,build8:1,build7:7400", "build7:7400 is named twice");
    refused("tcp:127.0.0.1:7400,build7:7400", "write tls:build7:7400");
}

TEST(Address, The_environment_names_the_default) {
    const char* before = std::getenv("ALLOT_SOCKET");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("ALLOT_SOCKET", "/tmp/mine.sock", 1);
    EXPECT_EQ(default_address(), "/tmp/mine.sock");
    ::setenv("ALLOT_SOCKET", kept.c_str(), 1);
}

}  // namespace
}  // namespace allot::client
