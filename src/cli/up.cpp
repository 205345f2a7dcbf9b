// `allot up`: runs a whole cluster on this machine, for experiments.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <set>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/harmless.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/table.hpp"
#include "client/status.hpp"
#include "core/parameters.hpp"
#include "durable/file_register.hpp"

namespace allot::cli {

namespace {

constexpr std::uint32_t most_hosts = 64;
constexpr std::chrono::seconds start_patience{10};

struct Options {
    std::uint32_t hosts = 5;
    std::string folder;
    std::vector<std::string> semaphores;
    std::vector<std::string> command;
};

struct Host {
    std::string name;
    std::uint16_t port = 0;
    std::uint16_t page = 0;  // port of the status page
    std::string socket;
    pid_t pid = 0;
};

// A free port. If another process takes it first, the host says so and does not start.
std::uint16_t free_port() {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    return bound ? ntohs(address.sin_port) : 0;
}

// True if the daemon answers and has links to all others.
bool is_ready(const std::string& socket) {
    client::Options options;
    options.address = socket;
    try {
        const session::Status status = client::ask_status(options, std::chrono::seconds(1));
        const auto mine = std::ranges::find(status.hosts, status.host, &session::HostStatus::name);
        const auto is_up = [](const auto& one) { return one.state == "up"; };
        return is_up(*mine) && std::ranges::all_of(mine->links, is_up);
    } catch (const client::Failure&) {
        return false;
    }
}

// Signals that `allot up` waits for; none has a handler.
sigset_t ends() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
    return set;
}

class Cluster {
public:
    explicit Cluster(const Options& options) : options_(options) {}

    Result<bool> start();
    void show() const;
    int run_command();
    int wait();
    void stop();

private:
    std::string config_of(const Host& host) const;
    Result<bool> launch(Host& host);
    bool ready() const;
    void forget(pid_t process);
    std::string why_ended(pid_t process) const;

