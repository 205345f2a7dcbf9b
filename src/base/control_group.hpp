// The control group (cgroup v2) of a command: every process that the command starts stays in it, also one
// that leaves its session, or whose parents have ended. Nothing is limited by it.
//
// It lies below the group in which the command was started, so whoever counts or limits that goes on to do
// so, and systemd stops the command together with it. Its name has the number of the command.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"

namespace allot {

class ControlGroup {
public:
    // Makes the group of a command that has started nothing yet. Only root may do so, or a user to whom this
    // part of the tree is delegated; the error says why not.
    static Result<ControlGroup> make(pid_t command);
    // The group that was made for this command, if there is one.
    static std::optional<ControlGroup> find(pid_t command);

    // All that run in it, or in a group below it.
    std::vector<pid_t> processes() const;
    // Removes the group if nobody is left in it.
    void remove() const;

private:
    explicit ControlGroup(std::string folder) : folder_(std::move(folder)) {}

    std::string folder_;
};

}  // namespace allot
