#include "world/lines.hpp"

#include <algorithm>
#include <map>

#include "core/json.hpp"

namespace allot::world {

namespace {

bool is_number(const std::string& word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string demand_text(const Demand& demand) {
    const bool looks_like_units = demand.resources.size() == 1 && is_number(demand.resources.front().name());
    std::string text;
    if (demand.units != 1 || looks_like_units) text += " " + std::to_string(demand.units);
    for (std::size_t i = 0; i < demand.resources.size(); ++i)
        text += (i == 0 ? " " : ",") + demand.resources[i].name();
    return text;
}

std::string channel_text(const Envelope& envelope) {
    return std::to_string(envelope.from) + " -> " + std::to_string(envelope.to);
}

}  // namespace

std::string request_line(SiteId site, const Demand& demand) {
    return site_line(InputKind::request, site) + demand_text(demand);
}

std::string claim_line(SiteId site, const Demand& demand, Proof proof) {
    return site_line(InputKind::claim, site) + " " + std::string(enum_name(proof)) + demand_text(demand);
}

std::string start_line(SiteId site, bool first) {
    return (first ? "join " : "restart ") + std::to_string(site);
}

std::string site_line(InputKind kind, SiteId site) {
    return std::string(enum_name(kind)) + " " + std::to_string(site);
}

std::string crash_line(SiteId site, bool durable, Disk disk) {
    if (!durable) return site_line(InputKind::crash, site);
    const std::string line = "kill " + std::to_string(site);
    return disk == Disk::kept ? line : line + " disk " + std::string(enum_name(disk));
}

std::string tick_line(SiteId site, bool all) {
    return "tick " + (all ? "all" : std::to_string(site));
}

std::string channel_line(std::string_view verb, SiteId from, SiteId to) {
    return std::string(verb) + " " + channel_text({from, to});
}

std::string view_line(ViewChange change, SiteId site) {
    return "view " + std::string(enum_name(change)) + " " + std::to_string(site);
}

std::string see_line(SiteId site, std::uint32_t view) {
    return site_line(InputKind::see, site) + " " + std::to_string(view);
}

std::string timeout_line(SiteId site, std::string_view timer) {
    return site_line(InputKind::timeout, site) + " " + std::string(timer);
}

std::string detection_line(InputKind kind, SiteId observer, SiteId peer) {
    return site_line(kind, observer) + " " + std::to_string(peer);
}

std::string message_line(std::string_view verb, const Envelope& envelope, std::string_view kind) {
    return std::string(verb) + " " + channel_text(envelope) + " " + std::string(kind);
}

std::string message_line(std::string_view verb, const Envelope& envelope, std::string_view kind,
                         const boost::json::value& content) {
    return message_line(verb, envelope, kind) + " " + json_text(content);
}

std::string crash_inside_line(SiteId site, std::string_view step, const std::vector<SiteId>& destinations,
                              const std::vector<bool>& left) {
    std::map<SiteId, std::vector<bool>> left_by_destination;
    for (std::size_t i = 0; i < destinations.size(); ++i)
        left_by_destination[destinations[i]].push_back(left[i]);
    std::string line = "crash " + std::to_string(site) + " in " + std::string(step) + " sent";
    for (const auto& [to, these] : left_by_destination) {
        const bool prefix = std::is_sorted(these.begin(), these.end(), std::greater<>());
        for (std::size_t i = 0; i < these.size(); ++i)
            if (these[i]) line += " " + std::to_string(to) + (prefix ? "" : "#" + std::to_string(i + 1));
    }
    return line;
}

std::string state_line(SiteId site, const boost::json::value& state) {
    return "state " + std::to_string(site) + " " + json_text(state);
}

std::string put_line(const Envelope& envelope, const boost::json::value& message) {
    return "put " + channel_text(envelope) + " " + json_text(message);
}

}  // namespace allot::world
