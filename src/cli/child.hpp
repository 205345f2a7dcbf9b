// The program that `allot run` runs: started, told of signals, stopped.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "allot/client.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::cli {

using client::Clock;

using Environment = std::map<std::string, std::optional<std::string>>;  // nothing: not in the environment

// Shared: if this process is killed, the command is killed with it. What the command started is not.
enum class Fate { its_own, shared };

class Child {
public:
    // Forks. The child waits for go(), and then becomes the command; if go() never comes it ends.
    // From here on the signals of this process are taken by answer_signals().
    static Result<Child> start(const std::vector<std::string>& command, const Environment& environment,
                               Fate fate);

    pid_t pid() const { return pid_; }
    void go();

    // Readable when answer_signals() has something to do.
    int descriptor() const { return signals_.get(); }
    // Passes signals on to the child, follows it when it is stopped from the terminal, and notices its end.
    void answer_signals();

    // Its exit code, or 128 and the number of the signal that ended it; nothing while it runs.
    std::optional<int> exit_code() const { return exit_code_; }

    // Ends the child and all that it started: SIGTERM, and SIGKILL for who is there after `kill_at`.
    void stop(Clock::time_point kill_at);

private:
    Child(pid_t pid, Descriptor start, Descriptor signals);
    void pass_on(int signal, bool from_terminal);
    void look_after_child();
    void bury_orphans();
    void reap_all();
    bool anybody_left() const;

    pid_t pid_;
    Descriptor start_;  // the child waits for a byte here
    Descriptor signals_;
    std::optional<int> exit_code_;
};

}  // namespace allot::cli
