// A host that is alone, and the messages that its programs hear: tickets, resuming, permissions, patience.
#include "host/sessions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/member.hpp"

namespace allot::host::sessions_tests {
namespace {

using namespace std::chrono_literals;
using session::Acquire;
using session::Granted;
using session::Lost;
using session::Refusal;
using session::Refused;
using session::Released;
using session::Welcome;

// A member that is the only host of its cluster. It works in its first epoch and has a lease.
struct SessionsTest : testing::Test {
    SessionsTest() {
        config.host.settings.semaphores["builds"] = {.permits = 3, .max_request = 2};
        config.host.settings.semaphores["licence"] = {.permits = 1, .max_request = 1};
    }
    void SetUp() override {
        act([](Host& host, const Host::Self& self, Effects&) { host.start(self, true, true); });
        act([](Host& host, const Host::Self& self, Effects& out) { host.call_register(self, out); });
        agreement::Value value;
        value.version = value.version.next();
        value.view = 1;
        value.members = {member.host().myself(Member::host_self(self()))};
        value.quiet = true;
        value.settings = config.host.settings;
        fx = {};
        member.returned(self(), value, fx);
        ASSERT_TRUE(member.host().views().works());
    }

    Member::Self self() const { return {config, 0, 0, 0, now_ms}; }
    template <class Action>
    void act(Action action) {
        fx = {};
        member.act(self(), fx, action);
    }
    template <class Action>
    void converse(Action action) {
        fx = {};
        member.converse(self(), fx, action);
    }

    // The session of a program that connects.
    Result<SessionId> hello(const std::string& user = "ann", const std::string& resume = "",
                            bool is_local = true, std::vector<std::uint32_t> allowances = {}) {
        return connect({.user = user, .is_local = is_local, .allowances = std::move(allowances)},
                       {.command = "job", .resume = resume});
    }
    Result<SessionId> connect(Caller caller, const session::Hello& hello) {
        Result<SessionId> session = Error{""};
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            const SessionId number = next_session++;
            session = sessions.hello(inner, {number, "secret " + std::to_string(number), std::move(caller)},
                                     hello, out);
        });
        return session;
    }
    // A local program of ann that the kernel shows to the daemon.
    static Caller process(std::int32_t pid) {
        return {.user = "ann",
                .process = {.boot = "b", .pid_namespace = "pid:[1]", .pid = pid, .started = 9}};
    }
    std::optional<std::string> follow(SessionId session, Ticket ticket) {
        std::optional<std::string> why;
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects&) {
            why = sessions.follow(inner, {session, ticket});
        });
        return why;
    }
    template <class Message>
    void say(SessionId session, const Message& message) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            sessions.hear(inner, session, message, out);
        });
    }
    void ask(SessionId session, Ticket ticket, std::vector<std::string> locks,
             std::vector<session::Permit> permits = {}, std::uint64_t patience_us = 0) {
        say(session, Acquire{ticket, std::move(locks), std::move(permits), patience_us});
    }
    void disconnect(SessionId session) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            sessions.disconnected(inner, session, out);
        });
    }
    void expire(SessionId session, std::optional<Ticket> ticket) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            sessions.expired(inner, session, ticket, out);
        });
    }

    void return_left(SessionId session, const std::string& name) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            returned = Sessions::return_left(inner, sessions.find(session)->caller, name, out);
        });
    }

    // The messages of this kind in the last effects, for one session.
    template <class Message>
    std::vector<Message> told(SessionId session) const {
        std::vector<Message> all;
        for (const ToProgram& one : fx.told)
            if (const auto* message = std::get_if<Message>(&one.message); message && one.session == session)
                all.push_back(*message);
        return all;
    }
    std::string refusal(SessionId session) const {
        const auto all = told<Refused>(session);
        return all.empty() ? "" : all.front().reason;
    }

    Member::Config config;
    std::uint64_t now_ms = 1000;
    Member member;
    Member::Effects fx;
    SessionId next_session = 1;
    std::size_t returned = 0;  // by the last `return_left`
};

TEST_F(SessionsTest, A_lease_begins_and_ends_with_a_message_each) {
    const SessionId ann = *hello();
    ask(ann, 7, {"a"}, {{"licence", 1}});
    ASSERT_EQ(told<Granted>(ann).size(), 1u);
    EXPECT_EQ(told<Granted>(ann)[0].held.size(), 2u);
    EXPECT_TRUE(fx.told[0].asked_ms);
    now_ms = 1500;
    say(ann, session::Release{7});
    ASSERT_EQ(told<Released>(ann).size(), 1u);
    ASSERT_TRUE(fx.told[0].ended);
    EXPECT_TRUE(fx.told[0].ended->was_granted);
    EXPECT_EQ(fx.told[0].ended->since_ms, 1000u);
}

