// Answers of etcd's gateway. The good ones were recorded from etcd 3.4.23.
#include "etcd/gateway.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "etcd/endpoint.hpp"

namespace allot::etcd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::string header =
    R"("header":{"cluster_id":"13680177129500227847","member_id":"11543508957392368117","revision":"7","raft_term":"2"})";
const std::string kv =
    R"({"key":"Zm9v","create_revision":"2","mod_revision":"5","version":"1","value":"YmFy"})";
const Entry bar{"bar", 5};

std::string error_of(const std::string& text) {
    const auto found = parse_range(text, "foo");
    return found ? "" : found.error();
}

TEST(Gateway, Reads_a_key_that_is_there_and_one_that_is_not) {
    const auto there = parse_range("{" + header + R"(,"kvs":[)" + kv + R"(],"count":"1"})", "foo");
    ASSERT_TRUE(there) << there.error();
    EXPECT_EQ(*there, (Found{7, bar}));
    EXPECT_EQ(there->mod_revision(), 5);
    const auto absent = parse_range("{" + header + "}", "foo");
    ASSERT_TRUE(absent) << absent.error();
    EXPECT_EQ(*absent, (Found{7, {}}));
    EXPECT_EQ(absent->mod_revision(), 0);
}

TEST(Gateway, Ignores_fields_that_it_does_not_know) {
    const auto found =
        parse_range("{\"new\":[{}]," + header + R"(,"more":true,"kvs":[)" + kv + R"(],"count":1})", "foo");
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->entry, bar);
}

// A key that is taken for absent would be written as if nobody had ever used it.
TEST(Gateway, Takes_no_damaged_answer_for_an_absent_key) {
    const std::string good = "{" + header + R"(,"kvs":[)" + kv + R"(],"count":"1"})";
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_NE(error_of(good.substr(0, length)), "") << length;
    EXPECT_THAT(error_of("{}"), HasSubstr("it has no revision"));
    EXPECT_THAT(error_of("[]"), HasSubstr("it is no JSON object"));
    EXPECT_THAT(error_of(R"({"header":{"revision":"0"}})"), HasSubstr("it has no revision"));
    EXPECT_THAT(error_of(R"({"header":{"revision":"-3"}})"), HasSubstr("it has no revision"));
    EXPECT_THAT(error_of(R"({"header":{"revision":"7x"}})"), HasSubstr("it has no revision"));
    EXPECT_THAT(error_of(R"({"header":{"revision":"99999999999999999999"}})"),
                HasSubstr("it has no revision"));
    EXPECT_THAT(error_of("{" + header + R"(,"count":"1"})"), HasSubstr("it does not hold one key"));
    EXPECT_THAT(error_of("{" + header + R"(,"kvs":{},"count":"1"})"), HasSubstr("it does not hold one key"));
    EXPECT_THAT(error_of("{" + header + R"(,"kvs":[],"count":"1"})"), HasSubstr("it does not hold one key"));
}

TEST(Gateway, Refuses_a_wrong_key_and_wrong_base64) {
    const auto with = [](const std::string& entry) {
        return error_of("{" + header + R"(,"kvs":[)" + entry + R"(],"count":"1"})");
    };
    EXPECT_THAT(with(R"({"key":"Zm9v","mod_revision":"5","value":"YmF"})"),
                HasSubstr("the value is no base64"));
    EXPECT_THAT(with(R"({"key":"Zm9v","mod_revision":"5","value":3})"), HasSubstr("the value is no base64"));
    EXPECT_THAT(with(R"({"key":"?","mod_revision":"5","value":"YmFy"})"), HasSubstr("the key is no base64"));
    EXPECT_THAT(with(R"({"key":"YmFy","mod_revision":"5","value":"YmFy"})"),
                HasSubstr("it is about another key"));
    EXPECT_THAT(with(R"({"key":"Zm9v","value":"YmFy"})"), HasSubstr("the key has no revision"));
}

TEST(Gateway, Reads_the_outcome_of_an_exchange) {
    const auto done = parse_exchange(
        "{" + header + R"(,"succeeded":true,"responses":[{"response_put":{"header":{"revision":"7"}}}]})",
        "foo", "new");
    ASSERT_TRUE(done) << done.error();
    EXPECT_TRUE(done->succeeded);
    EXPECT_EQ(done->newest, (Found{7, Entry{"new", 7}}));
    const auto lost = parse_exchange(
        "{" + header + R"(,"responses":[{"response_range":{"header":{"revision":"7"},"kvs":[)" + kv +
            R"(],"count":"1"}}]})",
        "foo", "new");
    ASSERT_TRUE(lost) << lost.error();
    EXPECT_FALSE(lost->succeeded);
    EXPECT_EQ(lost->newest, (Found{7, bar}));
    const auto wiped = parse_exchange(
        "{" + header + R"(,"responses":[{"response_range":{"header":{"revision":"7"}}}]})", "foo", "new");
    ASSERT_TRUE(wiped) << wiped.error();
    EXPECT_FALSE(wiped->newest.entry);
    for (const char* rest : {"", R"(,"responses":[])", R"(,"responses":[{}])", R"(,"succeeded":"yes")",
                             R"(,"responses":[{"response_put":{}}])"})
        EXPECT_FALSE(parse_exchange("{" + header + rest + "}", "foo", "new")) << rest;
}

