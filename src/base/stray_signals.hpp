// Signals that end a process unless it says otherwise, and that mean nothing to one that must go on: timers
// that nobody has set, limits, power, input and output, and those for users.
#pragma once

#include <csignal>

namespace allot {

inline void ignore_stray_signals() {
    for (const int signal :
         {SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGIO, SIGPWR, SIGSTKFLT})
        std::signal(signal, SIG_IGN);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) std::signal(signal, SIG_IGN);
}

}  // namespace allot