TEST_F(SessionsTest, What_one_session_gives_back_the_next_one_gets_after_it) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"a"});
    ask(bob, 1, {"a"});
    EXPECT_TRUE(told<Granted>(bob).empty());
    say(ann, session::Release{1});
    ASSERT_EQ(fx.told.size(), 2u);
    EXPECT_EQ(fx.told[0].session, ann);  // the audit log shows them in this order
    EXPECT_EQ(told<Granted>(bob).size(), 1u);
}

TEST_F(SessionsTest, A_session_that_ends_gets_nothing_of_what_it_gives_back) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"a"});
    ask(ann, 2, {"a"});
    ask(bob, 1, {"a"});
    disconnect(ann);
    EXPECT_TRUE(told<Granted>(ann).empty());
    EXPECT_EQ(told<Granted>(bob).size(), 1u);
    ASSERT_EQ(fx.forgotten.size(), 1u);
    EXPECT_EQ(fx.forgotten[0].first, ann);
    EXPECT_EQ(member.sessions().find(ann), nullptr);
}

TEST_F(SessionsTest, A_request_that_nobody_knows_is_released_already) {
    const SessionId ann = *hello();
    say(ann, session::Release{9});
    EXPECT_EQ(told<Released>(ann).size(), 1u);
    EXPECT_FALSE(fx.told[0].ended);
}

TEST_F(SessionsTest, Whoever_is_not_patient_is_refused_when_the_alarm_rings) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"a"});
    ask(bob, 4, {"a"}, {}, 250);
    ASSERT_EQ(fx.alarms.size(), 1u);
    EXPECT_EQ(fx.alarms[0].after, 250us);
    expire(bob, 4);
    ASSERT_EQ(told<Refused>(bob).size(), 1u);
    EXPECT_EQ(told<Refused>(bob)[0].why, Refusal::timed_out);
    say(ann, session::Release{1});
    EXPECT_TRUE(told<Granted>(bob).empty());
}

TEST_F(SessionsTest, A_grant_takes_its_alarm_back) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"a"}, {}, 250);
    EXPECT_TRUE(fx.alarms.empty());  // it was never set
    ask(bob, 1, {"a"}, {}, 250);
    ASSERT_EQ(fx.alarms.size(), 1u);
    say(ann, session::Release{1});
    ASSERT_EQ(fx.alarms.size(), 2u);
    EXPECT_EQ(fx.alarms[1].session, bob);
    EXPECT_EQ(fx.alarms[1].after, 0us);
}

TEST_F(SessionsTest, Wrong_requests_are_refused_with_what_to_write) {
    config.sessions.limits.name_length = 4;
    config.sessions.limits.locks_per_request = 2;
    const SessionId ann = *hello();
    const auto refused = [&](std::vector<std::string> locks, std::vector<session::Permit> permits = {}) {
        ask(ann, 1, std::move(locks), std::move(permits));
        return refusal(ann);
    };
    EXPECT_EQ(refused({}), "name at least one lock or semaphore");
    EXPECT_EQ(refused({"a", "a"}), "a is named twice; name each lock once");
    EXPECT_EQ(refused({"a", "b", "c"}), "3 locks at once are too many; name at most 2");
    EXPECT_EQ(refused({"abcde"}), "a name of 5 characters is too long; write at most 4");
    EXPECT_EQ(refused({"\xff"}), "the name of a lock is not UTF-8; write it in UTF-8");
    EXPECT_EQ(refused({}, {{"builds", 3}}), "builds=3: write a number from 1 to 2");
    EXPECT_EQ(refused({}, {{"cars", 1}}), "cars: no such semaphore; there is builds, licence");
    ask(ann, 1, {"a"});
    EXPECT_EQ(refused({"b"}), "ticket 1 is in use");
    EXPECT_EQ(member.sessions().find(ann)->open.size(), 1u);
}

TEST_F(SessionsTest, Who_may_read_nothing_does_not_hear_which_semaphores_there_are) {
    config.sessions.allow = {{.users = {"*"}, .locks = {"*"}, .semaphores = {"*"}, .read = Reading::none},
                             {.users = {"bob"}, .read = Reading::names}};
    const SessionId ann = *hello("ann", "", true, {0});
    ask(ann, 1, {}, {{"cars", 1}});
    EXPECT_EQ(refusal(ann), "cars: no such semaphore");
    const SessionId bob = *hello("bob", "", true, {0, 1});
    ask(bob, 1, {}, {{"cars", 1}});
    EXPECT_EQ(refusal(bob), "cars: no such semaphore; there is builds, licence");
}

TEST_F(SessionsTest, A_session_has_as_many_requests_as_it_may) {
    config.sessions.limits.requests_per_session = 2;
    const SessionId ann = *hello();
    ask(ann, 1, {"a"});
    ask(ann, 2, {"b"});
    ask(ann, 3, {"c"});
    EXPECT_EQ(refusal(ann), "this session has 2 open requests, which is the limit");
}

TEST_F(SessionsTest, One_user_leaves_sessions_for_others) {
    config.sessions.limits.sessions = 4;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(hello());
    EXPECT_EQ(hello().error(), "ann has 3 sessions, which is the limit for one user; try again later");
    ASSERT_TRUE(hello("bob"));
    EXPECT_EQ(hello("eve").error(), "there are 4 sessions, which is the limit; try again later");
}

