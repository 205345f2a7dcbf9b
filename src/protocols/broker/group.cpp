#include "protocols/broker/group.hpp"

#include <algorithm>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>

#include "core/parameters.hpp"

namespace allot::broker {

namespace {

constexpr std::uint32_t most_sites = 100'000;
constexpr std::size_t most_demands = 256;
constexpr std::uint32_t longest_pace = 1000;  // ticks

using Resources = std::vector<SiteId>;

std::uint32_t largest(const Group& group, const Manner& manner) {
    const std::uint32_t most = std::min(manner.most, group.resources);
    return group.max_request == 0 ? most : std::min(group.max_request, most);
}

std::optional<SiteId> resource_named(std::string_view name) {
    if (!name.starts_with('r')) return std::nullopt;
    const auto number = parse_number("", name.substr(1), 0, most_sites - 1);
    if (!number || name != name_of(static_cast<SiteId>(*number))) return std::nullopt;  // r00 is not r0
    return static_cast<SiteId>(*number);
}

std::optional<Wants::Choice> read_choice(std::string_view text) {
    Wants::Choice choice;
    for (const std::string& demand : split_list(text, '/')) {
        auto& resources = choice.emplace_back();
        for (const std::string& name : split_list(demand)) {
            const auto resource = resource_named(name);
            if (!resource) return std::nullopt;
            resources.push_back(*resource);
        }
    }
    return choice;
}

Demand demand_for(const Resources& resources) {
    Demand demand;
    for (const SiteId resource : resources) demand.resources.emplace_back(name_of(resource));
    return demand;
}

std::optional<std::string> number(const char* flag, std::uint32_t value, std::uint32_t low,
                                  std::uint32_t high) {
    if (value >= low && value <= high) return std::nullopt;
    return "--" + std::string(flag) + " " + std::to_string(value) + ": write a whole number from " +
           std::to_string(low) + " to " + std::to_string(high);
}

// Why no request may name these resources together.
std::optional<std::string> set_error(const Group& group, const Manner& manner, Resources resources) {
    for (const SiteId resource : resources)
        if (resource >= group.resources)
            return "there is no resource " + name_of(resource) + "; write " +
                   (group.resources == 1 ? "r0" : "some of r0 to " + name_of(group.resources - 1));
    std::ranges::sort(resources);
    if (!manner.repeats && std::ranges::adjacent_find(resources) != resources.end())
        return "name each resource once";
    if (resources.empty()) return "name at least one resource";
    if (resources.size() > manner.most)
        return "this protocol takes at most " + std::to_string(manner.most) + " resources at once";
    return std::nullopt;
}

std::optional<std::string> wants_error(const Group& group, const Manner& manner) {
    const std::string flag = "--wants " + group.wants.text() + ": ";
    const auto& choices = group.wants.choices();
    if (choices.empty() && group.wants.text() != "all" && group.resources < 2)
        return flag + "needs --resources 2 or more";
    if (choices.size() > 1 && choices.size() != group.clients)
        return flag + "these are the demands of " + std::to_string(choices.size()) +
               " clients, with --clients " + std::to_string(group.clients);
    for (const Wants::Choice& choice : choices)
        for (const Resources& resources : choice)
            if (const auto why = set_error(group, manner, resources)) return flag + *why;
    return std::nullopt;
}

// The client's own resource and the next one.
std::vector<Resources> neighbours(const Group& group, SiteId client, bool both_ways) {
    const SiteId own = (client - group.resources) % group.resources;
    const SiteId next = (own + 1) % group.resources;
    std::vector<Resources> pairs{{own, next}};
    if (both_ways) pairs.push_back({next, own});
    return pairs;
}

// Every way to extend `begun`; stops if there are too many.
void extend(const Group& group, const Manner& manner, Resources& begun, std::vector<Resources>& all) {
    if (begun.size() >= group.min_request && !begun.empty()) all.push_back(begun);
    if (begun.size() == largest(group, manner)) return;
    for (SiteId resource = manner.ordered || begun.empty() ? 0 : begun.back() + 1;
         resource < group.resources && all.size() <= most_demands; ++resource) {
        if (std::ranges::find(begun, resource) != begun.end()) continue;
        begun.push_back(resource);
        extend(group, manner, begun, all);
        begun.pop_back();
    }
}

// The demands of a client, if they are few enough to list.
std::optional<std::vector<Resources>> listed_wants(const Group& group, const Manner& manner, SiteId client) {
    const auto& choices = group.wants.choices();
    if (!choices.empty()) return choices[choices.size() == 1 ? 0 : client - group.resources];
    if (group.wants.text() != "all") return neighbours(group, client, group.wants.text() == "ring");
    std::vector<Resources> all;
    Resources none;
    if (group.resources <= most_demands) extend(group, manner, none, all);
    if (all.empty() || all.size() > most_demands) return std::nullopt;
    return all;
}

// Draws resources without replacement, each in proportion to its weight. A draw takes a logarithmic number of
// steps: the weights that are gone are a Fenwick tree, of which only nodes above drawn resources exist.
class Urn {
public:
    explicit Urn(const Group& group) : resources_(group.resources) {
        if (group.popularity == Popularity::even) return;
        sums_.push_back(0);
        for (std::uint32_t rank = 1; rank <= resources_; ++rank) sums_.push_back(sums_.back() + unit / rank);
    }

