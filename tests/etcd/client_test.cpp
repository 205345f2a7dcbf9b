// The client and the watch against members that err.
#include "etcd/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "etcd/fake_member.hpp"
#include "etcd/watch.hpp"
#include "net/support.hpp"

namespace allot::etcd {
namespace {

using net::run_until;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string no_key = R"({"header":{"revision":"7"}})";

class ClientTest : public testing::Test {
protected:
    FakeMember& add(FakeMember::Answer answer) {
        members.push_back(std::make_unique<FakeMember>(loop, std::move(answer)));
        settings.endpoints.push_back(members.back()->endpoint());
        return *members.back();
    }
    // The value that was found, or the error.
    std::string read(milliseconds time = milliseconds(20'000)) {
        if (!client) client.emplace(loop, settings);
        std::optional<Result<Found>> found;
        client->read(time, [&](Result<Found> given) { found = std::move(given); });
        EXPECT_FALSE(found) << "the answer comes from inside the call";
        EXPECT_TRUE(run_until(loop, [&] { return found.has_value(); }));
        return *found ? fmt::format("revision {}", (*found)->revision) : found->error();
    }

    boost::asio::io_context loop;
    Client::Settings settings{.endpoints = {}, .tls = nullptr, .key = "foo", .patience = milliseconds(100)};
    std::vector<std::unique_ptr<FakeMember>> members;
    std::optional<Client> client;
};

TEST_F(ClientTest, Stays_with_the_connection_that_works) {
    const FakeMember& member = add([](const std::string&) { return http_answer(no_key); });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(read(), "revision 7");
    EXPECT_EQ(member.requests(), 3u);
    EXPECT_EQ(member.connections(), 1u);
}

TEST_F(ClientTest, Asks_for_a_linearisable_read_that_needs_a_leader) {
    std::string asked;
    add([&](const std::string& request) {
        asked = request;
        return http_answer(no_key);
    });
    read();
    EXPECT_THAT(asked, HasSubstr("POST /v3/kv/range HTTP/1.1\r\n"));
    EXPECT_THAT(asked, HasSubstr("Grpc-Metadata-hasleader: true\r\n"));
    EXPECT_THAT(asked, Not(HasSubstr("serializable")));
}

TEST_F(ClientTest, Goes_on_with_the_next_member_and_stays_there) {
    const FakeMember& silent = add([](const std::string&) { return ""; });
    const FakeMember& leaderless = add([](const std::string&) {
        return http_answer(R"({"error":"etcdserver: no leader","code":14})", "503 Service Unavailable");
    });
    const FakeMember& good = add([](const std::string&) { return http_answer(no_key); });
    EXPECT_EQ(read(), "revision 7");
    EXPECT_EQ(read(), "revision 7");
    EXPECT_EQ(client->endpoint(), good.endpoint());
    EXPECT_EQ(silent.requests(), 1u);
    EXPECT_EQ(leaderless.requests(), 1u);
    EXPECT_EQ(good.requests(), 2u);
}

TEST_F(ClientTest, Says_what_is_wrong_with_each_member) {
    add([](const std::string&) { return ""; });
    add([](const std::string&) { return "SSH-2.0-OpenSSH\r\n\r\n"; });
    add([](const std::string&) { return http_answer("{}"); });
    settings.endpoints.push_back(*parse_endpoint("http://127.0.0.1:1"));
    const std::string why = read(milliseconds(400));
    EXPECT_THAT(why, HasSubstr(settings.endpoints[0].text() + ": no answer within "));
    EXPECT_THAT(why, HasSubstr(settings.endpoints[1].text() + ": its answer is no HTTP: "));
    EXPECT_THAT(
        why, HasSubstr(settings.endpoints[2].text() + ": its answer is none of etcd's: it has no revision"));
    EXPECT_THAT(why, HasSubstr("http://127.0.0.1:1: Connection refused"));
}

TEST_F(ClientTest, Has_more_patience_with_a_slow_member_in_the_next_round) {
    int asked = 0;
    net::Timer timer(loop);
    FakeMember* member = nullptr;
    member = &add([&](const std::string&) {
        if (++asked > 1) timer.set(milliseconds(150), [&] { member->say(http_answer(no_key)); });
        return "";
    });
    EXPECT_EQ(read(), "revision 7");
    EXPECT_EQ(asked, 2);
}

TEST_F(ClientTest, Does_not_take_a_late_answer_for_that_of_the_next_question) {
    FakeMember& member = add([](const std::string&) { return http_answer(no_key); });
    EXPECT_EQ(read(), "revision 7");
    member.say(http_answer(R"({"header":{"revision":"99"}})"));
    for (int i = 0; i < 10; ++i) loop.run_for(milliseconds(2)), loop.restart();
    EXPECT_EQ(read(), "revision 7");
    EXPECT_EQ(member.connections(), 2u);
}

TEST_F(ClientTest, Connects_again_when_it_was_hung_up) {
    FakeMember& member = add([](const std::string&) { return http_answer(no_key); });
    EXPECT_EQ(read(), "revision 7");
    member.hang_up();
    EXPECT_EQ(read(), "revision 7");
}

// --- The watch.

struct WatchTest : ClientTest {
    void watch(const FakeMember& member) {
        one = std::make_unique<Watch>(
            loop, settings, member.endpoint(), 7,
            Watch::Events{.changed = [&](const Entry& entry) { values.push_back(entry.value); },
                          .ended =
                              [&](const std::string& reason) {
                                  why = reason;
                                  one.reset();
                              }});
    }
    static std::string chunk(const std::string& content) {
        return fmt::format("{:x}\r\n{}\r\n", content.size(), content);
    }
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string created = "{\"result\":{\"header\":{\"revision\":\"7\"},\"created\":true}}\n";
    const std::string news =
        R"({"result":{"header":{"revision":"8"},"events":[{"kv":{"key":"Zm9v","mod_revision":"8","value":"YmFy"}}]}})"
        "\n";
    std::unique_ptr<Watch> one;
    std::vector<std::string> values;
    std::string why;
};

TEST_F(WatchTest, Tells_changes_until_it_is_cut_off) {
    std::string asked;
    FakeMember& member = add([&](const std::string& request) {
        asked = request;
        return head + chunk(created);
    });
    watch(member);
    ASSERT_TRUE(run_until(loop, [&] { return !asked.empty(); }));
    EXPECT_THAT(asked, HasSubstr(R"("start_revision":"8")"));
    const std::string piece = chunk(news);
    member.say(piece.substr(0, 40));
    loop.restart();
    loop.run_for(milliseconds(150));
    EXPECT_THAT(values, ElementsAre());
    EXPECT_EQ(why, "") << "the patience is for the first answer";
    member.say(piece.substr(40) + chunk(news));
    ASSERT_TRUE(run_until(loop, [&] { return values.size() == 2; }));
    EXPECT_THAT(values, ElementsAre("bar", "bar"));
    EXPECT_EQ(one->told(), 8);
    member.hang_up();
    ASSERT_TRUE(run_until(loop, [&] { return !why.empty(); }));
    EXPECT_EQ(why, "closed by the other end");
}

TEST_F(WatchTest, Ends_if_it_is_compacted_refused_or_silent) {
    const FakeMember& compacted = add([&](const std::string&) {
        return head + chunk(created) + chunk(R"({"result":{"canceled":true,"compact_revision":"9"}})");
    });
    const FakeMember& refusing = add(
        [&](const std::string&) { return http_answer(R"({"error":"etcdserver: no leader"})", "503 No"); });
    const FakeMember& finite = add([&](const std::string&) { return head + chunk(created) + "0\r\n\r\n"; });
    const FakeMember& silent = add([](const std::string&) { return ""; });
    const std::pair<const FakeMember*, const char*> cases[]{{&compacted, "compacted"},
                                                            {&refusing, "no leader"},
                                                            {&finite, "etcd has ended it"},
                                                            {&silent, "no answer within 100 ms"}};
    for (const auto& [member, reason] : cases) {
        why.clear();
        watch(*member);
        ASSERT_TRUE(run_until(loop, [&] { return !why.empty(); })) << reason;
        EXPECT_THAT(why, HasSubstr(reason));
    }
}

}  // namespace
}  // namespace allot::etcd
