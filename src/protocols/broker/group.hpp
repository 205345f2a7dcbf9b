// Shared by the protocols of the broker: the sites and the demands.
//
// The first sites are the resources, the others clients: resource r3 is site 3. Clients know resources only
// by name, and no other client; a resource hears of the departure of every client about which it keeps state.
// Resources stay; clients come and vanish, and a client that returns is a new site.
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "core/draw.hpp"
#include "core/random.hpp"
#include "core/view.hpp"

namespace allot::broker {

// The demands of clients in the laboratory (check, swarm, sim): `all`, everything that the protocol accepts;
// `cycle`, the client's own resource and then the next one; `ring`, these two in either order; or demands, as
// in r0,r1/r1 for all clients and r0,r1/r1;r1,r0 for one client after the other.
class Wants {
public:
    using Choice = std::vector<std::vector<SiteId>>;

    static Result<Wants> parse(std::string_view name, std::string_view text);
    const std::string& text() const { return text_; }
    // One for all clients, or one for each; empty if demands are not listed.
    const std::vector<Choice>& choices() const { return choices_; }
    bool operator==(const Wants&) const = default;

private:
    std::string text_ = "all";
    std::vector<Choice> choices_;

    BOOST_DESCRIBE_CLASS(Wants, (), (), (), (text_))
};

// How a simulation draws resources: uniformly, or resource i in proportion to 1 / (i + 1).
enum class Popularity : std::uint8_t { even, zipf };
BOOST_DESCRIBE_ENUM(Popularity, even, zipf)

// The part of a Config that all protocols share.
struct Group {
    std::uint32_t resources = 2;
    std::uint32_t clients = 2;
    std::uint32_t founders = 0;
    std::uint32_t min_request = 1;
    std::uint32_t max_request = 0;
    Wants wants;
    Popularity popularity = Popularity::even;
    static constexpr Meaning meanings[]{
        {"resources", "number of resources, r0, r1 and so on; they are the first sites"},
        {"clients", "number of clients, the sites after the resources"},
        {"founders",
         "number of sites from the start on, the others are clients that join later; 0: all sites"},
        {"min_request", "minimum of resources of one request"},
        {"max_request", "maximum of resources of one request; 0: as many as the protocol takes"},
        {"wants",
         "the demands of clients: all, ring, cycle, or a list as in r0,r1/r1 (one per client: r0,r1;r1)"},
        {"popularity",
         "how a simulation draws resources: even, or zipf (resource i in proportion to 1 / (i + 1))"},
    };

    std::uint32_t sites() const { return resources + clients; }
    bool is_resource(SiteId site) const { return site < resources; }
    bool is_client(SiteId site) const { return site >= resources; }
};
BOOST_DESCRIBE_STRUCT(Group, (), (resources, clients, founders, min_request, max_request, wants, popularity))

// The requests that a protocol accepts: how many resources at once, and whether their order matters.
struct Manner {
    std::uint32_t most = 0;
    bool ordered = false;
    bool repeats = false;  // accepts one resource twice
};

std::optional<std::string> config_error(const Group& group, const Manner& manner);

// A request waits until the token comes round, so the pace is bounded.
std::optional<std::string> pace_error(std::uint32_t ticks);

std::string name_of(SiteId resource);
// The resources of a demand, in its order, or why it cannot be granted.
Result<std::vector<SiteId>> resources_of(const Group& group, const Manner& manner, const Demand& demand);

std::optional<std::string> demand_error(const Group& group, const Manner& manner, const Demand& demand);

// All demands of this client; if they are too many, those of `ring`, and `unlisted` says so. A resource asks
// for nothing.
std::vector<Demand> demands(const Group& group, const Manner& manner, SiteId client);
std::optional<std::string> unlisted(const Group& group, const Manner& manner);
// Draws first a size, then resources one by one.
Demand draw_demand(const Group& group, const Manner& manner, SiteId client, Random& random);
// Few clients and resources; clients that join late and vanish; cancelled requests.
void sample(Draw& draw, const Manner& manner);

// Why a value from outside is impossible: no resource, or no client.
std::optional<std::string> not_resources(const Group& group, const std::vector<SiteId>& sites);
std::optional<std::string> not_a_client(const Group& group, SiteId site);
std::optional<std::string> not_its_role(const Group& group, SiteId self, bool role_is_client);
std::optional<std::string> not_its_message(const Group& group, SiteId receiver, bool is_for_client);
// Messages of these kinds go to clients, all others to resources.
template <class... ToClients, class Message>
std::optional<std::string> not_its_message(const Group& group, SiteId receiver, const Message& message) {
    return not_its_message(group, receiver, (std::holds_alternative<ToClients>(message) || ...));
}
std::optional<std::string> client_error(const Group& group, Phase phase, const std::vector<SiteId>& asked);

// Each resource is used by at most one client.
template <class P>
void check_one_user(const View<P>& view, Report& report) {
    boost::container::flat_map<ResourceId, SiteId> users;
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        if (!view.site(site).holding()) continue;
        for (ResourceId resource : view.site(site).application.demand.resources) {
            const auto [place, first] = users.emplace(resource, site);
            if (!first)
                report.violated("one-user", "sites " + std::to_string(place->second) + " and " +
                                                std::to_string(site) + " use " + resource.name());
        }
    }
}

}  // namespace allot::broker
