// The register in etcd, as a daemon uses it. The member of etcd is a fake one that keeps one key.
#include "daemon/etcd_engine.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/base64.hpp"
#include "durable/register_record.hpp"
#include "etcd/fake_member.hpp"
#include "net/support.hpp"

namespace allot::daemon {
namespace {

using agreement::Value;
using net::run_until;
using testing::ElementsAre;
using testing::HasSubstr;
namespace json = boost::json;

class EtcdEngineTest : public testing::Test {
protected:
    EtcdEngineTest() {
        config.host = "h1";
        config.hosts = {{"h1", ""}, {"h2", ""}};
        config.agreed.engine = Register::Engine::etcd;
        config.agreed.key = "foo";
        config.agreed.endpoints = {etcd.endpoint()};
    }

    std::string answer(const std::string& request) {
        const bool is_txn = request.starts_with("POST /v3/kv/txn");
        paths.emplace_back(is_txn ? "txn" : request.starts_with("POST /v3/kv/range") ? "range" : "watch");
        if (paths.back() == "watch") return "";
        if (!is_txn) return etcd::http_answer(range());
        const json::object body = json::parse(request.substr(request.find("\r\n\r\n") + 4)).as_object();
        const bool fits =
            body.at("compare").at(0).at("mod_revision").as_string() == std::to_string(mod_revision);
        if (fits && obeys) {
            const auto& put = body.at("success").at(0).at("request_put").at("value").as_string();
            write(*from_base64({put.data(), put.size()}));
        }
        if (!answers_txn) return etcd::http_answer("{}");
        if (fits)
            return etcd::http_answer(
                fmt::format(R"({{"header":{{"revision":"{}"}},"succeeded":true}})", revision));
        return etcd::http_answer(fmt::format(
            R"({{"header":{{"revision":"{}"}},"responses":[{{"response_range":{}}}]}})", revision, range()));
    }
    std::string range() const {
        if (content.empty()) return fmt::format(R"({{"header":{{"revision":"{}"}}}})", revision);
        return fmt::format(
            R"({{"header":{{"revision":"{}"}},"kvs":[{{"key":"Zm9v","mod_revision":"{}","value":"{}"}}],"count":"1"}})",
            revision, mod_revision, to_base64(content));
    }
    void write(const std::string& text) {
        content = text;
        mod_revision = ++revision;
    }

    // Calls, and waits for the end: the value that came back, if one did.
    std::optional<Value> call(std::optional<agreement::Change> change = {}) {
        if (!engine) {
            engine.emplace(
                loop, config,
                Engine::Subject{.member = member,
                                .config = member_config,
                                .hears = [&](net::HostId host) { return heard.contains(host); },
                                .send = [&](net::HostId to, const Letter& letter) { hear(to, letter); }},
                Engine::Events{.returned = [&](const Value& value) { returned = value; },
                               .changed = [&] { failed = true; }});
            EXPECT_EQ(engine->open({}).value_or(""), "");
        }
        failed = false;
        returned.reset();
        engine->call(self, {std::move(change)});
        EXPECT_TRUE(run_until(loop, [&] { return returned || failed; }));
        return returned;
    }
    // Of a question to another host, which answers as the test says.
    void hear(net::HostId to, const Letter& letter) {
        if (const auto* answer = std::get_if<RegisterAnswer>(&letter)) answers.emplace_back(to, *answer);
        if (const auto* query = std::get_if<RegisterQuery>(&letter)) questions.emplace_back(to, *query);
        if (on_question) on_question();
    }
    static Value value_of(std::uint32_t view) {
        Value value{.view = view};
        for (std::uint32_t i = 0; i < view; ++i) value.version = value.version.next();
        return value;
    }
    // As the host would change that value.
    static agreement::Change change_of(const Value& value) {
        return {.members = {{0, 256}}, .of = agreement::ValueName{value.id, value.version}};
    }

    boost::asio::io_context loop;
    std::vector<std::string> paths;
    std::string content;
    std::int64_t revision = 1;
    std::int64_t mod_revision = 0;
    bool obeys = true;        // the exchange
    bool answers_txn = true;  // intelligibly
    etcd::FakeMember etcd{loop, [this](const std::string& request) { return answer(request); }};
    Config config;
    host::Member member;
    host::Member::Config member_config;
    const host::Member::Self self{member_config, 0, 256};
    std::set<net::HostId> heard{1};
    std::vector<std::pair<net::HostId, RegisterQuery>> questions;
    std::vector<std::pair<net::HostId, RegisterAnswer>> answers;
    std::function<void()> on_question;
    std::optional<EtcdEngine> engine;
    std::optional<Value> returned;
    bool failed = false;
};

TEST_F(EtcdEngineTest, An_absent_key_is_made_by_the_first_change) {
    EXPECT_EQ(call(), Value{});
    const auto made = call(change_of(Value{}));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->view, 1u);
    EXPECT_FALSE(made->quiet);
    EXPECT_EQ(call(), made);
    EXPECT_EQ(engine->trouble(self), "");
}

TEST_F(EtcdEngineTest, A_change_of_a_value_that_is_not_the_newest_changes_nothing) {
    write(durable::text_of(value_of(5)));
    EXPECT_EQ(call(change_of(value_of(4))), value_of(5));
    EXPECT_EQ(content, durable::text_of(value_of(5)));
    EXPECT_EQ(std::ranges::count(paths, "txn"), 0);
}

TEST_F(EtcdEngineTest, A_change_with_an_unknown_outcome_is_followed_by_a_read) {
    write(durable::text_of(value_of(5)));
    answers_txn = false;
    const auto made = call(change_of(value_of(5)));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->view, 6u) << "it has happened";
    obeys = false;
    EXPECT_EQ(call(change_of(*made)), made) << "it has not";
    std::erase(paths, "watch");
    EXPECT_THAT(paths, ElementsAre("range", "txn", "range", "range", "txn", "range"));
}

