// Devices with agreed views: any number at once for programs of hosts that come, go and die, and some devices
// go and come back with their hosts.
#pragma once

#include "protocols/agreement/epochs.hpp"
#include "protocols/broker/host_chain.hpp"

namespace allot {

class ViewsDevices : public Epochs<HostChain> {
public:
    static const Model<ViewsDevices, FencesGrow> model;

    bool operator==(const ViewsDevices&) const = default;

private:
    static std::optional<std::string> config_error(const Config& config);
    static std::vector<Demand> demands(const Context& ctx);
    static void sample(Draw& draw);
    static void on_state(const View<ViewsDevices>& view, Report& report);

    BOOST_DESCRIBE_CLASS(ViewsDevices, (Epochs<HostChain>), (), (), ())
};

}  // namespace allot
