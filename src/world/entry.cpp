#include "world/entry.hpp"

#include <algorithm>
#include <limits>

#include "core/draw.hpp"

namespace allot::world {

namespace {

constexpr std::uint64_t most_faults = 1'000'000;

// Takes parameters out of `given` one by one and keeps the first thing that was wrong.
class Taker {
public:
    explicit Taker(Parameters& given) : given_(given) {}

    std::optional<std::string> text(const char* name) {
        const auto place = given_.find(name);
        if (place == given_.end()) return std::nullopt;
        std::string value = place->second;
        given_.erase(place);
        return value;
    }
    void number(const char* name, std::uint32_t& target, std::uint64_t low, std::uint64_t high) {
        if (const auto value = text(name)) keep(parse_number(name, *value, low, high), target);
    }
    void number_or_any(const char* name, std::uint32_t& target, std::uint64_t high) {
        const auto value = text(name);
        if (value == "any")
            target = any_number;
        else if (value)
            keep(parse_number(name, *value, 0, high), target, ", or any");
    }
    void on_off(const char* name, bool& target) {
        if (const auto value = text(name)) keep(parse_switch(name, *value), target);
    }
    template <class Enum>
    void choice(const char* name, Enum& target) {
        if (const auto value = text(name))
            if (const auto wrong = parse_parameter(target, name, *value)) fail(*wrong);
    }
    void fail(std::string message) {
        if (error_.empty()) error_ = std::move(message);
    }
    const std::string& error() const { return error_; }

private:
    template <class T, class Target>
    void keep(const Result<T>& value, Target& target, const char* otherwise = "") {
        if (value)
            target = static_cast<Target>(*value);
        else
            fail(value.error() + otherwise);
    }

