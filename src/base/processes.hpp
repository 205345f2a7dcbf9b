// Processes, their pidfds and their descendants. A number may belong to another process by the time a signal
// is sent; a pidfd always means the process that it was opened for.
#pragma once

#include <optional>
#include <sys/types.h>
#include <vector>

#include "base/descriptor.hpp"

namespace allot {

// The children of all threads of a process; none if it is gone.
std::vector<pid_t> children_of(pid_t parent);

// Signals all descendants of a process, the deepest first. One that is forked meanwhile may be missed, so
// repeat it until nobody is left.
void signal_descendants(pid_t parent, int signal);

// A pidfd; empty, with errno, if there is no such process or no descriptor left.
Descriptor open_process(pid_t number);
// The number of the process of a pidfd, 0 if the process is gone; nothing if the descriptor is something
// else.
std::optional<pid_t> process_number(const Descriptor& process);
// True if the process of this pidfd has ended; its parent may not have noticed yet.
bool process_ended(int process);
inline bool process_ended(const Descriptor& process) {
    return process_ended(process.get());
}
// False, with errno, if the kernel refuses it.
bool signal_process(const Descriptor& process, int signal);

}  // namespace allot
