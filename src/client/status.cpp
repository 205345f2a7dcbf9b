#include "client/status.hpp"

#include "client/core.hpp"

namespace allot::client {

session::Status ask_status(const Options& options, Deadline deadline) {
    const auto core = std::make_shared<Core>(options, Core::Turns::as_written);
    core->connect();
    return core->status(true, deadline);
}

session::OrderAnswer give_order(const Options& options, const session::Order& order, Deadline deadline) {
    const auto core = std::make_shared<Core>(options, Core::Turns::as_written);
    core->connect();
    return core->order(order, deadline);
}

}  // namespace allot::client
