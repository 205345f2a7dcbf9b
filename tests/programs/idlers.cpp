// Connections that are made and then not used: idlers SOCKET COUNT. Prints how many were reached (as many
// files as may be open, at most), and keeps them until its input ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

bool connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: idlers SOCKET COUNT\n", stderr);
        return 2;
    }
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    const int wanted = std::atoi(argv[2]);
    int reached = 0;
    while (reached < wanted && connect_to(argv[1])) ++reached;
    std::printf("%d\n", reached);
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return 0;
}
