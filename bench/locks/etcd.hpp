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

    // The median of so many puts by one client: a lock and an unlock cannot cost less than two of them.
    double put_us(int puts) const;

private:
    std::string address_;
    std::string peer_address_;
    Process server_;
};

}  // namespace allot::bench
