// Names a process for other processes under the same kernel, which tells them when it ends.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

namespace allot {

struct ProcessMark {
    std::string boot;           // /proc/sys/kernel/random/boot_id
    std::string pid_namespace;  // where /proc/self/ns/pid points
    std::int32_t pid = 0;
    std::uint64_t started = 0;  // field 22 of /proc/PID/stat: tells it from a later process with its number
    // False if the kernel did not show the process: it is in another PID namespace, or had ended.
    bool is_whole() const { return !boot.empty() && !pid_namespace.empty() && pid > 0; }
    bool operator==(const ProcessMark&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProcessMark, (), (boot, pid_namespace, pid, started))

}  // namespace allot
