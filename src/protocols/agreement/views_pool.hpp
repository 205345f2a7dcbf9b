// A pool of units with agreed views: at most l units among programs of hosts that come, go and die (specs:
// kinds, section 1).
//
// The members of a view form the tree: the first of them is the root. A report says what the programs of a
// host use, and in which order others wait. In the new epoch units that are used rest at their hosts, the
// root makes tokens of all others, and the first controller sets out, so that nothing is made twice.
#pragma once

#include "protocols/agreement/epochs.hpp"
#include "protocols/pool/host_pool.hpp"

namespace allot {

class ViewsPool : public Epochs<HostPool> {
public:
    static const Model<ViewsPool> model;

    bool operator==(const ViewsPool&) const = default;

private:
    static std::optional<std::string> config_error(const Config& config);
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    static std::vector<Demand> demands(const Context& ctx);
    static void sample(Draw& draw);
    static void on_state(const View<ViewsPool>& view, Report& report);

    BOOST_DESCRIBE_CLASS(ViewsPool, (Epochs<HostPool>), (), (), ())
};

}  // namespace allot
