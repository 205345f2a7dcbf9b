// Blocks all signals in this thread while it exists. A thread that is started meanwhile never gets one: the
// program's own threads handle them, and a SIGCHLD that another thread takes is lost.
#pragma once

#include <csignal>

namespace allot {

class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;
    ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

}  // namespace allot
