// Connections that are made and then not used: idlers SOCKET|ADDRESS:PORT COUNT. Prints how many were reached
// (as many files as may be open, at most), and keeps them until its input ends.
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

template <class Address>
bool connect_to(const Address& address, int family) {
    const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool connect_to(const std::string& where) {
    const auto colon = where.rfind(':');
    if (colon == std::string::npos) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        where.copy(address.sun_path, sizeof address.sun_path - 1);
        return connect_to(address, AF_UNIX);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(where.c_str() + colon + 1)));
    return ::inet_pton(AF_INET, where.substr(0, colon).c_str(), &address.sin_addr) == 1 &&
           connect_to(address, AF_INET);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: idlers SOCKET|ADDRESS:PORT COUNT\n", stderr);
        return 2;
    }
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    const int wanted = std::atoi(argv[2]);
    int reached = 0;
    while (reached < wanted && connect_to(std::string(argv[1]))) ++reached;
    std::printf("%d\n", reached);
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return 0;
}