// By the formula, a lock with a name of one letter counts with 1,028 bytes.
TEST_F(SessionsTest, One_user_leaves_memory_for_others) {
    constexpr std::uint64_t of_four = memory_of_request(4, 4);
    config.sessions.limits.memory = 2 * of_four;  // one and a half for one user
    const SessionId ann = *hello();
    const SessionId another = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"a", "b", "c", "d"});
    EXPECT_EQ(refusal(ann), "");
    EXPECT_EQ(member.sessions().crowding(config.sessions.limits), "");
    ask(another, 1, {"e", "f", "g"});
    EXPECT_EQ(refusal(another),
              "the open requests of ann take 6160 bytes, and this one 5132 bytes, of at most 9240 bytes "
              "(limits.memory_megabytes); ask again when some have ended");
    ask(bob, 1, {"h", "i", "j", "k"});
    EXPECT_EQ(refusal(bob), "");
    EXPECT_EQ(member.sessions().crowding(config.sessions.limits),
              "the open requests of this host take nearly all the memory that they may take "
              "(limits.memory_megabytes); more of them are refused until some have ended");
    ask(another, 1, {"e"});
    EXPECT_EQ(refusal(another),
              "the open requests of this host take 12320 bytes, and this one 3076 bytes, of at most 12320 "
              "bytes (limits.memory_megabytes); ask again when some have ended");
    say(ann, session::Release{1});
    ask(another, 1, {"e", "f", "g", "h"});
    EXPECT_EQ(refusal(another), "") << "it waits for h";
    disconnect(another);
    ask(ann, 2, {"e", "f", "g", "h"});
    EXPECT_EQ(refusal(ann), "") << "the session that waited has ended";
}

TEST_F(SessionsTest, One_session_leaves_memory_for_others_of_its_user) {
    config.sessions.limits.session_memory = memory_of_request(3, 3);
    const SessionId ann = *hello();
    const SessionId another = *hello();
    ask(ann, 1, {"a"});
    ask(ann, 2, {"b"});
    EXPECT_EQ(refusal(ann),
              "the open requests of this session take 3076 bytes, and this one 3076 bytes, of at most 5132 "
              "bytes (limits.session_megabytes); ask again when some have ended");
    ask(another, 1, {"b"});
    EXPECT_EQ(refusal(another), "");
    say(ann, session::Release{1});
    ask(ann, 2, {"c"});
    EXPECT_EQ(refusal(ann), "");
}

struct EndOfSession : SessionsTest {
    void SetUp() override {
        SessionsTest::SetUp();
        config.sessions.end_at_once = 1;
        ask(ann, 1, {"a"});
        ask(ann, 2, {"b"});
        ask(ann, 3, {"a"});
        ask(bob, 1, {"a"});
        ask(bob, 2, {"b"});
        ASSERT_TRUE(told<Granted>(bob).empty());
    }
    void go_on() {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            cost = sessions.go_on(inner, ann, out);
        });
    }
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    Cost cost = 0;
};

TEST_F(EndOfSession, Is_done_in_parts_and_those_who_wait_get_nothing_of_it) {
    disconnect(ann);
    EXPECT_EQ(fx.unfinished, std::vector{ann});
    EXPECT_TRUE(told<Granted>(ann).empty() && told<Granted>(bob).empty()) << "its third request ends first";
    go_on();
    EXPECT_EQ(fx.unfinished, std::vector{ann});
    EXPECT_EQ(cost, 2u);
    EXPECT_EQ(told<Granted>(bob).size(), 1u);
    EXPECT_TRUE(fx.forgotten.empty());
    go_on();
    EXPECT_TRUE(fx.unfinished.empty());
    EXPECT_EQ(told<Granted>(bob).size(), 1u);
    EXPECT_EQ(fx.forgotten.size(), 1u);
    EXPECT_EQ(member.sessions().find(ann), nullptr);
}

TEST_F(EndOfSession, Is_not_to_be_resumed) {
    disconnect(ann);
    const auto again = *hello("ann", "secret 1");
    EXPECT_NE(again, ann);
    EXPECT_TRUE(told<Welcome>(again)[0].open.empty());
    go_on();
    go_on();
    EXPECT_EQ(member.sessions().find(ann), nullptr);
    EXPECT_NE(member.sessions().find(again), nullptr);
}

TEST_F(EndOfSession, Leaves_what_follows_a_process_and_the_program_may_come_back_for_it) {
    ASSERT_FALSE(follow(ann, 2));
    disconnect(ann);
    ASSERT_EQ(fx.unfinished, std::vector{ann});
    ASSERT_EQ(*hello("ann", "secret 1"), ann);
    EXPECT_EQ(told<Welcome>(ann)[0].open, std::vector<Ticket>{2});
    EXPECT_EQ(told<Granted>(ann).size(), 1u);
    ask(ann, 1, {"c"});
    EXPECT_EQ(refusal(ann), "ticket 1 is in use");
    say(ann, session::Release{1});
    EXPECT_TRUE(fx.told.empty()) << "its end says so";
    go_on();
    EXPECT_EQ(told<Released>(ann).size(), 1u);
    EXPECT_TRUE(fx.unfinished.empty());
    EXPECT_EQ(member.sessions().find(ann)->open.size(), 1u);
}

