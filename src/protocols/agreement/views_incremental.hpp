// `incremental` with agreed views: sets of named locks among hosts that come, go and die, by a protocol that
// knows nothing of views.
#pragma once

#include "protocols/agreement/epochs.hpp"
#include "protocols/multilock/incremental.hpp"

namespace allot {

class ViewsIncremental : public Epochs<Incremental> {
public:
    static const Model<ViewsIncremental, FencesGrow> model;

    bool operator==(const ViewsIncremental&) const = default;

private:
    static std::optional<std::string> config_error(const Config& config);
    static std::vector<Demand> demands(const Context& ctx);
    static void sample(Draw& draw);
    static void on_state(const View<ViewsIncremental>& view, Report& report);

    BOOST_DESCRIBE_CLASS(ViewsIncremental, (Epochs<Incremental>), (), (), ())
};

}  // namespace allot