    const Options& options_;
    std::string folder_;
    Descriptor lock_;
    bool own_folder_ = false;
    std::vector<Host> hosts_;
};

Result<bool> Cluster::start() {
    folder_ = options_.folder;
    if (folder_.empty()) {
        std::string pattern = (std::filesystem::temp_directory_path() / "allot-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) return Error{pattern + ": cannot make this folder"};
        folder_ = pattern;
        own_folder_ = true;
    }
    std::error_code failure;
    const bool made = std::filesystem::create_directories(folder_, failure);
    folder_ = std::filesystem::absolute(folder_).string();
    lock_ = Descriptor(::open((folder_ + "/up.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_)
        return Error{fmt::format("{}: {}; write --dir with a folder that this user may write to", folder_,
                                 std::strerror(errno))};
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{fmt::format("{}: a cluster runs in this folder already; name another one", folder_)};
    for (std::uint32_t i = 0; i < options_.hosts; ++i) {
        const std::string name = fmt::format("h{}", i + 1);
        hosts_.push_back({name, free_port(), free_port(), fmt::format("{}/{}.sock", folder_, name)});
    }
    if (own_folder_ || made)
        if (const auto founded = durable::FileRegister(folder_ + "/register").found(); !founded)
            return Error{founded.error()};
    for (Host& host : hosts_)
        if (auto launched = launch(host); !launched) return launched;
    const auto deadline = std::chrono::steady_clock::now() + start_patience;
    while (!ready()) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended > 0) return Error{why_ended(ended)};
        if (std::chrono::steady_clock::now() > deadline) return Error{"the hosts do not reach each other"};
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

// Ports change with each start, so each file says where the hosts are now.
std::string Cluster::config_of(const Host& host) const {
    std::string text = fmt::format("host = \"{}\"\nsocket = \"{}\"\n", host.name, host.socket);
    text += fmt::format("address = \"127.0.0.1:{}\"\n", host.port);
    text += fmt::format("state = \"{}/{}\"\n", folder_, host.name);
    text += fmt::format("http = \"127.0.0.1:{}\"\n", host.page);
    text += fmt::format("\n[register]\nengine = \"file\"\nfile = \"{}/register\"\n\n[addresses]\n", folder_);
    for (const Host& other : hosts_)
        if (other.name != host.name) text += fmt::format("{} = \"127.0.0.1:{}\"\n", other.name, other.port);
    text += "\n[bootstrap.hosts]\n";
    for (const Host& other : hosts_) text += fmt::format("{} = \"127.0.0.1:{}\"\n", other.name, other.port);
    text += "\n[bootstrap.semaphores]\n";
    for (const std::string& one : options_.semaphores) {
        const auto at = one.find('=');
        text += fmt::format("\"{}\" = {}\n", one.substr(0, at), one.substr(at + 1));
    }
    return text;
}

Result<bool> Cluster::launch(Host& host) {
    const std::string config = fmt::format("{}/{}.toml", folder_, host.name);
    const std::string log = fmt::format("{}/{}.log", folder_, host.name);
    if (!(std::ofstream(config) << config_of(host)))
        return Error{fmt::format("{}: cannot write this file: {}", config, std::strerror(errno))};
    host.pid = ::fork();
    if (host.pid != 0) return true;
    // A process group of its own: Ctrl-C goes to `allot up` only, which stops the hosts in order. If `allot
    // up` dies, the kernel stops them.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) ::_exit(1);
    ::execl("/proc/self/exe", "allot", "node", "--config", config.c_str(), nullptr);
    ::_exit(1);
}

bool Cluster::ready() const {
    return std::ranges::all_of(hosts_, [](const Host& host) { return is_ready(host.socket); });
}

// The last line in the log of a host that did not start.
std::string Cluster::why_ended(pid_t process) const {
    const auto host = std::ranges::find(hosts_, process, &Host::pid);
    std::ifstream log(fmt::format("{}/{}.log", folder_, host->name));
    std::string last;
    for (std::string line; std::getline(log, line);) last = line;
    return fmt::format("host {} has not started: {}", host->name, last);
}

void Cluster::show() const {
    Table table({"host", "process", "socket for programs", "page"});
    for (const Host& host : hosts_)
        table.add({host.name, std::to_string(host.pid), host.socket,
                   fmt::format("http://127.0.0.1:{}/status", host.page)});
    fmt::print("{}\n", table.text());
    const std::string flag = " --socket " + hosts_.front().socket;
    fmt::print("allot run{} --lock db,gpu0 -- CMD     takes two locks on host {} and runs CMD\n", flag,
               hosts_.front().name);
    fmt::print("allot status{}                      shows who holds and who waits\n", flag);
    fmt::print("Ctrl-C stops the hosts.\n");
    std::fflush(stdout);
}

int Cluster::run_command() {
    const pid_t child = ::fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::setenv("ALLOT_SOCKET", hosts_.front().socket.c_str(), 1);
        ::setenv("ALLOT_CLUSTER", folder_.c_str(), 1);
        std::vector<char*> arguments;
        for (const std::string& word : options_.command) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        ::execvp(arguments.front(), arguments.data());
        fmt::print(stderr, "allot: {}: {}\n", options_.command.front(), std::strerror(errno));
        ::_exit(127);
    }
    int status = 0;
    for (pid_t ended = 0; ended != child; forget(ended)) ended = ::waitpid(-1, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits for a signal, or until no host is left.
int Cluster::wait() {
    const sigset_t set = ends();
    for (;;) {
        int signal = 0;
        ::sigwait(&set, &signal);
        if (signal != SIGCHLD) return exit_ok;
        int status = 0;
        while (const pid_t ended = ::waitpid(-1, &status, WNOHANG)) {
            if (ended < 0) return exit_no;
            forget(ended);
        }
    }
}

void Cluster::forget(pid_t process) {
    for (Host& host : hosts_) {
        if (host.pid != process) continue;
        host.pid = 0;
        fmt::print(stderr, "allot: host {} has ended; see {}/{}.log\n", host.name, folder_, host.name);
    }
}

void Cluster::stop() {
    for (const Host& host : hosts_)
        if (host.pid > 0) ::kill(host.pid, SIGTERM);
    for (const Host& host : hosts_)
        if (host.pid > 0) ::waitpid(host.pid, nullptr, 0);
    std::error_code failure;
    if (own_folder_) std::filesystem::remove_all(folder_, failure);
}

std::optional<std::string> options_error(const Options& options) {
    if (options.hosts < 1 || options.hosts > most_hosts)
        return fmt::format("--hosts {}: write a number from 1 to {}", options.hosts, most_hosts);
    std::set<std::string> names;
    for (const std::string& one : options.semaphores) {
        const auto at = one.find('=');
        const bool named = at != std::string::npos && at > 0 &&
                           one.find_first_of("\"\\,") == std::string::npos &&
                           std::ranges::none_of(one, is_control);
        if (!named || !parse_number("", one.substr(at + 1), 1, 10'000))
            return fmt::format("--semaphore {}: write a name and a number of permits, as in builds=2", one);
        if (!names.insert(one.substr(0, at)).second)
            return fmt::format("--semaphore {}: this semaphore is named twice; name each one once", one);
    }
    return std::nullopt;
}

int run_up(Options options) {
    if (options.semaphores.empty()) options.semaphores = {"builds=2"};
    if (auto why = options_error(options)) return wrong_usage(*why);
    const sigset_t set = ends();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    Cluster cluster(options);
    int code = exit_no;
    if (const auto started = cluster.start(); !started) {
        print_error(started.error());
    } else if (options.command.empty()) {
        cluster.show();
        code = cluster.wait();
    } else {
        code = cluster.run_command();
    }
    cluster.stop();
    return code;
}

}  // namespace

void add_up(CommandLine& line, std::vector<std::string> program) {
    auto options = std::make_shared<Options>();
    options->command = std::move(program);
    Command& command = line.command("up", "Run a cluster of several hosts on this machine, for experiments");
    command.option("--hosts", options->hosts, "number of hosts").value("N");
    command
        .option("--semaphore", options->semaphores,
                "a semaphore and its permits; default builds=2, if none is named")
        .value("NAME=K");
    command
        .option("--dir", options->folder,
                "folder of sockets, logs and states, which stays; the next start goes on with it")
        .value("DIR");
    command.footer(
        "With a command after --, runs it with $ALLOT_SOCKET set to the first host's socket and "
        "$ALLOT_CLUSTER to the folder of all sockets, and stops the cluster when it ends.\n"
        "Example: allot up --hosts 3 -- sh -c 'allot run --lock db -- echo mine; allot status'");
    command.action([options] { return run_up(*options); });
}

}  // namespace allot::cli
