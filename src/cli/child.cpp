#include "cli/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processes.hpp"
#include "cli/commands.hpp"
#include "client/socket.hpp"

namespace allot::cli {

namespace {

constexpr std::array passed_on{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

sigset_t watched_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : passed_on) ::sigaddset(&set, signal);
    ::sigaddset(&set, SIGCHLD);
    return set;
}

// The exit codes of shells, env and timeout.
[[noreturn]] void become(const std::vector<std::string>& command, const Environment& environment) {
    for (const auto& [name, value] : environment)
        value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    const int problem = errno;
    fmt::print(stderr, "allot: {}: {}\n", command.front(), std::strerror(problem));
    ::_exit(problem == ENOENT ? exit_not_found : exit_not_executable);
}

void wait_for_signal(int descriptor, Clock::time_point until) {
    client::wait_for(descriptor, POLLIN, until);
    signalfd_siginfo ignored{};
    while (::read(descriptor, &ignored, sizeof ignored) > 0) {
    }
}

}  // namespace

Child::Child(pid_t pid, Descriptor start, Descriptor signals, std::optional<ControlGroup> group)
    : pid_(pid), start_(std::move(start)), signals_(std::move(signals)), group_(std::move(group)) {}

Child::~Child() {
    if (group_) group_->remove();
}

Result<Child> Child::start(const std::vector<std::string>& command, const Environment& environment,
                           Fate fate) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{std::strerror(errno)};
    Descriptor wait_end(ends[0]);
    Descriptor start_end(ends[1]);
    sigset_t before;
    const sigset_t watched = watched_signals();
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    Descriptor signals(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) return Error{std::strerror(errno)};
    // Orphans of the command become our children: all of them must stop if the lease is lost.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t pid = ::fork();
    if (pid < 0) return Error{std::strerror(errno)};
    if (pid > 0) {
        std::optional<ControlGroup> group;
        if (fate == Fate::its_own)
            if (auto made = ControlGroup::make(pid)) group = std::move(*made);
        return Child(pid, std::move(start_end), std::move(signals), std::move(group));
    }

    ::close(ends[1]);
    // If the parent has ended before this, the pipe says so.
    if (fate == Fate::shared) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    char word = 0;
    if (::read(wait_end.get(), &word, 1) != 1) ::_exit(exit_failed);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    std::signal(SIGXFSZ, SIG_DFL);  // which allot itself ignores
    become(command, environment);
}

void Child::go() {
    const char word = 1;
    // If the child has ended already, its exit code will say so.
    (void)!::write(start_.get(), &word, 1);
    start_ = Descriptor();
}

void Child::answer_signals() {
    signalfd_siginfo signal{};
    while (::read(signals_.get(), &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
        if (signal.ssi_signo == SIGCHLD)
            look_after_child();
        else
            pass_on(static_cast<int>(signal.ssi_signo), signal.ssi_code == SI_KERNEL);
    }
}

// The terminal has sent the signal to the whole group, the child included.
void Child::pass_on(int signal, bool from_terminal) {
    if (!from_terminal && !exit_code_) ::kill(pid_, signal);
}

void Child::look_after_child() {
    siginfo_t state{};
    while (!exit_code_ &&
           ::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WSTOPPED | WNOHANG) == 0 &&
           state.si_pid != 0) {
        if (state.si_code == CLD_EXITED) exit_code_ = state.si_status;
        if (state.si_code == CLD_KILLED || state.si_code == CLD_DUMPED) exit_code_ = 128 + state.si_status;
        // The shell takes the terminal back only when this process stops as well.
        const bool by_terminal =
            state.si_status == SIGTSTP || state.si_status == SIGTTIN || state.si_status == SIGTTOU;
        if (state.si_code == CLD_STOPPED && by_terminal) ::raise(SIGSTOP);
        state.si_pid = 0;
    }
    bury_orphans();
}

// Reaps orphans of the command; nobody wants their exit codes.
void Child::bury_orphans() {
    siginfo_t state{};
    while (::waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_pid != 0 &&
           state.si_pid != pid_) {
        ::waitpid(state.si_pid, nullptr, WNOHANG);
        state.si_pid = 0;
    }
}

void Child::stop(Clock::time_point kill_at) {
    signal_descendants(::getpid(), SIGTERM);
    signal_descendants(::getpid(), SIGCONT);
    reap_all();
    while (anybody_left() && Clock::now() < kill_at) {
        wait_for_signal(signals_.get(), kill_at);
        reap_all();
    }
    while (anybody_left()) {
        signal_descendants(::getpid(), SIGKILL);
        wait_for_signal(signals_.get(), Clock::now() + std::chrono::milliseconds(20));
        reap_all();
    }
}

void Child::reap_all() {
    siginfo_t state{};
    while (::waitid(P_ALL, 0, &state, WEXITED | WNOHANG) == 0 && state.si_pid != 0) {
        if (state.si_pid == pid_)
            exit_code_ = state.si_code == CLD_EXITED ? state.si_status : 128 + state.si_status;
        state.si_pid = 0;
    }
}

bool Child::anybody_left() const {
    siginfo_t state{};
    return ::waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace allot::cli
