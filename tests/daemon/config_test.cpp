// docs/host.toml is the sample that people start from: it must be read, as it is and with everything that is
// commented out switched on, and show every setting there is with its default.
#include "daemon/config.hpp"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

#include "daemon/founded.hpp"

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
    for (const char* table :
         {"", "[cluster]", "[tls]", "[bootstrap]", "[register]", "[register.tls]", "[audit]", "[limits]",
          "[[allow]]", "[[bootstrap.mode]]\nnames = [\"a\"]", "[bootstrap.semaphores.x]"}) {
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
    const std::pair<const char*, const char*> others[]{
        {"[cluster.hosts]\na = \"127.0.0.1:1\"\n", "x:2: [cluster.hosts] is gone: write [bootstrap.hosts]; "},
        {"[semaphores]\nbuilds = 2\n", "x:2: [semaphores] is gone: write [bootstrap.semaphores]; "},
        {"[[mode]]\nnames = [\"a\"]\n", "x:2: [[mode]] is gone: write [[bootstrap.mode]]; "},
        {"[register]\nvoters = [\"a\"]\n", "x:3: register.voters is gone: write bootstrap.voters; "},
        {"[register]\ngrace = \"1s\"\n", "x:3: register.grace is gone: write bootstrap.grace; "},
        {"[locks]\nseats = 7\n", "x:3: locks.seats is gone: write bootstrap.seats; "},
        {"[locks]\n", "x:2: locks is gone; "},
    };
    for (const auto& [text, error] : others) {
        const auto config = parse_config(fmt::format("host = \"a\"\n{}", text), "x");
        ASSERT_FALSE(config);
        EXPECT_EQ(config.error(), std::string(error) + "`allot node --migrate x` rewrites the file");
    }
}

TEST(Config, Says_what_plaintext_exposes) {
    const std::string host = "host = \"a\"\naddress = \"10.0.0.1:7400\"\n";
    const std::string tls = "[tls]\ncertificate = \"c\"\nkey = \"k\"\nauthority = \"a\"\ncrl = \"r\"\n";
    const std::string allowed = "[cluster]\nplaintext = true\n";
    EXPECT_EQ(read(host).exposure(), "");
    EXPECT_THAT(read(host + allowed).exposure(), HasSubstr("everybody who reaches 10.0.0.1:7400 can speak"));
    EXPECT_EQ(read(host + allowed + tls).exposure(), "");
    EXPECT_EQ(read(host + tls).tls, (net::TlsFiles{"c", "k", "a", "r"}));
    const std::string etcd =
        "[register]\nengine = \"etcd\"\nkey = \"/x\"\nendpoints = [\"http://10.0.0.7:2379\"]\n";
    EXPECT_THAT(read(host + allowed + tls + etcd).exposure(), HasSubstr("between this host and"));
}

TEST(Config, A_host_has_addresses_and_ways_of_its_own) {
    const Config config = read(
        "host = \"b\"\naddress = \"10.0.0.9:1\"\n[addresses]\nc = \"10.1.0.3:1\"\nlater = \"10.1.0.4:1\"\n"
        "[bootstrap.hosts]\na = \"10.0.0.1:1\"\nb = \"10.0.0.2:1\"\nc = \"10.0.0.3:1\"\n");
    EXPECT_EQ(config.own_address(), "10.0.0.9:1");
    EXPECT_EQ(config.hosts[1].address, "10.0.0.9:1") << "the others shall know it";
    EXPECT_EQ(config.hosts[2].address, "10.0.0.3:1") << "the others reach it there";
    EXPECT_EQ(config.address_of(config.hosts[2]), "10.1.0.3:1");
    EXPECT_EQ(config.address_of(config.hosts[0]), "10.0.0.1:1");
    EXPECT_FALSE(config.unlisted());
    const Config newcomer = read("host = \"d\"\n[bootstrap.hosts]\na = \"10.0.0.1:1\"\n");
    EXPECT_FALSE(newcomer.has_address());
    EXPECT_THAT(newcomer.unlisted().value_or(""), HasSubstr("host \"d\" is not in bootstrap.hosts"));
    EXPECT_FALSE(read("host = \"d\"\n").unlisted()) << "it is alone";
    EXPECT_THAT(read("host = \"d\"\n").written, testing::IsEmpty());
    EXPECT_THAT(newcomer.written, ElementsAre("hosts"));
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

using Founded = std::vector<agreement::Founded>;

TEST(Config, Takes_what_a_cluster_has_agreed_on_in_the_place_of_its_own) {
    const Config founder = read(
        "host = \"a\"\n[bootstrap]\nlease = \"2s\"\ngrace = \"300ms\"\nsilence = \"500ms\"\n"
        "return_within = \"750ms\"\nseats = 7\n[[bootstrap.mode]]\nnames = [\"a \\\"b\\\\\", \"c\\n*\", "
        "\"ü\"]\n"
        "mode = \"sticky\"\n[[bootstrap.mode]]\nnames = [\"gpu*\"]\nstrict = true\n");
    EXPECT_EQ(founded_of(founder),
              (Founded{{"lease", "2s"},
                       {"grace", "300ms"},
                       {"silence", "500ms"},
                       {"return_within", "750ms"},
                       {"seats", "7"},
                       {"mode", R"({ names = ["a \"b\\", "c\u000A*", "ü"], mode = "sticky" })"},
                       {"mode", R"({ names = ["gpu*"], strict = true })"}}));
    const Config other =
        read("host = \"b\"\n[bootstrap]\nlease = \"9s\"\n[[bootstrap.mode]]\nnames = [\"x\"]\n");
    EXPECT_NE(other.agreement(), founder.agreement());
    EXPECT_EQ(other.required_settings(), founder.required_settings());
    const auto joined = with_founded(other, founded_of(founder));
    ASSERT_TRUE(joined) << joined.error();
    EXPECT_EQ(founded_of(*joined), founded_of(founder));
    EXPECT_EQ(joined->agreement(), founder.agreement());
    EXPECT_EQ(joined->host, "b");
    EXPECT_EQ(joined->modes[0].names, founder.modes[0].names);
    EXPECT_EQ(founded_of(*with_founded(founder, {})), founded_of(Config()))
        << "absent ones are the usual ones";
}

