#include "client/status.hpp"

#include "client/core.hpp"
#include "core/harmless_texts.hpp"

namespace allot::client {

session::Status ask_status(const Options& options, Deadline deadline) {
    const auto core = std::make_shared<Core>(options, Core::Turns::as_written);
    core->connect();
    session::Status status = core->status(true, deadline);
    make_harmless(status);
    return status;
}

session::OrderAnswer give_order(const Options& options, const session::Order& order, Deadline deadline) {
    const auto core = std::make_shared<Core>(options, Core::Turns::as_written);
    core->connect();
    return core->order(order, deadline);
}

}  // namespace allot::client