    SiteId draw(Random& random) {
        const std::uint32_t drawn = at(random(weight(0, resources_) - gone_));
        const std::uint64_t removed = weight(drawn, drawn + 1);
        gone_ += removed;
        for (std::uint32_t node = drawn + 1; node <= resources_; node += node & (0 - node))
            gone_below_[node] += removed;
        return drawn;
    }

private:
    static constexpr std::uint64_t unit = 1'000'000'000;

    // Of the resources from `first` to before `end`, drawn ones included.
    std::uint64_t weight(std::uint32_t first, std::uint32_t end) const {
        return sums_.empty() ? unit * (end - first) : sums_[end] - sums_[first];
    }
    // The resource in which this weight lies, if the resources that are left stand side by side.
    std::uint32_t at(std::uint64_t place) const {
        std::uint32_t before = 0;
        for (std::uint32_t step = std::bit_floor(resources_); step > 0; step /= 2) {
            if (step > resources_ - before) continue;
            const auto gone = gone_below_.find(before + step);
            const std::uint64_t left =
                weight(before, before + step) - (gone == gone_below_.end() ? 0 : gone->second);
            if (place < left) continue;
            place -= left;
            before += step;
        }
        return before;
    }

    const std::uint32_t resources_;
    std::vector<std::uint64_t> sums_;  // of the weights before each resource; empty if all weigh the same
    std::uint64_t gone_ = 0;
    boost::unordered_flat_map<std::uint32_t, std::uint64_t> gone_below_;  // by node
};

}  // namespace

Result<Wants> Wants::parse(std::string_view name, std::string_view text) {
    Wants wants;
    wants.text_ = text;
    if (text == "all" || text == "ring" || text == "cycle") return wants;
    for (const std::string& client : split_list(text, ';')) {
        const auto choice = read_choice(client);
        if (!choice)
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write all, ring, cycle, or demands as in r0,r1/r1, for each client after ;"};
        wants.choices_.push_back(*choice);
    }
    return wants;
}

std::optional<std::string> pace_error(std::uint32_t ticks) {
    return number("pace", ticks, 0, longest_pace);
}

std::optional<std::string> config_error(const Group& group, const Manner& manner) {
    const std::uint32_t most = std::min(manner.most, group.resources);
    if (auto why = number("clients", group.clients, 1, most_sites)) return why;
    if (auto why = number("resources", group.resources, 1, most_sites)) return why;
    if (group.founders != 0)
        if (auto why = number("founders", group.founders, group.resources, group.sites())) return why;
    if (auto why = number("max-request", group.max_request, 0, most)) return why;
    if (auto why = number("min-request", group.min_request, 1, largest(group, manner))) return why;
    return wants_error(group, manner);
}

std::string name_of(SiteId resource) {
    return "r" + std::to_string(resource);
}

Result<std::vector<SiteId>> resources_of(const Group& group, const Manner& manner, const Demand& demand) {
    Resources resources;
    for (const ResourceId named : demand.resources) {
        const std::string& name = named.name();
        const auto resource = resource_named(name);
        if (!resource)
            return Error{"there is no resource " + name + "; resources are called r0, r1 and so on"};
        resources.push_back(*resource);
    }
    if (auto why = set_error(group, manner, resources)) return Error{*why};
    return resources;
}

std::optional<std::string> demand_error(const Group& group, const Manner& manner, const Demand& demand) {
    const auto resources = resources_of(group, manner, demand);
    return resources ? std::nullopt : std::optional(resources.error());
}

std::vector<Demand> demands(const Group& group, const Manner& manner, SiteId client) {
    if (!group.is_client(client)) return {};
    auto wants = listed_wants(group, manner, client);
    if (!wants) wants = neighbours(group, client, true);
    std::vector<Demand> list;
    for (const Resources& resources : *wants) list.push_back(demand_for(resources));
    return list;
}

std::optional<std::string> unlisted(const Group& group, const Manner& manner) {
    if (listed_wants(group, manner, group.resources)) return std::nullopt;
    return "--wants all: with --resources " + std::to_string(group.resources) + " these are more than " +
           std::to_string(most_demands) +
           " demands; write ring, cycle, demands as in r0,r1/r1, or a smaller --max-request";
}

Demand draw_demand(const Group& group, const Manner& manner, SiteId client, Random& random) {
    if (group.wants.text() != "all") {
        const auto wants = demands(group, manner, client);
        return wants[random(wants.size())];
    }
    const std::uint64_t size = group.min_request + random(largest(group, manner) - group.min_request + 1);
    Urn urn(group);
    Resources resources;
    while (resources.size() < size) resources.push_back(urn.draw(random));
    return demand_for(resources);
}

void sample(Draw& draw, const Manner& manner) {
    const auto resources = draw.number("resources", 1, 4);
    const auto clients = draw.number("clients", 1, 5);
    draw.number("founders", resources, resources + clients);
    draw.number("max-request", 1, std::min(manner.most, resources));
    draw.faults("crashes", 3);
    draw.toggle("cancel");
}

std::optional<std::string> not_resources(const Group& group, const std::vector<SiteId>& sites) {
    for (const SiteId site : sites)
        if (!group.is_resource(site))
            return "site " + std::to_string(site) + " is no resource; write 0 to " +
                   std::to_string(group.resources - 1);
    return std::nullopt;
}

std::optional<std::string> client_error(const Group& group, Phase phase, const std::vector<SiteId>& asked) {
    if (phase != Phase::idle && asked.empty()) return "a client that waits or holds has a demand";
    return not_resources(group, asked);
}

std::optional<std::string> not_a_client(const Group& group, SiteId site) {
    if (group.is_client(site)) return std::nullopt;
    return "site " + std::to_string(site) + " is a resource and asks for nothing; write " +
           std::to_string(group.resources) + " to " + std::to_string(group.sites() - 1);
}

std::optional<std::string> not_its_role(const Group& group, SiteId self, bool role_is_client) {
    if (role_is_client == group.is_client(self)) return std::nullopt;
    return "site " + std::to_string(self) + " is a " + (role_is_client ? "resource" : "client") +
           ": write {\"role\": {\"" + (role_is_client ? "Resource" : "Client") + "\": ...}}";
}

std::optional<std::string> not_its_message(const Group& group, SiteId receiver, bool is_for_client) {
    if (is_for_client == group.is_client(receiver)) return std::nullopt;
    return "site " + std::to_string(receiver) + " is a " + (is_for_client ? "resource" : "client") +
           "; messages of this kind go to a " + (is_for_client ? "client" : "resource");
}

}  // namespace allot::broker