// Bob's request is granted in between, so ann's is the first that waits for it.
TEST_F(EndOfSession, Tells_nobody_of_a_grant_that_comes_while_it_ends) {
    const SessionId eve = *hello("eve");
    ask(eve, 1, {"c"});
    ask(ann, 4, {"c"});
    disconnect(ann);
    say(eve, session::Release{1});
    EXPECT_TRUE(told<Granted>(ann).empty());
    for (int part = 0; part < 4; ++part) go_on();
    EXPECT_EQ(member.sessions().find(ann), nullptr);
    ask(eve, 2, {"c"});
    EXPECT_EQ(told<Granted>(eve).size(), 1u);
}

TEST_F(SessionsTest, A_name_that_would_break_a_list_or_a_terminal_is_refused) {
    const SessionId ann = *hello();
    const auto refused = [&](const std::string& name) {
        ask(ann, 1, {name});
        return refusal(ann);
    };
    EXPECT_EQ(refused("a,b"), "the name of a lock has a comma or an equals sign; write one without them");
    EXPECT_EQ(refused("a=1"), "the name of a lock has a comma or an equals sign; write one without them");
    for (const char* name : {"a\nb", "\x1b[2J", "a\u202eb", "\u200b"})
        EXPECT_EQ(refused(name),
                  "the name of a lock has a control character, or one that cannot be seen; write one with "
                  "letters that are shown");
    EXPECT_EQ(refused("rack 7: gr\u00f6\u00dfe/x@y.z#1*"), "");
}

TEST_F(SessionsTest, A_refusal_repeats_no_more_of_a_name_than_is_harmless) {
    config.sessions.allow = {{.users = {"ann"}, .locks = {"db"}, .semaphores = {}}};
    const SessionId ann = *hello("ann", "", true, {0});
    ask(ann, 1, {"\x1b[2J" + std::string(1000, 'x')});
    EXPECT_EQ(refusal(ann), "ann may not take lock \\x1b[2J" + std::string(121, 'x'));
    ASSERT_EQ(fx.told.size(), 1u);
    EXPECT_EQ(fx.told[0].ended->resources[0].name, "\\x1b[2J" + std::string(121, 'x'));
}

TEST_F(SessionsTest, A_command_is_cut_between_two_characters) {
    std::string command = "x";
    while (command.size() < 300) command += "\u00fc";
    const SessionId ann = *connect({.user = "ann"}, {.command = command});
    EXPECT_EQ(member.sessions().find(ann)->command, command.substr(0, 199));
    const SessionId eve = *connect({.user = "eve"}, {.command = "\x1b[2J\xff \u202e"});
    EXPECT_EQ(member.sessions().find(eve)->command, "\\x1b[2J\\xff \\u202e");
}

TEST_F(SessionsTest, A_certificate_and_a_user_of_the_same_name_are_two) {
    config.sessions.limits.sessions = 4;
    config.sessions.limits.sessions_per_user = 1;
    config.sessions.limits.followed = 4;
    const SessionId certified = *hello("ann", "", false);
    EXPECT_EQ(hello("ann", "", false).error(),
              "cert:ann has 1 sessions, which is the limit for one user; try again later");
    const auto local = hello("ann");
    ASSERT_TRUE(local);
    EXPECT_EQ(hello("ann").error(), "ann has 1 sessions, which is the limit for one user; try again later");
    for (Ticket ticket = 1; ticket <= 3; ++ticket) {
        ask(certified, ticket, {"a" + std::to_string(ticket)});
        EXPECT_FALSE(follow(certified, ticket));
    }
    ask(*local, 1, {"b"});
    EXPECT_FALSE(follow(*local, 1));
    EXPECT_EQ(identity_of({.user = "ann", .is_local = false}), "cert:ann");
    EXPECT_EQ(identity_of({.user = "ann"}), "ann");
    EXPECT_EQ(identity_of({.user = uncertified, .is_local = false}), uncertified);
}

TEST_F(SessionsTest, A_program_uses_what_its_allowances_name) {
    config.sessions.allow = {{.users = {"ann"}, .locks = {"db*"}, .semaphores = {}},
                             {.users = {"*"}, .locks = {}, .semaphores = {"builds"}}};
    const SessionId ann = *hello("ann", "", true, {0, 1});
    const SessionId bob = *hello("bob", "", true, {1});
    ask(ann, 1, {"db-main"}, {{"builds", 1}});
    EXPECT_EQ(told<Granted>(ann).size(), 1u);
    ask(ann, 2, {"gpu"});
    EXPECT_EQ(refusal(ann), "ann may not take lock gpu");
    ask(bob, 1, {"db-main"});
    EXPECT_EQ(refusal(bob), "bob may not take lock db-main");
    ask(bob, 1, {}, {{"licence", 1}});
    EXPECT_EQ(refusal(bob), "bob may not use semaphore licence");
}

