// allot as a contender: `allot up` with so many hosts.
#pragma once

#include "allot/client.hpp"
#include "contender.hpp"
#include "process.hpp"

namespace allot::bench {

class Allot final : public Contender {
public:
    // `allot up`, with more flags. Returns when every host has granted a lock.
    Allot(const std::string& program, const std::string& folder, int hosts,
          const std::vector<std::string>& flags = {});

    std::unique_ptr<Client> client(Workload workload, int number) override;

    client::Session session(int host) const;
    std::chrono::duration<double> ready_after() const { return ready_after_; }
    std::vector<pid_t> daemons() const { return up_.children(); }

private:
    void wait_until_granted(int host) const;

    std::string folder_;
    int hosts_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    Process up_;
    std::chrono::duration<double> ready_after_{};
};

}  // namespace allot::bench
