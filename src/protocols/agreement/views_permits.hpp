// Permits per host with agreed views: at most k units among programs of hosts that come, go and die.
#pragma once

#include "protocols/agreement/epochs.hpp"
#include "protocols/semaphore/host_permits.hpp"

namespace allot {

class ViewsPermits : public Epochs<HostPermits> {
public:
    static const Model<ViewsPermits, permits::FencesGrowInOrder> model;

    bool operator==(const ViewsPermits&) const = default;

private:
    static std::optional<std::string> config_error(const Config& config);
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    static std::vector<Demand> demands(const Context& ctx);
    static void sample(Draw& draw);
    static void on_state(const View<ViewsPermits>& view, Report& report);

    BOOST_DESCRIBE_CLASS(ViewsPermits, (Epochs<HostPermits>), (), (), ())
};

}  // namespace allot
