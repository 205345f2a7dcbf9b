// A command for `allot run` that watches over what it uses: job NAME KIND MS [TAG]. NAME is a lock, or NAME=K
// a semaphore with K units. It uses it for so many milliseconds, in one of these ways:
//     usual
//     deaf     it ignores SIGTERM
//     forks    so does a child of it, in a session of its own
//     stops    it stops itself, and a child lets it go on
// TAG says whose it is, for whoever looks for it among all processes.
//
// The kernel is the witness: NAME.inside is locked as long as a process uses the resource, however it ends.
// NAME.grants gets a line for each grant: the fence, and the milliseconds since $ASKED, which is in
// microseconds. The file `wrong` gets a line for each user too many.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The writer may be killed at any time, so a line is one write.
void add_line(const std::string& file, const std::string& line) {
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string text = line + "\n";
    if (to < 0 || ::write(to, text.data(), text.size()) < 0) std::perror(file.c_str());
    ::close(to);
}

bool enter(const std::string& place) {
    const int file = ::open((place + ".inside").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0;
}

bool enter_one_of(const std::string& name, int units) {
    if (units == 0) return enter(name);
    for (int unit = 1; unit <= units; ++unit)
        if (enter(name + std::to_string(unit))) return true;
    return false;
}

std::string waited_ms() {
    const char* const asked = std::getenv("ASKED");
    if (asked == nullptr) return "0";
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::to_string(
        (std::chrono::duration_cast<std::chrono::microseconds>(now).count() - std::atoll(asked)) / 1000);
}

void use_for(int ms) {
    ::usleep(static_cast<useconds_t>(ms) * 1000);
}

void use(const std::string& kind, int ms) {
    if (kind == "deaf") std::signal(SIGTERM, SIG_IGN);
    if (kind == "stops") {
        if (::fork() == 0) {
            ::close_range(3, ~0U, 0);  // it uses nothing
            use_for(ms);
            ::kill(::getppid(), SIGCONT);
            std::_Exit(0);
        }
        std::raise(SIGSTOP);
        return;
    }
    const pid_t child = kind == "forks" ? ::fork() : -1;
    if (child == 0) ::setsid();
    use_for(ms);
    if (child == 0) std::_Exit(0);
    if (child > 0) ::waitpid(child, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: job NAME|NAME=K usual|deaf|forks|stops MS [TAG]\n", stderr);
        return 2;
    }
    std::string name = argv[1];
    int units = 0;
    if (const auto equals = name.find('='); equals != std::string::npos) {
        units = std::atoi(name.c_str() + equals + 1);
        name.resize(equals);
    }
    const char* const fence = std::getenv("ALLOT_FENCE");
    if (!enter_one_of(name, units)) add_line("wrong", "too many use " + name);
    add_line(name + ".grants", std::string(fence == nullptr ? "0" : fence) + " " + waited_ms());
    use(argv[2], std::atoi(argv[3]));
    return 0;
}