    Parameters& given_;
    std::string error_;
};

// `2`, `any`, or one of them per site: `2,2,1`.
void read_requests(const std::string& text, Setup& setup, Taker& take) {
    std::vector<std::uint32_t> list;
    std::string_view rest = text;
    while (true) {
        const auto comma = std::min(rest.find(','), rest.size());
        const std::string_view item = rest.substr(0, comma);
        const auto number = parse_number("requests", item, 0, unbounded_requests - 1);
        if (item != "any" && !number)
            return take.fail("--requests " + text +
                             ": write a number, any, or one of them per site, as in 2,2,1");
        list.push_back(item == "any" ? unbounded_requests : static_cast<std::uint32_t>(*number));
        if (comma == rest.size()) break;
        rest.remove_prefix(comma + 1);
    }
    if (list.size() == 1) list.assign(setup.sites, list.front());
    if (list.size() != setup.sites)
        return take.fail("--requests " + text + ": these are " + std::to_string(list.size()) +
                         " numbers for " + std::to_string(setup.sites) +
                         " sites; write one for all, or one per site");
    setup.requests = std::move(list);
}

void read_anchor(const std::string& text, Setup& setup, Taker& take) {
    setup.anchor.reset();
    if (text == "none") return;
    const auto anchor = parse_number("anchor", text, 0, setup.sites - 1);
    if (!anchor) return take.fail(anchor.error() + ", or none");
    setup.anchor = static_cast<SiteId>(*anchor);
}

void read_campers(const std::string& text, Setup& setup, Taker& take) {
    for (const std::string& item : split_list(text)) {
        const auto site = parse_number("campers", item, 0, setup.sites - 1);
        if (!site) return take.fail(site.error() + ", or several of them with commas");
        setup.campers.push_back(static_cast<SiteId>(*site));
    }
}

}  // namespace

const std::vector<ParameterInfo>& setup_parameters() {
    static const std::vector<ParameterInfo> list{
        {"requests", "any where sites always ask again, otherwise 1"},
        {"founders", "all"},
        {"cancel", "off"},
        {"crashes", "0"},
        {"restarts", "0"},
        {"leaves", "0"},
        {"duplicate", "0"},
        {"lose", "0"},
        {"lies", "0"},
        {"trust", "dense"},
        {"anchor", "0 where sites hear suspicions, otherwise none"},
        {"links", "as the protocol needs"},
        {"starts", "off"},
        {"full", "off"},
        {"ranks", "where requests are unbounded"},
        {"normalise", "on"},
        {"backlog", "0"},
        {"copies", "1 where timers replace messages, otherwise 0"},
        {"campers", "none"},
        {"property", "all"},
    };
    return list;
}

Result<Setup> take_setup(Parameters& given, std::uint32_t sites, Links links, std::optional<SiteId> anchor) {
    Setup setup;
    setup.anchor = anchor;
    setup.sites = sites;
    setup.founders = sites;
    setup.requests.assign(sites, 1);
    setup.links = links;

    Taker take(given);
    if (const auto text = take.text("requests")) read_requests(*text, setup, take);
    if (const auto text = take.text("anchor")) read_anchor(*text, setup, take);
    take.number("founders", setup.founders, 1, sites);
    take.on_off("cancel", setup.cancel);
    take.number("crashes", setup.crashes, 0, most_faults);
    take.number("restarts", setup.restarts, 0, most_faults);
    take.number("leaves", setup.leaves, 0, most_faults);
    take.number("duplicate", setup.duplicate, 0, most_faults);
    take.number_or_any("lose", setup.lose, most_faults);
    take.number("lies", setup.lies, 0, most_faults);
    take.choice("trust", setup.trust);
    take.on_off("full", setup.full);
    take.on_off("starts", setup.starts);
    take.on_off("normalise", setup.normalise);
    take.number("backlog", setup.backlog, 0, most_faults);
    take.number("copies", setup.copies, 1, most_faults);
    if (const auto text = take.text("campers")) read_campers(*text, setup, take);
    bool ranks = false;
    if (given.contains("ranks")) {
        take.on_off("ranks", ranks);
        setup.ranks = ranks;
    }
    if (const auto text = take.text("property")) setup.property = split_list(*text);
    Links wanted = links;
    take.choice("links", wanted);
    if (links == Links::fifo && wanted == Links::unordered)
        take.fail("--links unordered: this protocol needs fifo links; leave the flag out");
    // A prompt message was declared for the protocol's own links. Behind another message in a FIFO channel
    // it cannot be taken at once, so narrowed links are explored in full.
    if (wanted != links) setup.full = true;
    setup.links = wanted;
    if (!take.error().empty()) return Error{take.error()};
    return setup;
}

bool Entry::takes(std::string_view parameter) const {
    return std::ranges::any_of(parameters, [&](const ParameterInfo& one) { return one.name == parameter; });
}

std::optional<SiteId> default_anchor(const Instance& instance) {
    return instance.needs_anchor() ? std::optional<SiteId>(0) : std::nullopt;
}

std::optional<SiteId> some_mortal(const Instance& instance) {
    for (SiteId site = 0; site < instance.sites(); ++site)
        if (instance.mortal(site)) return site;
    return std::nullopt;
}

namespace {

// Why the protocol does not go with these surroundings.
std::optional<std::string> setup_error(const Instance& instance, const Setup& setup) {
    const std::string name(instance.facts().name);
    if (setup.trust == Trust::anchor && !setup.anchor) return "--trust anchor: write --anchor SITE with it";
    if (setup.cancel && !instance.facts().cancels) return "--cancel: " + name + " has no cancel";
    if (setup.leaves > 0 && !instance.facts().leaves) return "--leaves: a site of " + name + " cannot leave";
    if (setup.crashes > 0 && !some_mortal(instance))
        return "--crashes " + std::to_string(setup.crashes) + ": no site of " + name +
               " may crash; leave the flag out";
    if (setup.restarts > 0 && !instance.facts().sites_return)
        return "--restarts " + std::to_string(setup.restarts) + ": who is gone from " + name +
               " does not come back; for newcomers write --founders";
    return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Machine>> Entry::make(const Parameters& given) const {
    Parameters left = given;
    auto instance = make_instance(left);
    if (!instance) return Error{instance.error()};
    if (replaces_messages) left.try_emplace("copies", "1");
    if (asks_forever) left.try_emplace("requests", "any");
    auto setup = take_setup(left, (*instance)->sites(), links, default_anchor(**instance));
    if (!setup) return Error{setup.error()};
    // Where there are no stamps, there is nothing to rename.
    if (!has_stamps) setup->ranks = false;
    if (const std::uint32_t founders = (*instance)->founders()) setup->founders = founders;
    if (auto error = setup_error(**instance, *setup)) return Error{std::move(*error)};
    if (!left.empty()) return unknown_parameter(*this, left);
    if (const auto wrong = unknown_property(*this, *setup)) return Error{*wrong};
    // A scenario has no anchor unless it says so, nor timers that are more patient than it needs.
    Parameters said = given;
    if (setup->anchor) said.try_emplace("anchor", std::to_string(*setup->anchor));
    if (replaces_messages) said.try_emplace("copies", std::to_string(setup->copies));
    auto machine = std::make_unique<Machine>(std::move(*instance), std::move(*setup));
    machine->set_header(header_line(name, said));
    return machine;
}

void Entry::sample(Draw& draw) const {
    if (draw_parameters != nullptr) draw_parameters(draw);
    // Where a graph says how many sites there are, there is no such parameter.
    if (takes("sites")) draw.number("sites", 2, 5);
    if (asks_forever)
        draw.choice("requests", {"any"});
    else
        draw.requests(4);
}

std::string header_line(std::string_view protocol, const Parameters& given) {
    std::string line = "protocol " + std::string(protocol);
    for (const auto& [name, value] : given) line += " " + name + "=" + value;
    return line;
}

std::optional<std::string> unknown_property(const Entry& entry, const Setup& setup) {
    std::vector<std::string> known;
    for (const PropertyName& property : entry.properties) known.emplace_back(property.name);
    for (const PropertyName& property : common_properties) known.emplace_back(property.name);
    for (const PropertyName& property : properties_from_anywhere) known.emplace_back(property.name);
    for (const std::string& name : setup.property)
        if (std::find(known.begin(), known.end(), name) == known.end())
            return "--property " + name + ": " + std::string(entry.name) + " has " + listed(known);
    return std::nullopt;
}

Error unknown_parameter(const Entry& entry, const Parameters& left) {
    std::vector<std::string> known;
    for (const ParameterInfo& parameter : entry.parameters) known.push_back("--" + parameter.name);
    return Error{"--" + left.begin()->first + " " + left.begin()->second + ": " + std::string(entry.name) +
                 " has no such parameter; it takes " + listed(known)};
}

}  // namespace allot::world
