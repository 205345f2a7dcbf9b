#include "support/node.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "client/status.hpp"
#include "durable/file_register.hpp"

namespace allot::test {

using namespace std::chrono_literals;

bool eventually(const std::function<bool()>& condition) {
    const auto patience = client::Clock::now() + 30s;
    while (!condition()) {
        if (client::Clock::now() > patience) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

int free_port() {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

namespace {

// Programs stop within a second, unless `tables` says otherwise.
std::string with_times(const std::string& tables) {
    const std::string heading = "[bootstrap]\n";
    if (tables.find(heading) != std::string::npos) return tables;
    return tables + heading + "lease = \"1s\"\ngrace = \"300ms\"\n";
}

}  // namespace

Node::Node(const std::string& settings, const std::string& tables) {
    std::string name = (std::filesystem::temp_directory_path() / "allot-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a daemon");
    folder_ = name;
    std::ofstream config(folder_ / "node.toml");
    config << "host = \"alpha\"\n"
           << "socket = \"" << (folder_ / "allot.sock").string() << "\"\n"
           << "state = \"" << (folder_ / "state").string() << "\"\n"
           << settings << "\n[register]\nengine = \"file\"\nfile = \"" << (folder_ / "register").string()
           << "\"\n[bootstrap.semaphores]\nbuilds = 2\n"
           << with_times(tables);
    config.close();
    if (!durable::FileRegister(folder_ / "register").found()) throw std::runtime_error("no register");
    start();
}

Node::~Node() {
    if (pid_ != 0) end(SIGKILL);
    // The guardian may just write into it that the daemon has ended.
    std::error_code failure;
    eventually([&] { return std::filesystem::remove_all(folder_, failure) != ~std::uintmax_t{0}; });
}

client::Options Node::options() const {
    client::Options options;
    options.address = folder_ / "allot.sock";
    options.connect_timeout = 10s;
    return options;
}

bool Node::must_wait(const client::Demand& demand) const {
    client::Options options = this->options();
    options.command = "must_wait";
    const auto is_listed = [&] {
        for (const session::ResourceStatus& one : client::ask_status(options, 10s).resources)
            for (const session::Party& party : one.waiters)
                if (party.command == options.command) return true;
        return false;
    };
    // The session may end before its callback is called.
    const auto granted = std::make_shared<std::atomic<bool>>(false);
    client::Session session = client::Session::connect(options);
    session.async_acquire(demand, {}, [granted](const client::Outcome& outcome) { *granted = !!outcome; });
    bool waits = false;
    if (!eventually([&] { return *granted || (waits = is_listed()); }))
        throw std::runtime_error("a request is neither granted nor waits");
    return waits;
}

std::string Node::log() const {
    std::ifstream file(folder_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t Node::descriptors() const {
    using Entries = std::filesystem::directory_iterator;
    const auto count = std::distance(Entries("/proc/" + std::to_string(pid_) + "/fd"), Entries());
    return static_cast<std::size_t>(count);
}

void Node::start() {
    pid_ = ::fork();
    if (pid_ == 0) {
        const std::string config = folder_ / "node.toml";
        const int log = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        ::dup2(log, STDERR_FILENO);
        ::execl(ALLOT_COMMAND, ALLOT_COMMAND, "node", "--config", config.c_str(), nullptr);
        ::_exit(127);
    }
    const bool answers = eventually([&] {
        try {
            session();
            return true;
        } catch (const client::Failure&) {
            return false;
        }
    });
    if (!answers) throw std::runtime_error("the daemon does not answer; see " + (folder_ / "log").string());
}

void Node::end(int signal) {
    send(signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

void Node::send(int signal) const {
    ::kill(pid_, signal);
}

}  // namespace allot::test