TEST_F(EtcdEngineTest, A_register_below_the_views_of_this_host_is_not_changed) {
    member_config.least_view = 9;
    EXPECT_EQ(call(change_of(Value{})), Value{}) << "the member says what is wrong";
    EXPECT_EQ(content, "");
}

TEST_F(EtcdEngineTest, Damaged_and_foreign_content_is_said_and_not_obeyed) {
    std::string damaged = durable::text_of(value_of(5));
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    for (const auto& [text, why] :
         {std::pair(damaged, "it is damaged"), std::pair(std::string("hello"), "allot did not write this")}) {
        write(text);
        EXPECT_FALSE(call(change_of(Value{})));
        EXPECT_EQ(content, text);
        EXPECT_THAT(engine->trouble(self), HasSubstr(why));
        EXPECT_THAT(engine->trouble(self), HasSubstr("etcd key foo: "));
        EXPECT_THAT(engine->trouble(self), HasSubstr("`allot cluster init --above 0`"));
    }
    write(durable::text_of(value_of(5)));
    EXPECT_EQ(call(), value_of(5));
    EXPECT_EQ(engine->trouble(self), "");
}

TEST_F(EtcdEngineTest, A_value_older_than_one_that_this_host_has_seen_is_said_and_not_obeyed) {
    host::Member::Effects fx;
    member.returned(self, value_of(5), fx);
    write(durable::text_of(value_of(4)));
    EXPECT_FALSE(call());
    EXPECT_THAT(engine->trouble(self), HasSubstr("it holds view 4, and this host has seen view 5"));
    EXPECT_THAT(engine->trouble(self), HasSubstr("`allot cluster init --above 5`"));
    content.clear();
    EXPECT_FALSE(call());
    EXPECT_THAT(engine->trouble(self), HasSubstr("it holds view 0, and this host has seen view 5"));
}

// --- Through other hosts.

TEST_F(EtcdEngineTest, A_host_that_does_not_reach_etcd_reads_through_another) {
    config.agreed.endpoints = {*etcd::parse_endpoint("http://127.0.0.1:1")};
    on_question = [&] {
        EXPECT_EQ(questions.back().first, 1u);
        RegisterAnswer answer{questions.back().second.number, value_of(5)};
        answer.number += 1;
        engine->receive(1, answer);
        EXPECT_FALSE(returned) << "this is the answer to another question";
        answer.number -= 1;
        engine->receive(1, answer);
    };
    EXPECT_EQ(call(change_of(Value{})), value_of(5));
    EXPECT_EQ(questions.size(), 1u);
    EXPECT_EQ(questions[0].second.number >> 32, 256u) << "questions of two daemons of a host differ";
    EXPECT_THAT(engine->trouble(self),
                HasSubstr("which reads the register through h2: http://127.0.0.1:1: Connection"));
    returned.reset();
    engine->receive(1, {questions[0].second.number, value_of(6)});
    EXPECT_FALSE(returned) << "the question is answered already";
}

TEST_F(EtcdEngineTest, A_value_of_another_host_that_is_older_than_one_seen_is_no_answer) {
    config.agreed.lease = Register::least_lease;
    config.agreed.endpoints = {*etcd::parse_endpoint("http://127.0.0.1:1")};
    host::Member::Effects fx;
    member.returned(self, value_of(5), fx);
    on_question = [&] { engine->receive(1, {questions.back().second.number, value_of(4)}); };
    EXPECT_FALSE(call());
    EXPECT_EQ(questions.size(), 1u);
}

TEST_F(EtcdEngineTest, Hosts_without_a_link_are_not_asked) {
    config.agreed.lease = Register::least_lease;
    config.agreed.endpoints = {*etcd::parse_endpoint("http://127.0.0.1:1")};
    heard.clear();
    EXPECT_FALSE(call());
    EXPECT_TRUE(questions.empty());
}

// Otherwise a lease would count from a question that came after the read.
TEST_F(EtcdEngineTest, A_question_of_another_host_is_answered_by_a_read_that_begins_after_it) {
    write(durable::text_of(value_of(5)));
    ASSERT_EQ(call(), value_of(5));
    std::erase(paths, "watch");
    paths.clear();
    engine->receive(1, RegisterQuery{7});
    // The second question comes while the read for the first one is under way.
    ASSERT_TRUE(run_until(loop, [&] { return std::ranges::count(paths, "range") == 1; }));
    ASSERT_TRUE(answers.empty());
    engine->receive(1, RegisterQuery{8});
    write(durable::text_of(value_of(6)));
    ASSERT_TRUE(run_until(loop, [&] { return answers.size() == 2; }));
    EXPECT_EQ(std::ranges::count(paths, "range"), 2);
    EXPECT_THAT(answers, ElementsAre(std::pair(net::HostId(1), RegisterAnswer{7, value_of(5)}),
                                     std::pair(net::HostId(1), RegisterAnswer{8, value_of(6)})));
}

TEST_F(EtcdEngineTest, A_silent_etcd_is_named_and_does_not_keep_the_call) {
    config.agreed.lease = Register::least_lease;
    config.agreed.endpoints = {*etcd::parse_endpoint("http://127.0.0.1:1")};
    EXPECT_FALSE(call());
    EXPECT_FALSE(member.host().is_asking());
    EXPECT_THAT(engine->trouble(self), HasSubstr("http://127.0.0.1:1: Connection refused"));
}

}  // namespace
}  // namespace allot::daemon
