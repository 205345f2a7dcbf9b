// Programs that are started for a run and end with it, and what the kernel says about them.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace allot::bench {

// A new folder inside `parent` (or where temporary files are, if that is not there) for sockets, logs and
// data. It is removed in the end.
class Folder {
public:
    explicit Folder(const std::filesystem::path& parent);
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();

    std::string path(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

class Process {
public:
    // Looks in $PATH. What it prints goes to `log`. Ends when this program ends, whatever the reason.
    Process(const std::vector<std::string>& command, const std::string& log);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    pid_t pid() const { return pid_; }
    std::vector<pid_t> children() const;
    bool runs() const;

private:
    pid_t pid_;
};

// Whether there is such a program in $PATH.
bool installed(const std::string& program);
// A port of this machine that nobody uses.
int free_port();

double resident_megabytes(pid_t process);
std::chrono::nanoseconds cpu_time(pid_t process);
// Whether this thread of our own waits in the kernel.
bool sleeps(pid_t thread);

}  // namespace allot::bench
