// Tells each change of one key of etcd soon after it happens. A watch is a hint: it may miss changes, and it
// proves nothing about the present.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "etcd/client.hpp"
#include "etcd/connection.hpp"
#include "etcd/gateway.hpp"

namespace allot::etcd {

class Watch {
public:
    struct Events {
        std::function<void(const Entry&)> changed;
        // Once; the watch may be destroyed from inside.
        std::function<void(std::string why)> ended;
    };

    // Of the changes after that revision, at this endpoint of the settings.
    Watch(boost::asio::io_context& loop, const Client::Settings& settings, const Endpoint& endpoint,
          std::int64_t after_revision, Events events);

    const Endpoint& endpoint() const { return connection_.endpoint(); }
    // All changes up to this revision are told.
    std::int64_t told() const { return told_; }

private:
    void hear(std::string_view bytes);
    void end(const std::string& why);

    WatchReader reader_;
    std::int64_t told_;
    const Events events_;
    Connection connection_;
};

}  // namespace allot::etcd
