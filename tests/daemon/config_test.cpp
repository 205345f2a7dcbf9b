// docs/host.toml is the sample that people start from: it must be read, as it is and with everything that is
// commented out switched on, and show every setting there is with its default.
#include "daemon/config.hpp"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

namespace allot::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string sample() {
    std::ifstream file(ALLOT_SOURCE_DIR "/docs/host.toml");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Comments that are settings or tables become them; prose stays.
std::string switched_on(const std::string& text) {
    static const std::regex setting(R"(# (\[+[a-z.]+\]+|[a-z_]+ = .*))");
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        all += (std::regex_match(line, found, setting) ? found[1].str() : line) + "\n";
    }
    return all;
}

Config read(const std::string& text) {
    const auto config = parse_config(text, "host.toml");
    if (!config) throw std::runtime_error(config.error());
    return *config;
}

TEST(SampleConfig, Is_read_as_it_is) {
    const Config config = read(sample());
    EXPECT_EQ(config.host, "a");
    ASSERT_EQ(config.hosts.size(), 3u);
    EXPECT_EQ(config.hosts[2].address, "10.0.0.3:7400");
    EXPECT_EQ(config.semaphores.at("licences"), (Semaphore{.permits = 10, .max_request = 3}));
    EXPECT_TRUE(config.tls);
    EXPECT_TRUE(config.allow.empty());
    EXPECT_FALSE(config.http_chosen);
}

TEST(SampleConfig, Shows_the_defaults) {
    const Config config = read(switched_on(sample()));
    const Config defaults;
    EXPECT_EQ(config.socket, defaults.socket);
    EXPECT_EQ(config.socket_mode, defaults.socket_mode);
    EXPECT_EQ(config.state, defaults.state);
    EXPECT_EQ(config.http, defaults.http);
    EXPECT_TRUE(config.http_chosen);
    EXPECT_EQ(config.audit.longest, defaults.audit.longest);
    EXPECT_EQ(config.audit.kept, defaults.audit.kept);
    EXPECT_EQ(config.plaintext, defaults.plaintext);
    EXPECT_EQ(config.lock_seats, defaults.lock_seats);
    EXPECT_EQ(config.agreed.engine, defaults.agreed.engine);
    EXPECT_EQ(config.agreed.lease, defaults.agreed.lease);
    EXPECT_EQ(config.agreed.grace, defaults.agreed.grace);
    EXPECT_EQ(config.agreed.silence, defaults.agreed.silence);
    EXPECT_EQ(config.agreed.return_within, defaults.agreed.return_within);
    EXPECT_EQ(config.limits, defaults.limits);
    EXPECT_EQ(config.clients, "0.0.0.0:7481");
    ASSERT_EQ(config.allow.size(), 1u);
    EXPECT_THAT(config.allow[0].users, ElementsAre("ci", "@build", "cert:deploy"));
}

// What the reader knows it says itself when it is given what it does not know.
std::vector<std::string> settings_of(const std::string& table) {
    const auto config = parse_config(fmt::format("host = \"a\"\n{}\nnonsense = 1\n", table), "x");
    EXPECT_FALSE(config);
    const std::string known = config.error().substr(config.error().find("there is ") + 9);
    static const std::regex comma(", ");
    return {std::sregex_token_iterator(known.begin(), known.end(), comma, -1), {}};
}

TEST(SampleConfig, Shows_every_setting) {
    const std::string text = switched_on(sample());
    std::size_t count = 0;
    for (const char* table : {"", "[cluster]", "[tls]", "[locks]", "[register]", "[register.tls]", "[audit]",
                              "[limits]", "[[allow]]", "[semaphores.x]"}) {
        for (const std::string& setting : settings_of(table)) {
            ++count;
            const std::regex shown(fmt::format(R"((^|\n)(\[+([a-z]+\.)?{0}(\.[a-z]+)?\]|{0} = ))", setting));
            const bool inline_table = text.find(setting + " = ") != std::string::npos;
            EXPECT_TRUE(inline_table || std::regex_search(text, shown)) << table << " " << setting;
        }
    }
    EXPECT_GE(count, 34u);
}

TEST(Config, Says_what_replaces_a_setting_that_is_gone) {
    for (const char* key : {"mode", "heartbeat", "dead_after", "stop_within", "resume_within"}) {
        const auto config = parse_config(fmt::format("host = \"a\"\n[detector]\n{} = \"5s\"\n", key), "x");
        ASSERT_FALSE(config);
        EXPECT_THAT(config.error(), HasSubstr(fmt::format("detector.{} is gone: ", key)));
    }
}

TEST(Config, Reads_how_etcd_is_reached) {
    const std::string etcd = "host = \"a\"\n[register]\nengine = \"etcd\"\nkey = \"/allot/x\"\n";
    const Config secure = read(etcd +
                               "endpoints = [\"https://e1:2379\", \"https://[::1]:2379\"]\n[register.tls]\n"
                               "certificate = \"c\"\nkey = \"k\"\nauthority = \"a\"\n");
    EXPECT_EQ(secure.agreed.engine, Register::Engine::etcd);
    EXPECT_EQ(secure.agreed.key, "/allot/x");
    ASSERT_EQ(secure.agreed.endpoints.size(), 2u);
    EXPECT_EQ(secure.agreed.endpoints[1].text(), "https://[::1]:2379");
    EXPECT_EQ(secure.agreed.tls, (net::TlsFiles{"c", "k", "a"}));
    EXPECT_FALSE(secure.tls);
    const Config plain =
        read("cluster.plaintext = true\n" + etcd + "endpoints = [\"http://10.0.0.1:2379\"]\n");
    // Hosts that use different keys must not take each other for members of one cluster.
    Config other = plain;
    EXPECT_EQ(other.agreement(), secure.agreement()) << "each host may reach etcd in its own way";
    other.agreed.key = "/allot/y";
    EXPECT_NE(other.agreement(), plain.agreement());
}

