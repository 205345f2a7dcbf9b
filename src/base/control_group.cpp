#include "base/control_group.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace allot {

namespace {

// Where cgroup v2 is mounted, and which part of it; systems with both versions have it elsewhere than others.
struct Mount {
    std::string root;
    std::string folder;
};

// A line is: number, parent, device, root, mount point, options, optional fields, "-", type, ...
std::optional<Mount> mount_of_groups() {
    std::ifstream file("/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.find(" - cgroup2 ") == std::string::npos) continue;
        std::istringstream fields(line);
        std::string skipped;
        Mount mount;
        if (fields >> skipped >> skipped >> skipped >> mount.root >> mount.folder) return mount;
    }
    return std::nullopt;
}

// The line of version 2 is "0::" and the path, as seen from the root of this namespace.
std::optional<std::string> group_of(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/cgroup");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("0::/")) return line.substr(3);
    return std::nullopt;
}

std::optional<std::string> folder_of(pid_t process) {
    const auto mount = mount_of_groups();
    auto group = group_of(process);
    if (!mount || !group || group->starts_with("/..")) return std::nullopt;
    if (mount->root != "/") {
        if (!group->starts_with(mount->root)) return std::nullopt;
        group->erase(0, mount->root.size());
    }
    return *group == "/" ? mount->folder : mount->folder + *group;
}

std::string name_for(pid_t command) {
    return "allot-" + std::to_string(command);
}

std::vector<pid_t> processes_in(const std::string& folder) {
    std::vector<pid_t> all;
    std::ifstream list(folder + "/cgroup.procs");
    for (pid_t one = 0; list >> one;) all.push_back(one);
    return all;
}

}  // namespace

Result<ControlGroup> ControlGroup::make(pid_t command) {
    const auto around = folder_of(command);
    if (!around) return Error{"there is no cgroup v2 here"};
    ControlGroup group(*around + "/" + name_for(command));
    // Of an earlier process with this number.
    group.remove();
    if (::mkdir(group.folder_.c_str(), 0755) != 0) return Error{group.folder_ + ": " + std::strerror(errno)};
    std::ofstream list(group.folder_ + "/cgroup.procs");
    if (list << command << std::flush) return group;
    const int problem = errno;
    group.remove();
    return Error{group.folder_ + "/cgroup.procs: " + std::strerror(problem)};
}

std::optional<ControlGroup> ControlGroup::find(pid_t command) {
    auto folder = folder_of(command);
    if (!folder || !folder->ends_with("/" + name_for(command))) return std::nullopt;
    return ControlGroup(std::move(*folder));
}

std::vector<pid_t> ControlGroup::processes() const {
    std::vector<pid_t> all = processes_in(folder_);
    std::error_code gone;
    std::filesystem::recursive_directory_iterator below(folder_, gone);
    for (; !gone && below != std::filesystem::recursive_directory_iterator(); below.increment(gone)) {
        if (!below->is_directory(gone)) continue;
        const std::vector<pid_t> more = processes_in(below->path().string());
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

void ControlGroup::remove() const {
    ::rmdir(folder_.c_str());
}

}  // namespace allot