TEST(Config, Only_what_a_file_has_written_replaces_what_was_agreed_on) {
    const Founded agreed =
        founded_of(read("host = \"a\"\n[bootstrap]\nlease = \"2s\"\nseats = 7\n"
                        "[[bootstrap.mode]]\nnames = [\"a\"]\n"));
    EXPECT_EQ(with_written(agreed, read("host = \"a\"\n")), agreed);
    const Founded longer = with_written(agreed, read("host = \"a\"\n[bootstrap]\nlease = \"9s\"\n"));
    EXPECT_EQ(longer[0], (agreement::Founded{"lease", "9s"}));
    EXPECT_EQ(Founded(longer.begin() + 1, longer.end()), Founded(agreed.begin() + 1, agreed.end()));
    const Founded none = with_written(agreed, read("host = \"a\"\n[bootstrap]\nmode = []\n"));
    EXPECT_EQ(none, Founded(agreed.begin(), agreed.end() - 1)) << "an empty list removes all modes";
}

TEST(Config, Does_not_believe_what_another_host_says_was_agreed) {
    const auto why_not = [](const Founded& founded) {
        const auto config = with_founded(Config(), founded);
        return config ? "" : config.error();
    };
    EXPECT_THAT(why_not({{"lease", "soon"}}), HasSubstr("bootstrap.lease: write a time"));
    EXPECT_THAT(why_not({{"lease", "1ms"}}), HasSubstr("bootstrap.lease: write at least"));
    EXPECT_THAT(why_not({{"grace", "3s"}}), HasSubstr("at most half of bootstrap.lease"));
    EXPECT_THAT(why_not({{"seats", "0"}}), HasSubstr("bootstrap.seats: write a whole number"));
    EXPECT_THAT(why_not({{"seats", "99999999999999999999"}}), HasSubstr("a seats that cannot be read"));
    EXPECT_THAT(why_not({{"lease", "3s"}, {"lease", "4s"}}), HasSubstr("a lease that cannot be read"));
    EXPECT_THAT(why_not({{"speed", "3"}}), HasSubstr("this version of allot does not know"));
    EXPECT_THAT(why_not({{"lease", "3s\xff"}}), HasSubstr("a lease that cannot be read"));
    for (const char* text : {"", "3", "{", "{ names = [\"a\"] }\nlease = \"1h\"", "[]"})
        EXPECT_THAT(why_not({{"mode", text}}), HasSubstr("a mode that cannot be read")) << text;
    EXPECT_THAT(why_not({{"mode", "{ names = [] }"}}), HasSubstr("bootstrap.mode.names is missing"));
    EXPECT_THAT(why_not({{"mode", "{ names = [\"a\"], more = 1 }"}}),
                HasSubstr("bootstrap.mode.more: no such"));
    EXPECT_THAT(why_not(Founded(65, {"mode", "{ names = [\"a\"] }"})),
                HasSubstr("a mode that cannot be read"));
    EXPECT_THAT(why_not({{"mode", std::string(5000, '[')}}), HasSubstr("a mode that cannot be read"));
}

