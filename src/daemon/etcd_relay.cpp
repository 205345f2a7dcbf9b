#include "daemon/etcd_relay.hpp"

#include <utility>

#include "daemon/etcd_key.hpp"

namespace allot::daemon {

void EtcdRelay::ask(net::HostId from, const RegisterQuery& query) {
    waiting_[from] = query.number;
    if (!reads_) read();
}

void EtcdRelay::read() {
    reads_ = true;
    client_.read(time_, [this, asked = std::exchange(waiting_, {})](const Result<etcd::Found>& found) {
        reads_ = false;
        const auto value = found ? value_in(*found, client_.settings().key) : Error{found.error()};
        for (const auto& [host, number] : asked)
            if (value) answer_(host, {number, *value});
        if (!waiting_.empty()) read();
    });
}

}  // namespace allot::daemon
