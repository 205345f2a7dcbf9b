// Reads the register in etcd for other hosts, which do not reach etcd. Each answer is a read that began after
// its question: one that is under way, and all that this host remembers, may be older than the question.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

#include "daemon/letters.hpp"
#include "etcd/client.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

class EtcdRelay {
public:
    using Answer = std::function<void(net::HostId, const RegisterAnswer&)>;

    EtcdRelay(boost::asio::io_context& loop, const etcd::Client::Settings& settings,
              std::chrono::milliseconds time, Answer answer)
        : client_(loop, settings), time_(time), answer_(std::move(answer)) {}

    // If etcd does not answer, nobody does.
    void ask(net::HostId from, const RegisterQuery& query);

private:
    void read();

    etcd::Client client_;
    const std::chrono::milliseconds time_;
    const Answer answer_;
    bool reads_ = false;
    std::map<net::HostId, std::uint64_t> waiting_;  // for the next read: the newest question of each host
};

}  // namespace allot::daemon
