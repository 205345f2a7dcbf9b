// The command of `allot run`: starting it, passing signals on, stopping it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "allot/client.hpp"
#include "base/control_group.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::cli {

using client::Clock;

using Environment = std::map<std::string, std::optional<std::string>>;  // nothing: remove the variable

// shared: if this process is killed, the command is killed too, but not its children.
enum class Fate { its_own, shared };

class Child {
public:
    Child(Child&&) = default;
    ~Child();
    // Forks. The child waits for go() and then executes the command; it exits if go() never comes. From now
    // on answer_signals() handles the signals of this process. A command with its own fate has its own
    // control group, where this user may make one: then the guardian finds all that it starts, even if this
    // process is killed.
    static Result<Child> start(const std::vector<std::string>& command, const Environment& environment,
                               Fate fate);

    pid_t pid() const { return pid_; }
    void go();

    // Readable when answer_signals() has something to do.
    int descriptor() const { return signals_.get(); }
    // Passes signals on to the child, stops with it when the terminal stops it, and notices its end.
    void answer_signals();

    // The exit code of the child, or 128 plus the number of the signal that ended it; nothing while it runs.
    std::optional<int> exit_code() const { return exit_code_; }

    // Ends the child and its descendants: SIGTERM, then SIGKILL for those that still run at `kill_at`.
    void stop(Clock::time_point kill_at);

private:
    Child(pid_t pid, Descriptor start, Descriptor signals, std::optional<ControlGroup> group);
    void pass_on(int signal, bool from_terminal);
    void look_after_child();
    void bury_orphans();
    void reap_all();
    bool anybody_left() const;

    pid_t pid_;
    Descriptor start_;  // the child waits for a byte here
    Descriptor signals_;
    std::optional<ControlGroup> group_;
    std::optional<int> exit_code_;
};

}  // namespace allot::cli
