// Runs a command and writes what it cost to a file, as one line: wall seconds, CPU seconds (user and
// system, all threads), peak resident bytes. One ruler for every program that is compared.
//
//   measure COST_FILE COMMAND [ARGUMENT...]

#include <chrono>
#include <cstdio>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: measure COST_FILE COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        std::perror(argv[2]);
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        std::perror("measure");
        return 2;
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

    std::FILE* cost = std::fopen(argv[1], "w");
    if (cost == nullptr) {
        std::perror(argv[1]);
        return 2;
    }
    const double cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    std::fprintf(cost, "%.4f %.4f %ld\n", wall.count(), cpu, usage.ru_maxrss * 1024L);
    std::fclose(cost);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
