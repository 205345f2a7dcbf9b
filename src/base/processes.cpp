#include "base/processes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace allot {

namespace {

// The number may belong to another process by now. A pidfd prevents that, so open it first and then check the
// parent again.
void signal_child_of(pid_t parent, pid_t child, int signal) {
    const Descriptor process = open_process(child);
    if (!process) return;
    const auto children = children_of(parent);
    if (std::find(children.begin(), children.end(), child) == children.end()) return;
    signal_process(process, signal);
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> children;
    std::error_code gone;
    const std::string threads = "/proc/" + std::to_string(parent) + "/task";
    std::filesystem::directory_iterator thread(threads, gone);
    for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone)) {
        std::ifstream list(thread->path() / "children");
        for (pid_t child = 0; list >> child;) children.push_back(child);
    }
    return children;
}

void signal_descendants(pid_t parent, int signal) {
    for (const pid_t child : children_of(parent)) {
        signal_descendants(child, signal);
        signal_child_of(parent, child, signal);
    }
}

Descriptor open_process(pid_t number) {
    return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, number, 0)));
}

std::optional<pid_t> process_number(const Descriptor& process) {
    std::ifstream file("/proc/self/fdinfo/" + std::to_string(process.get()));
    pid_t number = 0;
    for (std::string word; file >> word;)
        if (word == "Pid:" && file >> number) return std::max(number, 0);
    return std::nullopt;
}

bool process_ended(int process) {
    pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
    return ::poll(&ended, 1, 0) == 1;
}

bool signal_process(const Descriptor& process, int signal) {
    return ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

}  // namespace allot
