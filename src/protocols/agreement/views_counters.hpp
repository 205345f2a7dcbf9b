// `counters` with agreed views: sets of named locks among hosts that come, go and die.
#pragma once

#include "protocols/agreement/epochs.hpp"
#include "protocols/multilock/counters.hpp"

namespace allot {

class ViewsCounters : public Epochs<Counters> {
public:
    static const Model<ViewsCounters, FencesGrow> model;

    bool operator==(const ViewsCounters&) const = default;

private:
    static std::optional<std::string> config_error(const Config& config);
    static std::optional<Domain> domain(const Context& ctx, std::string_view member);
    static std::vector<Demand> demands(const Context& ctx);
    static void sample(Draw& draw);
    static void on_state(const View<ViewsCounters>& view, Report& report);

    BOOST_DESCRIBE_CLASS(ViewsCounters, (Epochs<Counters>), (), (), ())
};

}  // namespace allot
