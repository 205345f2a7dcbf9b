#include "net/socket.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <thread>

namespace allot::net {

namespace {

// As many as the kernel allows: those that must wait for their handshake wait there.
constexpr int backlog = SOMAXCONN;
constexpr int socket_flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

struct InfoDeleter {
    void operator()(addrinfo* info) const { ::freeaddrinfo(info); }
};

Result<std::vector<Endpoint>> look_up(const HostPort& address, int flags) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* first = nullptr;
    const int failure =
        ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &first);
    if (failure != 0) return Error{fmt::format("{}: {}", address.host, ::gai_strerror(failure))};
    const std::unique_ptr<addrinfo, InfoDeleter> all(first);
    std::vector<Endpoint> endpoints;
    for (const addrinfo* info = all.get(); info != nullptr; info = info->ai_next) {
        Endpoint& endpoint = endpoints.emplace_back();
        std::memcpy(&endpoint.storage, info->ai_addr, info->ai_addrlen);
        endpoint.size = info->ai_addrlen;
    }
    return endpoints;
}

Result<Descriptor> bound_at(const Endpoint& endpoint) {
    Descriptor socket(::socket(endpoint.family(), socket_flags, 0));
    const int yes = 1;
    const bool listens =
        socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        ::bind(socket.get(), endpoint.get(), endpoint.size) == 0 && ::listen(socket.get(), backlog) == 0;
    if (!listens) return Error{fmt::format("{}: {}", endpoint.text(), system_message(errno))};
    return socket;
}

template <class Ask>
Endpoint endpoint_from(int socket, Ask ask) {
    Endpoint endpoint;
    endpoint.size = sizeof endpoint.storage;
    if (ask(socket, reinterpret_cast<sockaddr*>(&endpoint.storage), &endpoint.size) != 0) return {};
    return endpoint;
}

// The groups besides the main one. If there is no room, the kernel says how many there are.
std::vector<gid_t> more_groups_of_unix_peer(int socket) {
    std::vector<gid_t> groups(32);
    while (true) {
        auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
        const int failure =
            ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0 ? 0 : errno;
        const bool too_many = failure == ERANGE && size > groups.size() * sizeof(gid_t);
        groups.resize(failure == 0 || too_many ? size / sizeof(gid_t) : 0);
        if (!too_many) return groups;
    }
}

}  // namespace

std::string system_message(int error) {
    return std::generic_category().message(error);
}

std::string Endpoint::text() const {
    char host[NI_MAXHOST];
    char port[NI_MAXSERV];
    const int failure =
        ::getnameinfo(get(), size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    if (failure != 0) return "unknown";
    return family() == AF_INET6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::vector<Endpoint> numeric_endpoint(const HostPort& address) {
    auto found = look_up(address, AI_NUMERICHOST);
    return found ? *found : std::vector<Endpoint>{};
}

Result<std::vector<Endpoint>> resolve(const HostPort& address) {
    return look_up(address, 0);
}

Result<Descriptor> bound_tcp(const HostPort& address) {
    const auto endpoints = look_up(address, AI_PASSIVE);
    if (!endpoints) return Error{endpoints.error()};
    std::string problem = "no address";
    for (const Endpoint& endpoint : *endpoints) {
        auto socket = bound_at(endpoint);
        if (socket) return socket;
        problem = socket.error();
    }
    return Error{problem};
}

Endpoint endpoint_of(int socket) {
    return endpoint_from(socket, ::getsockname);
}

Endpoint endpoint_of_peer(int socket) {
    return endpoint_from(socket, ::getpeername);
}

std::uint16_t port_of(int socket) {
    const Endpoint endpoint = endpoint_of(socket);
    if (endpoint.family() == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&endpoint.storage)->sin6_port);
    if (endpoint.family() == AF_INET)
        return ntohs(reinterpret_cast<const sockaddr_in*>(&endpoint.storage)->sin_port);
    return 0;
}

// --- Unix sockets

namespace {

bool name_unix(const std::string& path, Endpoint& endpoint) {
    auto* name = reinterpret_cast<sockaddr_un*>(&endpoint.storage);
    if (path.empty() || path.size() >= sizeof name->sun_path) return false;
    name->sun_family = AF_UNIX;
    std::memcpy(name->sun_path, path.c_str(), path.size() + 1);
    endpoint.size = sizeof(sockaddr_un);
    return true;
}

// Locked while a path is inspected and taken, so that only one of two daemons that start at once finds it
// free. The lock is on the folder, because a lock file would stay behind.
Descriptor lock_folder_of(const std::string& path) {
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int tries = 0; handle && tries < 200; ++tries) {
        if (::flock(handle.get(), LOCK_EX | LOCK_NB) == 0) return handle;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return handle;
}

// Empty if the path is free to take.
std::string obstacle_at(const std::string& path, const Endpoint& endpoint) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0)
        return errno == ENOENT ? "" : fmt::format("{}: {}", path, system_message(errno));
    if (!S_ISSOCK(found.st_mode))
        return fmt::format("{}: the file exists and is no socket; choose another", path);
    int error = 0;
    const Descriptor probe = begin_connect(endpoint, error);
    if (error == ECONNREFUSED && ::unlink(path.c_str()) == 0) return "";
    if (error == ECONNREFUSED) return fmt::format("{}: {}", path, system_message(errno));
    return fmt::format("{}: another process listens there already", path);
}

}  // namespace

Result<Descriptor> bound_unix(const std::string& path, unsigned mode) {
    Endpoint endpoint;
    if (!name_unix(path, endpoint))
        return Error{fmt::format("{}: the path of a socket has 1 to {} characters", path,
                                 sizeof(sockaddr_un::sun_path) - 1)};
    const Descriptor lock = lock_folder_of(path);
    if (const std::string obstacle = obstacle_at(path, endpoint); !obstacle.empty()) return Error{obstacle};
    Descriptor socket(::socket(AF_UNIX, socket_flags, 0));
    // A program cannot connect before listen(), so the mode is set in time.
    const bool listens = socket && ::bind(socket.get(), endpoint.get(), endpoint.size) == 0 &&
                         ::chmod(path.c_str(), static_cast<mode_t>(mode)) == 0 &&
                         ::listen(socket.get(), backlog) == 0;
    if (!listens) {
        const bool no_place = errno == ENOENT || errno == EACCES || errno == ENOTDIR;
        return Error{fmt::format("{}: {}{}", path, system_message(errno),
                                 no_place ? "; make its folder, one that this user may write to" : "")};
    }
    return socket;
}

// --- Connecting, and the other end

Descriptor begin_connect(const Endpoint& to, int& error) {
    Descriptor socket(::socket(to.family(), socket_flags, 0));
    const bool connected = socket && ::connect(socket.get(), to.get(), to.size) == 0;
    error = connected ? 0 : errno;
    return socket;
}

int error_of(int socket) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
}

void send_small_packets_at_once(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void notice_vanishing(int socket) {
    const auto set = [socket](int level, int option, int value) {
        ::setsockopt(socket, level, option, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Identity identity_of_unix_peer(int socket) {
    Identity identity{.address = "unix"};
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return identity;
    identity.process = {.pid = credentials.pid, .uid = credentials.uid, .groups = {credentials.gid}};
    const auto more = more_groups_of_unix_peer(socket);
    identity.process->groups.insert(identity.process->groups.end(), more.begin(), more.end());
    return identity;
}

Identity identity_of_tcp_peer(int socket) {
    return {.address = endpoint_of_peer(socket).text()};
}

}  // namespace allot::net
