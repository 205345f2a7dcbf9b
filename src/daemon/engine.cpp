#include "daemon/engine.hpp"

#include <utility>

#include "daemon/council_engine.hpp"
#include "daemon/etcd_engine.hpp"
#include "daemon/file_engine.hpp"

namespace allot::daemon {

std::unique_ptr<Engine> Engine::make(boost::asio::io_context& loop, const Config& config,
                                     const HostFolder& folder, const Subject& subject, Events events) {
    if (config.agreed.engine == Register::Engine::file)
        return std::make_unique<FileEngine>(loop, config, subject, std::move(events));
    if (config.agreed.engine == Register::Engine::etcd)
        return std::make_unique<EtcdEngine>(loop, config, subject, std::move(events));
    return std::make_unique<CouncilEngine>(loop, config, folder, subject, std::move(events));
}

}  // namespace allot::daemon