TEST(Gateway, Asks_in_its_language) {
    EXPECT_EQ(range_request("foo"), R"({"key":"Zm9v"})");
    EXPECT_EQ(watch_request("foo", 8), R"({"create_request":{"key":"Zm9v","start_revision":"8"}})");
    EXPECT_EQ(exchange_request("foo", {7, bar}, {{"foo", "new"}}),
              R"({"compare":[{"key":"Zm9v","target":"MOD","result":"EQUAL","mod_revision":"5"}],)"
              R"("success":[{"request_put":{"key":"Zm9v","value":"bmV3"}}],)"
              R"("failure":[{"request_range":{"key":"Zm9v"}}]})");
    EXPECT_THAT(exchange_request("foo", {7, {}}, {{"foo", "new"}}), HasSubstr(R"("mod_revision":"0")"));
}

TEST(Gateway, Says_why_etcd_refuses) {
    EXPECT_THAT(
        refusal(503, R"({"error":"etcdserver: no leader","message":"etcdserver: no leader","code":14})"),
        HasSubstr("etcd has no leader; a majority"));
    EXPECT_EQ(refusal(503, R"({"error":"etcdserver: request timed out","code":14})"),
              "etcd says: etcdserver: request timed out");
    EXPECT_THAT(refusal(400, R"({"error":"etcdserver: user name is empty","code":3})"),
                HasSubstr("etcd asks for a user"));
    EXPECT_THAT(refusal(404, "Not Found"), HasSubstr("no JSON gateway"));
    EXPECT_EQ(refusal(502, "<html>\nbad\ngateway"), "it answers with HTTP status 502: <html> bad gateway");
    EXPECT_EQ(refusal(500, R"({"error":{"message":7}})"),
              R"(it answers with HTTP status 500: {"error":{"message":7}})");
}

// --- The watch.

const std::string created = "{\"result\":{" + header + ",\"created\":true}}\n";
const std::string changed = "{\"result\":{" + header + ",\"events\":[{\"kv\":" + kv + "}]}}\n";
const std::string deleted = "{\"result\":{" + header +
                            R"(,"events":[{"type":"DELETE","kv":{"key":"Zm9v","mod_revision":"6"}}]}})" +
                            "\n";

TEST(WatchReader, Reads_objects_however_they_are_cut) {
    const std::string stream = created + changed + deleted + changed;
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        WatchReader reader("foo");
        std::vector<Entry> changes;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            const auto news = reader.read(std::string_view(stream).substr(at, piece));
            ASSERT_TRUE(news) << news.error();
            for (const News& one : *news) {
                EXPECT_EQ(one.revision, 7);
                changes.insert(changes.end(), one.changes.begin(), one.changes.end());
            }
        }
        EXPECT_THAT(changes, ElementsAre(bar, bar)) << piece;
    }
}

TEST(WatchReader, Tells_nothing_of_an_object_that_is_cut_short) {
    WatchReader reader("foo");
    const auto news = reader.read(created + changed.substr(0, changed.size() - 3));
    ASSERT_TRUE(news) << news.error();
    EXPECT_THAT(*news, SizeIs(1));
    EXPECT_THAT(news->front().changes, SizeIs(0));
}

TEST(WatchReader, Ends_when_it_is_cancelled_or_damaged) {
    const auto end = [](const std::string& stream) {
        WatchReader reader("foo");
        const auto news = reader.read(created + stream);
        return news ? "" : news.error();
    };
    EXPECT_THAT(end(R"({"result":{"header":{"raft_term":"2"},"canceled":true,"compact_revision":"3"}})"),
                HasSubstr("compacted"));
    EXPECT_THAT(end("{\"result\":{" + header + ",\"canceled\":true}}"), HasSubstr("cancelled"));
    EXPECT_THAT(end(R"({"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}})"),
                HasSubstr("etcd has no leader"));
    EXPECT_THAT(end("{\"result\":{" + header + ",\"events\":[{}]}}"), HasSubstr("an event has no key"));
    EXPECT_THAT(end("{\"result\":{" + header + ",\"events\":7}}"), HasSubstr("its events are no list"));
    EXPECT_THAT(end("{}"), HasSubstr("no result"));
    EXPECT_THAT(end("7 "), HasSubstr("no result"));
    EXPECT_THAT(end("<html>"), HasSubstr("no JSON"));
    EXPECT_THAT(end(std::string("{\"a\":\"") + std::string(std::size_t{9} << 20, 'x')),
                HasSubstr("too long"));
}

// --- Endpoints.

TEST(Endpoint, Is_read_as_people_write_it) {
    const auto secure = parse_endpoint("https://etcd1.example.com:2379/");
    ASSERT_TRUE(secure) << secure.error();
    EXPECT_EQ(*secure, (Endpoint{true, "etcd1.example.com", "etcd1.example.com:2379"}));
    EXPECT_EQ(secure->text(), "https://etcd1.example.com:2379");
    const auto plain = parse_endpoint("http://[::1]:2379");
    ASSERT_TRUE(plain) << plain.error();
    EXPECT_EQ(*plain, (Endpoint{false, "::1", "[::1]:2379"}));
    for (const char* wrong : {"", "10.0.0.1:2379", "https://", "https://a", "https://a:0", "https://a:x",
                              "https://a:2379/v3", "https://me@a:2379", "ftp://a:2379"})
        EXPECT_THAT(parse_endpoint(wrong) ? "" : parse_endpoint(wrong).error(),
                    HasSubstr("write an address, as in \"https://10.0.0.1:2379\""))
            << wrong;
}

}  // namespace
}  // namespace allot::etcd