// --- Programs that go away and come back.

TEST_F(SessionsTest, A_program_of_another_machine_keeps_its_leases_for_the_time_of_a_lease) {
    const SessionId ann = *hello("ann", "", false);
    ask(ann, 1, {"a"});
    disconnect(ann);
    EXPECT_TRUE(told<Released>(ann).empty());
    ASSERT_EQ(fx.alarms.size(), 1u);
    EXPECT_EQ(fx.alarms[0].after, config.sessions.lease);
    ASSERT_EQ(*hello("ann", "secret 1", false), ann);
    ASSERT_EQ(told<Welcome>(ann).size(), 1u);
    EXPECT_TRUE(told<Welcome>(ann)[0].resumed);
    EXPECT_EQ(told<Welcome>(ann)[0].open, std::vector<Ticket>{1});
    EXPECT_EQ(told<Granted>(ann).size(), 1u);
    EXPECT_FALSE(fx.told[1].asked_ms);  // the lease does not begin again
    disconnect(ann);
    expire(ann, std::nullopt);
    EXPECT_EQ(told<Released>(ann).size(), 1u);
    EXPECT_EQ(member.sessions().find(ann), nullptr);
}

TEST_F(SessionsTest, An_alarm_that_is_late_ends_nothing) {
    const SessionId ann = *hello("ann", "", false);
    ask(ann, 1, {"a"});
    disconnect(ann);
    ASSERT_EQ(*hello("ann", "secret 1", false), ann);
    expire(ann, std::nullopt);
    EXPECT_NE(member.host().find({ann, 1}), nullptr);
}

// Its time was over in the step in which it was granted.
TEST_F(SessionsTest, An_alarm_for_a_request_that_was_granted_meanwhile_ends_nothing) {
    const SessionId ann = *hello();
    ask(ann, 1, {"a"}, {}, 1'000'000);
    ASSERT_EQ(told<Granted>(ann).size(), 1u);
    expire(ann, 1);
    EXPECT_TRUE(fx.told.empty());
    EXPECT_NE(member.host().find({ann, 1}), nullptr);
}

TEST_F(SessionsTest, Nobody_resumes_the_session_of_another_user_or_from_another_machine) {
    const SessionId ann = *hello("ann", "", false);
    ask(ann, 1, {"a"});
    disconnect(ann);
    EXPECT_NE(*hello("eve", "secret 1", false), ann);
    EXPECT_NE(*hello("ann", "secret 1", true), ann);
    EXPECT_EQ(*hello("ann", "secret 1", false), ann);
}

TEST_F(SessionsTest, A_lease_that_follows_a_process_outlives_its_program) {
    const SessionId ann = *hello();
    ask(ann, 1, {"a"});
    ask(ann, 2, {"b"});
    converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects&) {
        EXPECT_FALSE(sessions.follow(inner, {ann, 1}));
    });
    disconnect(ann);
    ASSERT_EQ(told<Released>(ann).size(), 1u);
    EXPECT_EQ(told<Released>(ann)[0].ticket, 2u);
    converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
        sessions.follower_ended(inner, {ann, 1}, out);
    });
    EXPECT_EQ(told<Released>(ann).size(), 1u);
    EXPECT_EQ(member.sessions().find(ann), nullptr);
}

TEST_F(SessionsTest, A_lease_that_has_ended_follows_nobody) {
    const SessionId ann = *hello();
    ask(ann, 1, {"a"});
    fx = {};
    member.tick(self(), fx, config.host.lease);
    ASSERT_EQ(told<Lost>(ann).size(), 1u);
    EXPECT_EQ(follow(ann, 1), "ticket 1 is not open");
    EXPECT_EQ(follow(ann, 2), "ticket 2 is not open");
    EXPECT_EQ(follow(ann + 1, 1), "ticket 1 is not open");  // a session that nobody has
    EXPECT_TRUE(member.sessions().find(ann)->followed.empty());
}

TEST_F(SessionsTest, One_user_leaves_followed_processes_for_others) {
    config.sessions.limits.followed = 4;
    const SessionId ann = *hello();
    for (Ticket ticket = 1; ticket <= 4; ++ticket) ask(ann, ticket, {"a" + std::to_string(ticket)});
    for (Ticket ticket = 1; ticket <= 3; ++ticket) EXPECT_FALSE(follow(ann, ticket));
    EXPECT_EQ(follow(ann, 4), "the daemon watches 3 processes for ann, which is the limit for one user");
    const SessionId bob = *hello("bob");
    for (Ticket ticket = 1; ticket <= 2; ++ticket) ask(bob, ticket, {"b" + std::to_string(ticket)});
    EXPECT_FALSE(follow(bob, 1));
    EXPECT_EQ(follow(bob, 2), "the daemon watches 4 processes, which is the limit");
}

