// Sockets of the kernel: make, bind, accept, query. All are non-blocking and closed on exec.
#pragma once

#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "base/address.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "net/stream.hpp"

namespace allot::net {

struct Endpoint {
    sockaddr_storage storage{};
    socklen_t size = 0;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const { return storage.ss_family; }
    std::string text() const;  // 127.0.0.1:4711, [::1]:4711
};

// Empty if the host is a name, not a number.
std::vector<Endpoint> numeric_endpoint(const HostPort& address);
// Asks the resolver, which may take seconds.
Result<std::vector<Endpoint>> resolve(const HostPort& address);

Result<Descriptor> bound_tcp(const HostPort& address);
std::uint16_t port_of(int socket);
// Of this end and the other one; empty if there is none.
Endpoint endpoint_of(int socket);
Endpoint endpoint_of_peer(int socket);

// A Unix socket whose file has `mode`. An error if a live process listens at `path`; replaces the socket of a
// dead one.
Result<Descriptor> bound_unix(const std::string& path, unsigned mode);

// Begins to connect: `error` is 0 or EINPROGRESS unless it failed.
Descriptor begin_connect(const Endpoint& to, int& error);
int error_of(int socket);

void send_small_packets_at_once(int socket);
// Makes the kernel notice within two minutes that a silent other end has vanished.
void notice_vanishing(int socket);

Identity identity_of_unix_peer(int socket);
Identity identity_of_tcp_peer(int socket);

std::string system_message(int error);

}  // namespace allot::net