TEST(Config, Bounds_what_the_register_has_to_carry) {
    const std::string mode = "[[bootstrap.mode]]\nnames = [\"a\"]\n";
    std::string many;
    for (int i = 0; i < 64; ++i) many += mode;
    EXPECT_TRUE(parse_config("host = \"a\"\n" + many, "x"));
    EXPECT_THAT(parse_config("host = \"a\"\n" + many + mode, "x").error(),
                HasSubstr("bootstrap.mode: write at most 64"));
    const std::string huge = "[[bootstrap.mode]]\nnames = [\"" + std::string(5000, 'a') + "\"]\n";
    EXPECT_THAT(parse_config("host = \"a\"\n" + huge, "x").error(),
                HasSubstr("write at most 4096 bytes of names"));
}

TEST(Config, Refuses_what_cannot_be_meant) {
    const std::string hosts = "[bootstrap.hosts]\na = \"127.0.0.1:1\"\nb = \"127.0.0.1:2\"\n";
    const auto expect_error = [&](const std::string& text, const std::string& error) {
        const auto config = parse_config("host = \"a\"\n" + text, "x");
        ASSERT_FALSE(config) << text;
        EXPECT_THAT(config.error(), HasSubstr(error));
    };
    expect_error("[bootstrap.hosts]\na = \"127.0.0.1:1\"\nb = \"127.0.0.1:1\"\n",
                 "bootstrap.hosts: a and b have the address 127.0.0.1:1; each host needs its own");
    expect_error(hosts + "[bootstrap]\nvoters = []\n",
                 "bootstrap.voters: name an odd number of hosts, or leave it out");
    expect_error(hosts + "[register]\nengine = \"file\"\nfile = \"r\"\n[bootstrap]\nvoters = [\"a\"]\n",
                 "bootstrap.voters: all hosts share one file; leave it out");
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
    expect_error(etcd + key + "endpoints = [\"https://10.0.0.1:1\"]\n[bootstrap]\nvoters = [\"a\"]\n" + files,
                 "bootstrap.voters: etcd keeps the register; leave it out");
    expect_error(etcd + key + "tls = 3\n", "register.tls: write a table, as in [register.tls]");
    expect_error("[bootstrap]\nlease = \"10000h\"\n",
                 "bootstrap.lease: write at least \"600ms\" and at most \"10m\"");
    expect_error("[bootstrap]\nsilence = \"1h\"\n",
                 "bootstrap.silence: write at least \"200ms\" and at most");
    expect_error("[bootstrap]\nadmission = \"anybody\"\n",
                 "x:3: bootstrap.admission: write \"certificate\" or \"operator\"");
    expect_error("[addresses]\nzz = \"nonsense\"\n", "x:3: addresses.zz: write an address, as in ");
    expect_error("address = \"nonsense\"\n", "x:2: address: write an address, as in ");
    expect_error("[bootstrap.hosts]\na = \"127.0.0.1:1\"\nb = \"7400\"\n",
                 "x:4: bootstrap.hosts.b: write an address, as in ");
    expect_error("[addresses]\na = \"10.0.0.1:1\"\n", "addresses.a: it is for other hosts; write address = ");
    expect_error("[[allow]]\nlocks = [\"*\"]\n", "allow.users is missing; name users");
    expect_error("[detector]\n", "detector is gone; `allot node --migrate x` rewrites the file");
}

TEST(Config, Chooses_one_three_or_five_voters_unless_they_are_named) {
    std::string hosts;
    std::vector<std::size_t> counts;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
        hosts += fmt::format("{} = \"{}:1\"\n", name, name);
        counts.push_back(read("host = \"a\"\n[bootstrap.hosts]\n" + hosts).voters().size());
    }
    EXPECT_THAT(counts, ElementsAre(1, 1, 3, 3, 5, 5));
    const std::string all = "host = \"a\"\n[bootstrap.hosts]\n" + hosts;
    EXPECT_THAT(read(all + "[bootstrap]\nvoters = [\"b\", \"d\", \"f\"]\n").voters(), ElementsAre(1, 3, 5));
    const auto even = parse_config(all + "[bootstrap]\nvoters = [\"b\", \"d\"]\n", "x");
    ASSERT_FALSE(even);
    EXPECT_THAT(even.error(), HasSubstr("write an odd number of hosts; 2 survive no more losses than 1"));
    const auto unknown = parse_config(all + "[bootstrap]\nvoters = [\"x\"]\n", "x");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error(), HasSubstr("\"x\" is not in bootstrap.hosts"));
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
