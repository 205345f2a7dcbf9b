#include "daemon/own_names.hpp"

#include <gtest/gtest.h>

namespace allot::daemon::own_names_tests {
namespace {

Config example() {
    Config config;
    config.host = "h1";
    config.http = "build7.example.org:7480";
    config.address = "alpha.example.org:7400";
    config.http_names = {"allot.example.org"};
    return config;
}

TEST(OwnNames, Addresses_and_names_of_this_host_are_its_own) {
    const Config config = example();
    for (const char* host :
         {"localhost", "LocalHost:7480", "127.0.0.1:7480", "10.0.0.7", "[::1]:7480", "[::1]", "h1", "H1:7480",
          "build7.example.org:7480", "alpha.example.org", "allot.example.org:80"})
        EXPECT_TRUE(names_own_host(config, host)) << host;
}

TEST(OwnNames, Names_that_others_may_point_here_are_not) {
    const Config config = example();
    for (const char* host : {"", ":7480", "evil.example.com", "localhost.evil.com", "127.0.0.1.evil.com",
                             "h1.evil.com:7480", "[evil]", "[", "10.0.0", "a"})
        EXPECT_FALSE(names_own_host(config, host)) << host;
}

TEST(OwnNames, A_page_of_somebody_else_is_no_own_origin) {
    const Config config = example();
    EXPECT_TRUE(names_own_origin(config, "http://localhost:7480"));
    EXPECT_TRUE(names_own_origin(config, "https://allot.example.org"));
    for (const char* origin :
         {"http://evil.example.com", "null", "https://localhost.evil.com", "", "file://"})
        EXPECT_FALSE(names_own_origin(config, origin)) << origin;
}

}  // namespace
}  // namespace allot::daemon::own_names_tests
