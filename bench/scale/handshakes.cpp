#include "handshakes.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "allot/client.hpp"
#include "support/handshake_flood.hpp"
#include "workloads.hpp"

namespace allot::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::HandshakeFlood;

constexpr unsigned strangers_per_second = 1000;
constexpr double most_slowdown = 2;
constexpr double most_loop_us = 200;  // half of a handshake's arithmetic
constexpr int rounds = 5;
constexpr auto round_duration = 500ms;
// Until the strangers have used up what may fail at once.
constexpr auto run_up = 100ms;

void run_to_end(const std::vector<std::string>& command, const std::string& log) {
    const Process process(command, log);
    const auto began = Clock::now();
    while (process.runs()) {
        if (Clock::now() - began > 20s) throw std::runtime_error(command[1] + " does not end");
        std::this_thread::sleep_for(5ms);
    }
}

// A host that is alone, with both ports, and one program.
class Host {
public:
    Host(const std::string& program, const std::string& folder) : folder_(folder) {
        std::filesystem::create_directories(folder);
        run_to_end({program, "cert", "--dir", folder, "a"}, folder + "/cert.log");
        std::ofstream(folder + "/host.toml") << fmt::format(
            "host = \"a\"\nsocket = \"{0}/sock\"\nstate = \"{0}/state\"\nhttp = \"\"\n"
            "clients = \"127.0.0.1:{1}\"\n[bootstrap.hosts]\na = \"127.0.0.1:{2}\"\n"
            "[tls]\ncertificate = \"{0}/a.pem\"\nkey = \"{0}/a.key\"\nauthority = \"{0}/ca.pem\"\n",
            folder, programs_port_, hosts_port_);
        run_to_end({program, "cluster", "init", "--config", folder + "/host.toml"}, folder + "/init.log");
        daemon_.emplace(std::vector<std::string>{program, "node", "--config", folder + "/host.toml"},
                        folder + "/node.log");
        session_.emplace(connected());
    }

    std::uint16_t hosts_port() const { return static_cast<std::uint16_t>(hosts_port_); }
    std::uint16_t programs_port() const { return static_cast<std::uint16_t>(programs_port_); }

    // Of the thread that serves programs.
    std::chrono::nanoseconds loop_time() const {
        std::ifstream file(fmt::format("/proc/{0}/task/{0}/schedstat", daemon_->pid()));
        std::int64_t ns = 0;
        if (!(file >> ns)) throw std::runtime_error("the kernel does not tell the time of a thread");
        return std::chrono::nanoseconds(ns);
    }

    // The median of the times that a lock and its release take.
    double p50_us() {
        std::vector<double> times;
        for (const auto end = Clock::now() + round_duration; Clock::now() < end;) {
            const auto began = Clock::now();
            session_->acquire(client::Demand().lock("own"), 30s).release();
            times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
        }
        return median(std::move(times));
    }

private:
    client::Session connected() const {
        client::Options options;
        options.address = folder_ + "/sock";
        for (const auto began = Clock::now();;) try {
                client::Session session = client::Session::connect(options);
                session.acquire(client::Demand().lock("ready"), 20s).release();
                return session;
            } catch (const client::Failure&) {
                if (Clock::now() - began > 30s) throw;
                std::this_thread::sleep_for(10ms);
            }
    }

    const std::string folder_;
    const int hosts_port_ = free_port();
    const int programs_port_ = free_port();
    std::optional<Process> daemon_;
    std::optional<client::Session> session_;
};

// Nobody else is served meanwhile.
double loop_us_per_stranger(const Host& host, std::uint16_t port) {
    const auto before = host.loop_time();
    const HandshakeFlood flood("127.0.0.1", port, strangers_per_second);
    std::this_thread::sleep_for(round_duration);
    const auto time = host.loop_time() - before;
    return std::chrono::duration<double, std::micro>(time).count() /
           static_cast<double>(std::max<std::uint64_t>(1, flood.count().connections));
}

void judge_door(Targets& targets, Host& host, const char* door, std::uint16_t port) {
    std::vector<double> without, with;
    HandshakeFlood::Count count;
    std::chrono::duration<double> time{};
    for (int round = 0; round < rounds; ++round) {
        without.push_back(host.p50_us());
        const auto began = Clock::now();
        const HandshakeFlood flood("127.0.0.1", port, strangers_per_second);
        std::this_thread::sleep_for(run_up);
        with.push_back(host.p50_us());
        time += Clock::now() - began;
        count.connections += flood.count().connections;
        count.handshakes += flood.count().handshakes;
    }
    fmt::print(
        "A lock and its release, p50: {:.1f} us; {:.1f} us while {:.0f} strangers a second connect to {}, of "
        "whom {:.0f} get an answer\n",
        median(without), median(with), static_cast<double>(count.connections) / time.count(), door,
        static_cast<double>(count.handshakes) / time.count());
    targets.at_most(fmt::format("time of the loop for a stranger at {}, us", door),
                    loop_us_per_stranger(host, port), most_loop_us);
    targets.at_most(fmt::format("p50 with strangers at {} / without", door), median(with) / median(without),
                    most_slowdown);
}

}  // namespace

void judge_handshakes(Targets& targets, const std::string& program, const Folder& folder) {
    Host host(program, folder.path("handshakes"));
    judge_door(targets, host, "the port for hosts", host.hosts_port());
    judge_door(targets, host, "the port for programs", host.programs_port());
}

}  // namespace allot::bench
