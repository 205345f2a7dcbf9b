#include "process.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "contender.hpp"

namespace allot::bench {

namespace {

using namespace std::chrono_literals;

// A word of a file of /proc; empty if the process or thread is gone.
std::string word_of(const std::string& file, int position) {
    std::ifstream stream(file);
    std::string word;
    for (int i = 0; i <= position; ++i) stream >> word;
    return word;
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& log) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // Ctrl-C is for us; we then end them in order.
    ::setpgid(0, 0);
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    ::_exit(127);
}

}  // namespace

Folder::Folder(const std::filesystem::path& parent) {
    const auto place =
        std::filesystem::is_directory(parent) ? parent : std::filesystem::temp_directory_path();
    path_ = place / "allot-bench-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw Failure(path_ + ": cannot be made");
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Process::Process(const std::vector<std::string>& command, const std::string& log) : pid_(::fork()) {
    if (pid_ == 0) become(command, log);
    if (pid_ < 0) throw Failure("no process can be started");
}

Process::~Process() {
    ::kill(pid_, SIGTERM);
    for (int i = 0; i < 500; ++i) {
        if (::waitpid(pid_, nullptr, WNOHANG) != 0) return;
        std::this_thread::sleep_for(10ms);
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::vector<pid_t> Process::children() const {
    std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", pid_));
    std::vector<pid_t> children;
    for (pid_t child = 0; list >> child;) children.push_back(child);
    return children;
}

bool Process::runs() const {
    const std::string state = word_of(fmt::format("/proc/{}/stat", pid_), 2);
    return !state.empty() && state != "Z";
}

bool installed(const std::string& program) {
    std::istringstream folders(std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(socket);
    if (!bound) throw Failure("no port is free");
    return ntohs(address.sin_port);
}

double resident_megabytes(pid_t process) {
    const std::string pages = word_of(fmt::format("/proc/{}/statm", process), 1);
    if (pages.empty()) throw Failure(fmt::format("process {} has ended", process));
    return std::stod(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// /proc/PID/stat counts in ticks of 10 ms; schedstat counts nanoseconds, thread by thread.
std::chrono::nanoseconds cpu_time(pid_t process) {
    std::chrono::nanoseconds sum{0};
    for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process)))
        sum += std::chrono::nanoseconds(std::stoll(word_of(thread.path() / "schedstat", 0)));
    return sum;
}

bool sleeps(pid_t thread) {
    return word_of(fmt::format("/proc/self/task/{}/stat", thread), 2) == "S";
}

}  // namespace allot::bench
