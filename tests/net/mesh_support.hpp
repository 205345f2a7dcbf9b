// A host of the tests: a mesh, and everything that it has told.
#pragma once

#include <fmt/format.h>
#include <map>
#include <set>

#include "net/mesh.hpp"
#include "net/support.hpp"

namespace allot::net {

// So quick that no test waits long, and silence only where a test asks for it.
inline MeshConfig quick_config(HostId self, std::uint32_t incarnation = 1) {
    MeshConfig config{.hosts = {{"ant", "127.0.0.1:0"}, {"bee", "127.0.0.1:0"}},
                      .self = self,
                      .incarnation = incarnation,
                      .agreement = 42,
                      .settings = {{"register.lease", "3s"}, {"semaphores.builds", "2"}},
                      .required = {{"register.engine", "hosts"}}};
    config.heartbeat = std::chrono::milliseconds(20);
    config.silence = std::chrono::milliseconds(10'000);
    config.retry_first = std::chrono::milliseconds(1);
    config.retry_last = std::chrono::milliseconds(10);
    return config;
}

constexpr HostId ant = 0;
constexpr HostId bee = 1;

class TestHost {
public:
    explicit TestHost(boost::asio::io_context& loop, const MeshConfig& config) {
        auto made = Mesh::make(loop, config, events());
        if (!made) throw std::runtime_error(made.error());
        mesh = std::move(*made);
    }

    void start() {
        const auto started = mesh->start();
        if (!started) throw std::runtime_error(started.error());
        port = *started;
    }
    std::string address() const { return fmt::format("127.0.0.1:{}", port); }
    bool is_connected(HostId peer) const { return mesh->status(peer).connected; }
    std::string problem(HostId peer) const { return mesh->status(peer).problem; }

    std::unique_ptr<Mesh> mesh;
    std::uint16_t port = 0;
    std::vector<std::string> received;
    std::vector<std::string> told;  // all other events, in order
    std::function<void()> on_received = [] {};
    std::function<void()> on_disconnected = [] {};

    bool was_told(const std::string& event) const {
        return std::find(told.begin(), told.end(), event) != told.end();
    }

private:
    Mesh::Events events() {
        return {
            .received =
                [this](HostId, std::string_view payload) {
                    received.emplace_back(payload);
                    on_received();
                },
            .connected =
                [this](HostId peer, std::uint32_t incarnation, bool fresh) {
                    told.push_back(
                        fmt::format("connected {} {}{}", peer, incarnation, fresh ? " fresh" : ""));
                },
            .disconnected =
                [this](HostId peer) {
                    told.push_back(fmt::format("disconnected {}", peer));
                    on_disconnected();
                },
            .ended =
                [this](HostId peer, std::uint32_t incarnation) {
                    told.push_back(fmt::format("ended {} {}", peer, incarnation));
                },
            .silent = [this](HostId peer) { told.push_back(fmt::format("silent {}", peer)); },
            .heard = [this](HostId peer) { told.push_back(fmt::format("heard {}", peer)); },
            .disowned = [this](HostId by,
                               std::uint32_t met) { told.push_back(fmt::format("disowned {} {}", by, met)); },
            .name_taken = [this](HostId by,
                                 const std::string&) { told.push_back(fmt::format("name taken {}", by)); },
        };
    }
};

// Two hosts, of which bee listens first, so that ant knows where.
class MeshTest : public testing::Test {
protected:
    void start_both(MeshConfig of_ant = quick_config(ant), const MeshConfig& of_bee = quick_config(bee)) {
        b = std::make_unique<TestHost>(loop, of_bee);
        b->start();
        start_ant(std::move(of_ant));
    }
    void start_ant(MeshConfig config) {
        config.hosts[bee].address = b->address();
        a = std::make_unique<TestHost>(loop, config);
        a->start();
    }
    // The same port again, as the others know it.
    MeshConfig bee_again(std::uint32_t incarnation) {
        MeshConfig config = quick_config(bee, incarnation);
        config.hosts[bee].address = b->address();
        return config;
    }
    void connect_both() {
        start_both();
        ASSERT_TRUE(until([&] { return a->is_connected(bee) && b->is_connected(ant); }));
    }
    bool until(const std::function<bool()>& condition) { return run_until(loop, condition); }

    boost::asio::io_context loop;
    std::unique_ptr<TestHost> a;
    std::unique_ptr<TestHost> b;
};

inline std::vector<std::string> numbered(std::size_t from, std::size_t to) {
    std::vector<std::string> texts;
    for (std::size_t i = from; i < to; ++i) texts.push_back(std::to_string(i));
    return texts;
}

}  // namespace allot::net
