#include "world/arbitrary.hpp"

#include "core/corrupt.hpp"
#include "core/json.hpp"

namespace allot::world {

void renew_application(const Instance& instance, Site& site) {
    Application renewed{instance.phase(site), site.application.requests_left};
    if (renewed.phase != Phase::idle)
        renewed.demand = instance.demand(site).value_or(site.application.demand);
    site.application = std::move(renewed);
}

void draw_site(const Instance& instance, SiteId self, Site& site, Random& random) {
    corrupt(instance.state_type(), instance.state(site), random,
            [&](std::string_view member) { return instance.domain(self, site, member); });
    instance.confine(self, site);
    renew_application(instance, site);
}

MaybeError never_drawn(const Instance& instance, SiteId self, const Site& site) {
    const Type& type = instance.state_type();
    Box<Site> confined(instance.site_values(), site);
    instance.confine(self, *confined);
    const boost::json::value written = to_json(type, instance.state(site));
    const boost::json::value right = to_json(type, instance.state(*confined));
    for (const auto& [member, value] : right.as_object())
        if (written.at(member) != value) return std::string(member) + ": write " + json_text(value);
    return std::nullopt;
}

void draw_messages(const Instance& instance, SiteId self, const Site& site, std::uint32_t noise,
                   Random& random, std::vector<Box<Envelope>>& drawn) {
    for (const SiteId to : instance.channels(self, site))
        for (auto count = random(std::uint64_t{noise} + 1); count > 0; --count) {
            Box<Envelope> envelope(instance.envelope_values());
            envelope->from = self;
            envelope->to = to;
            corrupt(instance.message_type(), instance.message(*envelope), random,
                    [&](std::string_view member) { return instance.domain(self, site, member); });
            drawn.push_back(std::move(envelope));
        }
}

}  // namespace allot::world
