// Hosts that come into the list of hosts and go out of it while the mesh works, and those that ask to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "net/mesh_support.hpp"
#include "net/petition.hpp"

namespace allot::net {
namespace {

using testing::HasSubstr;

constexpr HostId cat = 2;

class GrowingMesh : public MeshTest {
protected:
    // ant, bee and a third host, as the list is after the change.
    std::vector<MeshConfig::Host> list(const std::string& address_of_cat, bool present = true) const {
        return {{"ant", "127.0.0.1:0"}, {"bee", b->address()}, {"cat", address_of_cat, present}};
    }
    void start_cat() {
        MeshConfig config = quick_config(cat, 5);
        config.hosts.push_back({"cat", "127.0.0.1:0"});
        c = std::make_unique<TestHost>(loop, config);
        c->start();
    }
    std::unique_ptr<TestHost> c;
};

TEST_F(GrowingMesh, A_host_that_is_new_in_the_list_gets_a_link) {
    connect_both();
    start_cat();
    a->mesh->update(list(c->address()), 0);
    b->mesh->update(list(c->address()), 0);
    ASSERT_TRUE(until([&] { return a->is_connected(cat) && b->is_connected(cat); }));
    a->mesh->send(cat, "hello");
    c->mesh->send(bee, "good day");
    EXPECT_TRUE(until([&] { return !c->received.empty() && !b->received.empty(); }));
    EXPECT_TRUE(a->is_connected(bee)) << "the others keep their links";
}

TEST_F(GrowingMesh, A_host_that_goes_out_of_the_list_loses_its_links_and_comes_back_with_them) {
    connect_both();
    start_cat();
    a->mesh->update(list(c->address()), 0);
    ASSERT_TRUE(until([&] { return a->is_connected(cat); }));
    a->mesh->send(cat, "1");
    ASSERT_TRUE(until([&] { return c->received.size() == 1; }));
    a->mesh->update(list(c->address(), false), 0);
    EXPECT_FALSE(a->is_connected(cat));
    a->mesh->send(cat, "dropped");
    EXPECT_TRUE(until([&] { return !c->is_connected(ant); }));
    EXPECT_THAT(c->problem(ant), HasSubstr("host cat is not in the cluster any more"));
    a->mesh->update(list(c->address()), 0);
    ASSERT_TRUE(until([&] { return a->is_connected(cat) && c->is_connected(ant); }));
    a->mesh->send(cat, "2");
    EXPECT_TRUE(until([&] { return c->received.size() == 2; }));
    EXPECT_EQ(c->received, (std::vector<std::string>{"1", "2"}));
}

// A petition, sent by a thread of its own while the loop of the test runs.
class Petitions : public testing::Test {
protected:
    Result<PetitionAnswer> ask() {
        MeshConfig config = quick_config(ant);
        Mesh::Events events;
        events.petition = [this](const Petition& one,
                                 const std::function<void(const PetitionAnswer&)>& answer) {
            heard.push_back(one);
            answer(reply);
        };
        boost::asio::io_context loop;
        const std::string address = fmt::format("127.0.0.1:{}", port_for(config));
        auto made = Mesh::make(loop, config, events);
        const std::unique_ptr<Mesh> mesh = std::move(*made);
        EXPECT_TRUE(mesh->start());
        std::optional<Result<PetitionAnswer>> answer;
        std::jthread asks(
            [&] { answer = ask_to_join(address, nullptr, false, petition, std::chrono::seconds(5)); });
        std::atomic<bool> done = false;
        std::jthread waits([&] {
            asks.join();
            done = true;
        });
        run_until(loop, [&] { return done.load(); });
        waits.join();
        return *answer;
    }
    // An address that others can be told.
    static std::uint16_t port_for(MeshConfig& config) {
        boost::asio::io_context loop;
        TestHost probe(loop, quick_config(ant));
        probe.start();
        config.hosts[ant].address = probe.address();
        return probe.port;
    }

    Petition petition{.name = "cat", .address = "127.0.0.1:1", .settings = quick_config(ant).required};
    PetitionAnswer reply{.done = true, .text = "welcome", .content = "all of it"};
    std::vector<Petition> heard;
};

TEST_F(Petitions, Are_answered) {
    EXPECT_EQ(*ask(), reply);
    EXPECT_EQ(heard, std::vector<Petition>{petition});
}

TEST_F(Petitions, Of_hosts_with_other_settings_are_refused) {
    petition.settings[0].value = "file";
    const auto answer = ask();
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error(),
                HasSubstr("refused: its configuration differs: register.engine is hosts on host ant "
                          "and file on host cat; write the same on all hosts"));
    EXPECT_TRUE(heard.empty());
}

TEST_F(Petitions, From_beyond_this_machine_need_TLS) {
    petition.address = "10.0.0.4:7400";
    EXPECT_THAT(ask().error(), HasSubstr("10.0.0.4:7400: links beyond this machine need TLS"));
}

TEST_F(Petitions, That_nobody_hears_end_with_the_reason) {
    const auto answer = ask_to_join("127.0.0.1:1", nullptr, false, petition, std::chrono::seconds(5));
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error(), HasSubstr("127.0.0.1:1: "));
}

}  // namespace
}  // namespace allot::net