TEST_F(SessionsTest, Who_holds_and_cannot_be_served_is_told_and_gives_it_back_itself) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"a"});
    ask(bob, 1, {"a"});
    const auto lose = [&](const Key& key) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            sessions.lose(inner, key, "no room", out);
        });
    };
    lose({ann, 1});
    EXPECT_EQ(told<Lost>(ann).size(), 1u);
    EXPECT_NE(member.host().find({ann, 1}), nullptr);
    lose({bob, 1});
    EXPECT_EQ(refusal(bob), "no room");
    EXPECT_EQ(member.host().find({bob, 1}), nullptr);
}

// --- Orders, and programs that nobody can stop.

TEST_F(SessionsTest, An_evicted_lease_ends_with_its_process_though_the_program_is_connected) {
    const SessionId ann = *hello();
    ask(ann, 1, {"a"});
    const std::uint64_t fence = told<Granted>(ann)[0].held[0].fence;
    std::vector<Key> stopped;
    const auto evict = [&](std::uint64_t of) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
            stopped = sessions.evict(inner, "a", of, "ordered", out);
        });
    };
    converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects&) {
        EXPECT_FALSE(sessions.follow(inner, {ann, 1}));
    });
    evict(fence + 1);  // somebody else's
    EXPECT_TRUE(stopped.empty());
    EXPECT_TRUE(fx.told.empty());
    evict(fence);
    EXPECT_EQ(stopped, std::vector<Key>({{ann, 1}}));
    EXPECT_EQ(told<Lost>(ann).size(), 1u);
    EXPECT_NE(member.host().find({ann, 1}), nullptr);  // until the process has ended
    converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
        sessions.follower_ended(inner, {ann, 1}, out);
    });
    EXPECT_EQ(member.host().find({ann, 1}), nullptr);
}

TEST_F(SessionsTest, A_program_that_nobody_can_stop_has_the_time_of_a_lease_to_obey) {
    const SessionId ann = *hello();
    ask(ann, 1, {"a"});
    EXPECT_EQ(told<Granted>(ann)[0].ending, session::Ending::told);
    const std::uint64_t fence = told<Granted>(ann)[0].held[0].fence;
    converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& out) {
        EXPECT_TRUE(sessions.evict(inner, "a", fence, "ordered", out).empty());
    });
    ASSERT_EQ(fx.alarms.size(), 1u);
    EXPECT_EQ(fx.alarms[0].after, config.sessions.lease);
    expire(ann, 1);
    EXPECT_EQ(member.host().find({ann, 1}), nullptr);
    ASSERT_EQ(fx.told.size(), 1u);
    EXPECT_TRUE(fx.told[0].ended);
}

TEST_F(SessionsTest, A_strict_resource_is_for_programs_that_can_be_stopped) {
    config.sessions.modes = {{.names = {"gpu*"}, .strict = true}};
    const SessionId ann = *hello();
    ask(ann, 1, {"a", "gpu0"});
    EXPECT_THAT(refusal(ann), testing::HasSubstr("only programs that can be stopped may use it (strict)"));
    ask(ann, 1, {"a"});
    EXPECT_EQ(told<Granted>(ann).size(), 1u);
}

TEST_F(SessionsTest, A_program_that_the_kernel_does_not_show_cannot_be_stopped) {
    config.sessions.modes = {{.names = {"gpu*"}, .strict = true}};
    const session::Hello stoppable{.command = "job", .stoppable = true};
    const SessionId seen = *connect(process(7), stoppable);
    ask(seen, 1, {"gpu0"});
    ASSERT_EQ(told<Granted>(seen).size(), 1u);
    EXPECT_EQ(told<Granted>(seen)[0].ending, session::Ending::stopped);
    // In another PID namespace it has no number here; without /proc nothing but its number is known.
    for (const ProcessMark& mark : {ProcessMark(), ProcessMark{.pid = 7}}) {
        const SessionId unseen = *connect({.user = "ann", .process = mark}, stoppable);
        ask(unseen, 1, {"gpu1"});
        EXPECT_THAT(refusal(unseen), testing::HasSubstr("only programs that can be stopped"));
        ask(unseen, 2, {"a" + std::to_string(mark.pid)});
        ASSERT_EQ(told<Granted>(unseen).size(), 1u);
        EXPECT_EQ(told<Granted>(unseen)[0].ending, session::Ending::told);
    }
}

// The guardian has the pidfd of the process that began it.
TEST_F(SessionsTest, Only_its_own_process_resumes_a_stoppable_session) {
    const SessionId ann = *connect(process(7), {.stoppable = true});
    ask(ann, 1, {"a"});
    EXPECT_NE(*connect(process(8), {.resume = "secret 1", .stoppable = true}), ann);
    EXPECT_NE(*connect({.user = "ann"}, {.resume = "secret 1", .stoppable = true}), ann);
    EXPECT_EQ(*connect(process(7), {.resume = "secret 1", .stoppable = true}), ann);
    EXPECT_EQ(told<Granted>(ann)[0].ending, session::Ending::stopped);
}

