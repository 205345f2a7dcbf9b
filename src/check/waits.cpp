#include "check/waits.hpp"

#include <algorithm>
#include <atomic>

#include "check/components.hpp"
#include "check/watchdog.hpp"

namespace allot::check {

namespace {

using walk::World;

class LongestWait {
public:
    LongestWait(Graph& graph, std::size_t numbered, SiteId site, const std::atomic<bool>& stop)
        : graph_(graph),
          edges_(graph),
          site_(site),
          components_(
              graph, numbered,
              [this](const World& world) { return phase(world, site_) == Phase::waiting ? 1 : 0; }, stop) {}

    Wait find() {
        components_.run([this](const std::vector<Node>& component, bool) {
            from_.push_back(0);
            for (const Node node : component) look_at(node);
            longest_ = std::max(longest_, from_.back());
            return !without_end_;
        });
        if (without_end_) return std::nullopt;
        return longest_;
    }

private:
    Phase phase(const World& world, SiteId site) const {
        return graph_.machine().local(world.sites[site]).phase;
    }

    // The components that this one leads to come before it.
    void look_at(Node node) {
        edges_.visit(node, [&](const walk::Move&, Node after) {
            const std::uint64_t served = served_now();
            without_end_ = without_end_ || (served > 0 && components_.inside(after));
            from_.back() = std::max(from_.back(), served + from_[components_.component_of(after)]);
        });
    }

    // How many other sites the step serves.
    std::uint64_t served_now() const {
        std::uint64_t count = 0;
        for (SiteId other = 0; other < edges_.before().sites.size(); ++other)
            if (other != site_ && phase(edges_.before(), other) != Phase::holding &&
                phase(edges_.after(), other) == Phase::holding)
                ++count;
        return count;
    }

    Graph& graph_;
    Edges edges_;
    SiteId site_;
    Components components_;
    std::vector<std::uint64_t> from_{
        0};  // by component: largest number of grants to others from there on; 0: outside
    std::uint64_t longest_ = 0;
    bool without_end_ = false;
};

}  // namespace

std::vector<Wait> longest_waits(Graph& graph, const Watchdog& watchdog, std::string& stopped_by) {
    const std::size_t numbered = graph.number_all();
    const std::atomic<bool> stop = false;
    std::vector<Wait> waits;
    for (SiteId site = 0; site < graph.machine().setup().sites; ++site) {
        stopped_by = watchdog.reason_to_stop(numbered * 16);
        if (!stopped_by.empty()) return {};
        waits.push_back(LongestWait(graph, numbered, site, stop).find());
    }
    stopped_by = stop::reason();
    if (!stopped_by.empty()) return {};  // the last wait may be too short
    return waits;
}

}  // namespace allot::check
