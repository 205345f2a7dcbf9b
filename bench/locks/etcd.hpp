// etcd as a contender: a server of one member, and clients that speak gRPC with it.
#pragma once

#include "contender.hpp"
#include "process.hpp"

namespace allot::bench {

class Etcd final : public Contender {
public:
    // Its data are in `folder`.
    explicit Etcd(const std::string& folder);

    std::unique_ptr<Client> client(Workload workload, int number) override;

private:
    std::string address_;
    std::string peer_address_;
    Process server_;
};

}  // namespace allot::bench