TEST_F(SessionsTest, A_session_does_not_become_stoppable_when_it_is_resumed) {
    const SessionId ann = *connect(process(7), {});
    ask(ann, 1, {"a"});
    ASSERT_EQ(*connect(process(8), {.resume = "secret 1", .stoppable = true}), ann);
    ASSERT_EQ(told<Granted>(ann).size(), 1u);
    EXPECT_EQ(told<Granted>(ann)[0].ending, session::Ending::told);  // no guardian knows of this lease
}

TEST_F(SessionsTest, In_the_mode_fence_a_program_goes_on_when_the_lease_ends) {
    config.sessions.modes = {{.names = {"cache*"}, .fence = true}};
    const SessionId ann = *hello();
    ask(ann, 1, {"cache1"});
    EXPECT_EQ(told<Granted>(ann)[0].ending, session::Ending::nothing);
    ask(ann, 2, {"cache2", "disk"});  // the strictest of its names counts
    EXPECT_EQ(told<Granted>(ann)[0].ending, session::Ending::told);
    fx = {};
    member.tick(self(), fx, config.host.lease);
    ASSERT_FALSE(member.host().has_lease());
    EXPECT_NE(member.host().find({ann, 1}), nullptr);
    EXPECT_EQ(member.host().find({ann, 2}), nullptr);
    ASSERT_EQ(told<Lost>(ann).size(), 1u);
    EXPECT_EQ(told<Lost>(ann)[0].ticket, 2u);
}

// A host with names in the mode sticky, and a register that answers when it is told to.
struct StickyTest : SessionsTest {
    StickyTest() { config.sessions.modes = {{.names = {"rack*", "builds"}, .sticky = true}}; }

    // The register answers the call that is under way. The effects are those of the answer.
    bool answer_register() {
        if (!fx.call) return false;
        agreement::Value value = member.host().known();
        if (fx.call->change) value = fx.call->change->applied_to(value, {0, 0, ++values});
        fx = {};
        member.returned(self(), value, fx);
        return true;
    }
    std::vector<agreement::Kept> kept() const { return member.host().known().kept; }
    std::uint32_t values = 0;
};

TEST_F(StickyTest, A_request_is_granted_when_the_register_keeps_it) {
    const SessionId ann = *hello();
    ask(ann, 1, {"rack1"});
    EXPECT_TRUE(told<Granted>(ann).empty());
    ASSERT_TRUE(answer_register());
    ASSERT_EQ(told<Granted>(ann).size(), 1u);
    EXPECT_EQ(told<Granted>(ann)[0].ending, session::Ending::kept);
    ASSERT_EQ(kept().size(), 1u);
    EXPECT_EQ(kept()[0].ownership.owner, "ann@");
    EXPECT_EQ(kept()[0].ownership.since_ms, 1000u);
    EXPECT_EQ(member.host().known().view, 1u);
}

TEST_F(StickyTest, A_change_names_the_value_that_it_changes) {
    ask(*hello(), 1, {"rack1"});
    ASSERT_TRUE(fx.call && fx.call->change);
    const agreement::Value& known = member.host().known();
    EXPECT_EQ(fx.call->change->of, (agreement::ValueName{known.id, known.version}));
}

TEST_F(SessionsTest, A_register_that_has_forgotten_later_views_is_learned_from_nobody) {
    config.least_view = 5;
    agreement::Value value = member.host().known();
    value.version = value.version.next().next();
    value.view = 4;
    fx = {};
    member.receive(self(), 1, Learn{value}, fx);
    EXPECT_EQ(member.host().known().view, 1u);
    value.view = 5;
    member.receive(self(), 1, Learn{value}, fx);
    EXPECT_EQ(member.host().known().view, 5u);
}

TEST_F(StickyTest, What_is_given_back_is_free_when_the_register_has_forgotten_it) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"rack1"});
    answer_register();
    ask(bob, 1, {"rack1"});
    say(ann, session::Release{1});
    EXPECT_TRUE(told<Released>(ann).empty());
    ASSERT_TRUE(answer_register());  // forgotten: bob's request comes next
    EXPECT_EQ(told<Released>(ann).size(), 1u);
    EXPECT_TRUE(kept().empty());
    EXPECT_TRUE(told<Granted>(bob).empty());
    ASSERT_TRUE(answer_register());
    EXPECT_EQ(told<Granted>(bob).size(), 1u);
}

