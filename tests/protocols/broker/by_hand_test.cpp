// States and messages that a scenario writes by hand are refused where they cannot be of the instance.
#include <gtest/gtest.h>

#include "play/player.hpp"
#include "protocols/support.hpp"

namespace {

using namespace allot;

// In a group of two resources and two clients.
std::string refusal(const std::string& protocol, const std::string& line) {
    const auto outcome = play::Player(registry::protocols())
                             .play("by hand", "protocol " + protocol + "\n" + line + "\nsettle\n");
    EXPECT_FALSE(outcome.ok()) << line;
    return outcome.message;
}

void expect_refused(const std::string& protocol, const std::string& line, const std::string& why) {
    const std::string message = refusal(protocol, line);
    EXPECT_NE(message.find(why), std::string::npos) << line << ": " << message;
}

TEST(BrokerByHand, A_site_keeps_its_role) {
    for (const char* protocol : {"strong-weak", "ordered-chain", "ring-ticket", "strong-weak-published"}) {
        expect_refused(protocol, R"(state 0 {"role": {"Client": {}}})", "site 0 is a resource: write");
        expect_refused(protocol, R"(state 2 {"role": {"Resource": {}}})", "site 2 is a client: write");
    }
}

TEST(BrokerByHand, Only_resources_are_asked_and_only_clients_ask) {
    expect_refused("strong-weak", R"(state 2 {"role": {"Client": {"asked": [3]}}})", "site 3 is no resource");
    expect_refused("strong-weak", R"(state 2 {"role": {"Client": {"phase": "waiting", "asked": []}}})",
                   "a client that waits or holds has a demand");
    expect_refused("strong-weak",
                   R"(state 0 {"role": {"Resource": {"line": [{"request": {"owner": 1, "number": 0}}]}}})",
                   "site 1 is a resource and asks for nothing");
    expect_refused("ordered-chain",
                   R"(state 0 {"role": {"Resource": {"queue": [{"request": {"owner": 9, "number": 0}}]}}})",
                   "owner: there is no site 9; the sites are 0 to 3");
    expect_refused("ring-ticket", R"(put 2 -> 0 {"Request": {"wanted": [3]}})", "site 3 is no resource");
    expect_refused("ring-ticket", R"(put 0 -> 1 {"Enter": {"client": 1}})",
                   "site 1 is a resource and asks for nothing");
    expect_refused("ring-ticket", R"(put 0 -> 1 {"Enter": {"client": 2, "ticket": {"owner": 3}}})",
                   "site 3 is no resource");
    expect_refused("ring-ticket", R"(put 0 -> 1 {"Enter": {"client": 2, "ticket": {"owner": 9}}})",
                   "owner: there is no site 9; the sites are 0 to 3");
    expect_refused("strong-weak-published", R"(put 2 -> 0 {"NewRequest": {"client": 9}})",
                   "client: there is no site 9; the sites are 0 to 3");
}

TEST(BrokerByHand, A_message_of_one_role_does_not_go_to_the_other) {
    const std::string to_client = "site 0 is a resource; messages of this kind go to a client";
    const std::string to_resource = "site 2 is a client; messages of this kind go to a resource";
    expect_refused("strong-weak", R"(put 1 -> 0 {"EndAck": {}})", to_client);
    expect_refused("strong-weak", R"(put 1 -> 2 {"Token": {}})", to_resource);
    expect_refused("strong-weak-published", R"(put 1 -> 0 {"ResAllowed": {}})", to_client);
    expect_refused("strong-weak-published", R"(put 1 -> 2 {"KillAck2": {}})", to_resource);
    expect_refused("ordered-chain", R"(put 1 -> 0 {"Cancelled": {}})", to_client);
    expect_refused("ordered-chain", R"(put 1 -> 2 {"Done": {}})", to_resource);
    expect_refused("ring-ticket", R"(put 1 -> 0 {"Ready": {}})", to_client);
    expect_refused("ring-ticket", R"(put 1 -> 2 {"Entered": {}})", to_resource);
}

TEST(BrokerByHand, A_pair_has_two_resources) {
    expect_refused("strong-weak-published", R"(put 2 -> 0 {"NewRequest": {"client": 2, "weak": true}})",
                   "other: write the other resource where weak is true");
    expect_refused(
        "strong-weak", R"(put 2 -> 0 {"NewRequest": {"request": {"owner": 2}, "role": "strong"}})",
        "other: write the other resource where role is strong or weak, and null where it is single");
    expect_refused("strong-weak",
                   R"(put 2 -> 0 {"NewRequest": {"request": {"owner": 2}, "role": "strong", "other": 3}})",
                   "site 3 is no resource");
    expect_refused("strong-weak",
                   R"(put 2 -> 0 {"NewRequest": {"request": {"owner": 2}, "role": "strong", "other": 99}})",
                   "other: there is no site 99; the sites are 0 to 3");
}

}  // namespace
