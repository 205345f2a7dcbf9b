// The configuration of a daemon: `allot node --config host.toml`. docs/host.toml is an annotated sample.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/log.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "etcd/endpoint.hpp"
#include "host/limits.hpp"
#include "net/setting.hpp"
#include "net/stream.hpp"
#include "protocols/agreement/settings.hpp"

namespace allot::daemon {

struct Semaphore {
    std::uint32_t permits = 1;
    std::uint32_t max_request = 1;  // units of one request
    bool operator==(const Semaphore&) const = default;
};

// How the hosts agree on who takes part, and the times of their leases.
struct Register {
    enum class Engine : std::uint8_t { file, hosts, etcd };
    static constexpr std::chrono::milliseconds least_lease{600};
    static constexpr std::chrono::milliseconds least_silence{200};
    static constexpr std::chrono::milliseconds longest = std::chrono::minutes(10);

    Engine engine = Engine::hosts;
    std::string file;                         // that all daemons of this machine open
    std::vector<std::string> voters;          // hosts that keep it; empty: the first of them
    std::vector<etcd::Endpoint> endpoints;    // members of etcd, if that keeps it
    std::string key;                          // of etcd
    std::optional<net::TlsFiles> tls;         // for etcd
    std::chrono::milliseconds lease{3000};    // programs have stopped so long after their host last asked
    std::chrono::milliseconds grace{1000};    // that a program has to stop, within the lease
    std::chrono::milliseconds silence{1000};  // after which a host is removed
    std::chrono::milliseconds return_within{1500};  // the same for a host whose daemon has ended

    const char* engine_name() const;
};

struct Config {
    using Host = agreement::HostSettings;
    std::string host;
    std::string address;  // of this host for the others; empty: as in the list of hosts
    std::map<std::string, std::string> addresses;  // of others, by which this host alone reaches them
    std::string socket = "/run/allot/allot.sock";
    unsigned socket_mode = 0660;
    std::string state = "/var/lib/allot";
    std::string http = "127.0.0.1:7480";  // address, or empty for none
    bool http_chosen = false;             // set by the user: it must work
    std::string https;                    // the same with TLS and certificates of programs, or empty
    std::vector<std::string> http_names;  // by which readers call this host, besides its own
    std::string clients;                  // address for programs on other machines (TLS), or empty
    bool plaintext = false;
    std::optional<net::TlsFiles> tls;
    Register agreed;
    host::Limits limits;
    audit::Settings audit;
    std::vector<host::Allowance> allow;  // empty: every program that can connect may use everything
    LogLevel log_level = LogLevel::info;
    std::vector<std::string> redact{"password=*", "--password *", "token=*", "--token *",
                                    "PASSWORD=*", "TOKEN=*",      "SECRET=*"};  // patterns (redaction.hpp)

    // The edition in which hosts write; 0: this one does not know it yet. Then it sends what all others read,
    // and keeps what the next version of itself reads.
    Edition edition = 0;
    Edition sent_edition() const { return edition == 0 ? first_edition : edition; }
    Edition kept_edition() const { return edition == 0 ? newest_edition : edition; }

    // [bootstrap], as the times in `agreed`: the first forming reads it, and the register keeps it.
    std::set<std::string, std::less<>> written;  // keys that the file has there
    std::vector<Host> hosts;                     // by number
    bool asks_operator = false;
    std::uint32_t lock_seats = 1024;  // leases of locks that may be open at once
    std::map<std::string, Semaphore> semaphores;
    std::vector<host::Mode> modes;

    bool has_written(std::string_view key) const { return written.contains(key); }

    std::uint32_t self() const;
    std::string name_of(std::uint32_t number) const;
    // The hosts that keep the register at the first start.
    std::vector<std::uint32_t> voters() const;
    // The other hosts that take part, by number.
    std::vector<std::uint32_t> others() const;
    // Where this host reaches that one.
    const std::string& address_of(const Host& one) const;
    // Where other hosts reach this one, and whether they can.
    std::string own_address() const;
    bool has_address() const;
    // Says what plaintext = true exposes; empty if it exposes nothing.
    std::string exposure() const;
    // The error of a file with which this host is to form a cluster.
    std::optional<std::string> unlisted() const;
    // The settings that a host must have before it joins a cluster, which tells it all others.
    std::vector<net::Setting> required_settings() const;
    // All settings that must be the same on all hosts of a cluster, and a hash of them. The same kinds come
    // in the same order on all hosts.
    std::vector<net::Setting> agreed_settings() const;
    std::uint64_t agreement() const;
};

// The line of a file that people know, for a line of the text that is read.
using LineShown = std::function<std::size_t(std::size_t)>;
Result<Config> parse_config(const std::string& text, const std::string& path, const LineShown& shown = {});
// The text of that file.
Result<std::string> config_text(const std::string& path);
Result<Config> load_config(const std::string& path);

}  // namespace allot::daemon