TEST_F(StickyTest, A_program_that_dies_leaves_it_to_its_owner) {
    const SessionId ann = *hello();
    const SessionId bob = *hello("bob");
    ask(ann, 1, {"rack1"});
    answer_register();
    disconnect(ann);
    ask(bob, 1, {"rack1"});
    EXPECT_FALSE(answer_register());
    EXPECT_EQ(kept().size(), 1u);
    const SessionId eve = *hello("eve");
    return_left(eve, "rack1");
    EXPECT_EQ(returned, 0u);
    return_left(*hello("ann"), "rack1");
    EXPECT_EQ(returned, 1u);
    ASSERT_TRUE(answer_register());
    ASSERT_TRUE(answer_register());
    EXPECT_EQ(told<Granted>(bob).size(), 1u);
}

TEST_F(StickyTest, A_program_that_dies_before_it_knows_of_its_grant_leaves_nothing) {
    const SessionId ann = *hello();
    ask(ann, 1, {"rack1"});
    const auto call = fx.call;
    disconnect(ann);
    EXPECT_FALSE(fx.call);
    fx.call = call;
    ASSERT_TRUE(answer_register());  // it is kept, and to be forgotten
    EXPECT_EQ(kept().size(), 1u);
    ASSERT_TRUE(answer_register());
    EXPECT_TRUE(kept().empty());
}

TEST_F(StickyTest, Units_of_a_semaphore_are_told_apart) {
    const SessionId ann = *hello();
    ask(ann, 1, {}, {{"builds", 1}});
    answer_register();
    const std::uint64_t fence = told<Granted>(ann)[0].held[0].fence;
    ask(ann, 2, {}, {{"builds", 1}});
    answer_register();
    EXPECT_NE(told<Granted>(ann)[0].held[0].fence, fence);
}

TEST_F(StickyTest, A_request_is_sticky_as_a_whole_or_not_at_all) {
    const SessionId ann = *hello();
    ask(ann, 1, {"rack1", "db"});
    EXPECT_EQ(refusal(ann), "some of these are sticky, others are not; ask for them apart");
}

TEST_F(StickyTest, The_register_keeps_only_so_many) {
    config.sessions.limits.sticky = 4;
    config.sessions.limits.sticky_names = 2;
    const SessionId ann = *hello();
    for (Ticket ticket = 1; ticket <= 3; ++ticket) {
        ask(ann, ticket, {"rack" + std::to_string(ticket)});
        answer_register();
        ASSERT_EQ(told<Granted>(ann).size(), 1u);
    }
    ask(ann, 4, {"rack4"});
    EXPECT_EQ(refusal(ann), "ann@ has 3 sticky requests, which is the limit for one owner; give some back");
    const SessionId bob = *hello("bob");
    ask(bob, 1, {"rack4"});
    answer_register();
    ask(bob, 2, {"rack5"});
    EXPECT_EQ(refusal(bob), "the register keeps 4 sticky requests, which is the limit; give some back");
    ask(bob, 2, {"rack5", "rack6", "rack7"});
    EXPECT_EQ(refusal(bob), "a sticky request has at most 2 names");
}

TEST_F(StickyTest, The_owner_goes_on_with_what_a_program_left_behind) {
    const SessionId ann = *hello();
    ask(ann, 1, {"rack1"});
    answer_register();
    const std::uint64_t fence = told<Granted>(ann)[0].held[0].fence;
    disconnect(ann);
    const SessionId again = *hello();
    ask(again, 1, {"rack1"});
    ASSERT_EQ(told<Granted>(again).size(), 1u);
    EXPECT_EQ(told<Granted>(again)[0].held[0].fence, fence);
    say(again, session::Release{1});
    ASSERT_TRUE(answer_register());
    EXPECT_EQ(told<Released>(again).size(), 1u);
    EXPECT_TRUE(kept().empty());
}

TEST_F(StickyTest, Units_of_a_semaphore_that_is_gone_can_be_given_back) {
    const SessionId ann = *hello();
    ask(ann, 1, {}, {{"builds", 1}});
    answer_register();
    disconnect(ann);
    agreement::Settings settings = member.host().settings();
    settings.semaphores.erase("builds");
    act([&](Host& host, const Host::Self& inner, Effects& out) { host.propose(inner, settings, out); });
    ASSERT_TRUE(answer_register());
    ASSERT_EQ(member.host().settings_in_force(), settings);
    return_left(*hello(), "builds");
    EXPECT_EQ(returned, 1u);
    ASSERT_TRUE(answer_register());
    EXPECT_TRUE(kept().empty());
}

TEST_F(SessionsTest, Units_without_an_order_have_a_fence_that_stays) {
    const SessionId ann = *hello("ann", "", false);
    ask(ann, 1, {}, {{"builds", 2}});
    ASSERT_EQ(told<Granted>(ann).size(), 1u);
    const std::uint64_t fence = told<Granted>(ann)[0].held[0].fence;
    EXPECT_EQ(fence, std::uint64_t{1} << 40);
    disconnect(ann);
    (void)hello("ann", "secret 1", false);
    ASSERT_EQ(told<Granted>(ann).size(), 1u);
    EXPECT_EQ(told<Granted>(ann)[0].held[0].fence, fence);
}

}  // namespace
}  // namespace allot::host::sessions_tests
