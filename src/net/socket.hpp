// Sockets as the kernel gives them: made, bound, accepted, asked. All are non-blocking and closed on exec.
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

// Without the resolver, if the address is a number.
std::vector<Endpoint> numeric_endpoint(const HostPort& address);
// Asks the resolver, which may take long.
Result<std::vector<Endpoint>> resolve(const HostPort& address);

Result<Descriptor> bound_tcp(const HostPort& address);
std::uint16_t port_of(int socket);

// A Unix socket that others may connect to as `mode` says. Refused if a live process listens at `path`; a
// socket that a dead one left there is replaced.
Result<Descriptor> bound_unix(const std::string& path, unsigned mode);

// Begins to connect: `error` is 0 or EINPROGRESS if there is hope.
Descriptor begin_connect(const Endpoint& to, int& error);
int error_of(int socket);

void send_small_packets_at_once(int socket);
// The kernel finds out, within two minutes, that a silent other end is not there any more.
void notice_vanishing(int socket);

Identity identity_of_unix_peer(int socket);
Identity identity_of_tcp_peer(int socket);

std::string system_message(int error);

}  // namespace allot::net
