// The scheduler without synchronisation: the best that several locks could reach with global knowledge.
//
// It is no protocol for real hosts but the measure of the others. Site 0 has one queue of all requests in the
// order of their arrival, and scans it from the oldest on at each arrival and each release. Run it with
// `--latency 0ms`: then asking and granting cost nothing, and only the order costs time.
//
// Its policy decides which requests it grants:
//     fit    every request whose resources are all free. A large request may then wait forever.
//     fifo   the same, but a waiting request also blocks its resources for later ones: no site starves.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol.hpp"
#include "core/random.hpp"
#include "protocols/multilock/meanings.hpp"

namespace allot {

namespace ideal {

enum class Policy : std::uint8_t { fit, fifo };
BOOST_DESCRIBE_ENUM(Policy, fit, fifo)

struct QueuedRequest {
    SiteId site = 0;
    std::vector<ResourceId> resources;
    bool operator==(const QueuedRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueuedRequest, (), (site, resources))

}  // namespace ideal

class Ideal {
public:
    static const Model<Ideal, FencesGrow> model;

    struct Config {
        std::uint32_t sites = 3;
        std::uint32_t resources = 2;
        std::uint32_t max_request = 0;
        ideal::Policy policy = ideal::Policy::fit;
        static constexpr Meaning meanings[]{
            meaning::sites,
            multilock::resources_meaning,
            multilock::max_request_meaning,
            {"policy",
             "fit: grant every request whose resources are free; fifo: a waiting request blocks its "
             "resources for later ones"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, resources, max_request, policy), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Ask {
        std::vector<ResourceId> resources;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (resources), (), ())
    };
    struct Grant {
        std::vector<Fence> fences;
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (fences), (), ())
    };
    struct Done {
        std::vector<ResourceId> resources;
        bool operator==(const Done&) const = default;
        BOOST_DESCRIBE_CLASS(Done, (), (resources), (), ())
    };
    using Message = std::variant<Ask, Grant, Done>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    // The requesting site. Site 0 writes to itself: its own requests have no advantage.
    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Grant& grant, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }

    // The scheduler.
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Done& done, Effects& fx);

    static void on_state(const View<Ideal>& view, Report& report);

    bool operator==(const Ideal&) const = default;

private:
    using ResourceSet = boost::container::flat_set<ResourceId>;

    void schedule(const Context& ctx, Effects& fx);
    void admit(const ideal::QueuedRequest& entry, Effects& fx);

    Phase phase_ = Phase::idle;
    std::vector<ResourceId> wanted_;  // in the caller's order

    // At site 0.
    std::vector<ideal::QueuedRequest> queue_;  // oldest first
    ResourceSet in_use_;
    boost::container::flat_map<ResourceId, Fence> fences_;  // of the newest grants

    BOOST_DESCRIBE_CLASS(Ideal, (), (), (), (phase_, wanted_, queue_, in_use_, fences_))
};

}  // namespace allot