TEST(Config, Refuses_what_cannot_be_meant) {
    const std::string hosts = "[cluster.hosts]\na = \"127.0.0.1:1\"\nb = \"127.0.0.1:2\"\n";
    const auto expect_error = [&](const std::string& text, const std::string& error) {
        const auto config = parse_config("host = \"a\"\n" + text, "x");
        ASSERT_FALSE(config) << text;
        EXPECT_THAT(config.error(), HasSubstr(error));
    };
    expect_error("[cluster.hosts]\na = \"127.0.0.1:1\"\nb = \"127.0.0.1:1\"\n",
                 "cluster.hosts: a and b have the address 127.0.0.1:1; each host needs its own");
    expect_error(hosts + "[register]\nvoters = []\n",
                 "register.voters: name an odd number of hosts, or leave it out");
    expect_error(hosts + "[register]\nengine = \"file\"\nfile = \"r\"\nvoters = [\"a\"]\n",
                 "register.voters: all hosts share one file; leave it out");
    const std::string etcd = "[register]\nengine = \"etcd\"\n";
    const std::string key = "key = \"/allot/x\"\n";
    const std::string files = "[register.tls]\ncertificate = \"c\"\nkey = \"k\"\nauthority = \"a\"\n";
    expect_error(etcd + key, "register.endpoints is missing; write the addresses of etcd's members");
    expect_error(etcd + "endpoints = [\"http://127.0.0.1:1\"]\n",
                 "register.key is missing; write a key of etcd");
    expect_error(etcd + key + "endpoints = [\"127.0.0.1:1\"]\n",
                 "register.endpoints: \"127.0.0.1:1\": it does not begin with https:// or http://");
    expect_error(etcd + key + "endpoints = [\"http://127.0.0.1:1\", \"http://127.0.0.1:1\"]\n",
                 "register.endpoints: http://127.0.0.1:1 is there twice");
    expect_error(etcd + key + "endpoints = [\"https://127.0.0.1:1\"]\n",
                 "register.endpoints: https://127.0.0.1:1 needs certificates; add [register.tls]");
    expect_error(
        etcd + key + "endpoints = [\"http://10.0.0.1:1\"]\n",
        "register.endpoints: http://10.0.0.1:1: etcd beyond this machine needs https, or plaintext allowed");
    expect_error(etcd + key + "endpoints = [\"https://10.0.0.1:1\"]\n[register.tls]\nkey = \"k\"\n",
                 "register.tls: write certificate, key and authority");
    expect_error(etcd + key + "endpoints = [\"https://10.0.0.1:1\"]\nvoters = [\"a\"]\n" + files,
                 "register.voters: etcd keeps the register; leave it out");
    expect_error(etcd + key + "tls = 3\n", "register.tls: write a table, as in [register.tls]");
    expect_error("[register]\nlease = \"10000h\"\n",
                 "register.lease: write at least \"600ms\" and at most \"10m\"");
    expect_error("[register]\nsilence = \"1h\"\n", "register.silence: write at least \"200ms\" and at most");
    expect_error("[[allow]]\nlocks = [\"*\"]\n", "allow.users is missing; name users");
    expect_error("[detector]\n", "detector is gone; `allot node --migrate x` rewrites the file");
}

TEST(Config, Chooses_one_three_or_five_voters_unless_they_are_named) {
    std::string hosts;
    std::vector<std::size_t> counts;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
        hosts += fmt::format("{} = \"{}:1\"\n", name, name);
        counts.push_back(read("host = \"a\"\n[cluster.hosts]\n" + hosts).voters().size());
    }
    EXPECT_THAT(counts, ElementsAre(1, 1, 3, 3, 5, 5));
    const std::string all = "host = \"a\"\n[cluster.hosts]\n" + hosts;
    EXPECT_THAT(read(all + "[register]\nvoters = [\"b\", \"d\", \"f\"]\n").voters(), ElementsAre(1, 3, 5));
    const auto even = parse_config(all + "[register]\nvoters = [\"b\", \"d\"]\n", "x");
    ASSERT_FALSE(even);
    EXPECT_THAT(even.error(), HasSubstr("write an odd number of hosts; 2 survive no more losses than 1"));
    const auto unknown = parse_config(all + "[register]\nvoters = [\"x\"]\n", "x");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error(), HasSubstr("\"x\" is not in cluster.hosts"));
}

TEST(SampleConfig, Does_not_hide_what_is_misspelt) {
    std::string text = switched_on(sample());
    text.replace(text.find("requests_per_session"), 8, "requets");
    const auto config = parse_config(text, "host.toml");
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error(), HasSubstr("limits.requets_per_session: no such setting"));
}

}  // namespace
}  // namespace allot::daemon
