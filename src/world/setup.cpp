#include "world/setup.hpp"

#include <array>
#include <limits>

#include "world/instance.hpp"

namespace allot::world {

namespace {

constexpr std::array meanings{
    Meaning{"requests", "requests per site: a number, 2,2,1 (one per site) or any (unbounded)"},
    Meaning{"founders", "number of founders, the sites that do not join later; 0: all sites"},
    Meaning{"cancel", "a site may cancel a waiting request at any time"},
    Meaning{"crashes", "maximum of crashes, between steps or inside one"},
    Meaning{"restarts", "maximum of restarts of crashed sites"},
    Meaning{"leaves", "maximum of sites that leave in order"},
    Meaning{"duplicate", "maximum of messages that are delivered twice"},
    Meaning{"lose", "maximum of messages that get lost, or any"},
    Meaning{"lies", "maximum of false reports that a live site is dead"},
    Meaning{"trust",
            "dense: every detector trusts every site at once; sparse: late or never; anchor: only the "
            "anchor's does"},
    Meaning{"anchor", "the site that never crashes and that no detector suspects, none, or own: as needed"},
    Meaning{"links", "fifo, unordered, or own: what the protocol needs"},
    Meaning{"starts", "a site that may not ask yet counts as waiting: every start must end"},
    Meaning{"full", "deliver no prompt message at once: explore every order of deliveries"},
    Meaning{"ranks", "on: rename stamps to small ones; own: where requests are unbounded"},
    Meaning{"normalise", "off: do not bring worlds into the protocol's normal form"},
    Meaning{"backlog", "a timer fires only while every channel holds fewer messages than this; 0: always"},
    Meaning{"copies", "a timer fires only while fewer messages that it replaces are in flight"},
    Meaning{"campers", "these sites may hold forever, as in 0,2"},
    Meaning{"property", "judge only this property; may be repeated"},
};

std::optional<std::string> count_error(const Setup& setup) {
    using Named = std::pair<const char*, std::uint32_t>;
    for (const auto& [flag, count] :
         {Named{"crashes", setup.crashes}, Named{"restarts", setup.restarts}, Named{"leaves", setup.leaves},
          Named{"duplicate", setup.duplicate}, Named{"lies", setup.lies}, Named{"backlog", setup.backlog},
          Named{"copies", setup.copies}})
        if (count > most_faults) return parse_number(flag, std::to_string(count), 0, most_faults).error();
    return std::nullopt;
}

// Parameters that do not fit the number of sites.
std::optional<std::string> sites_error(const Setup& setup) {
    if (auto error = requests_error(setup.requests, setup.sites)) return error;
    if (auto error = anchor_error(setup.anchor, setup.sites)) return error;
    if (auto error = sites_error("campers", setup.campers, setup.sites)) return error;
    if (setup.founders > setup.sites)
        return parse_number("founders", std::to_string(setup.founders), 1, setup.sites).error();
    return std::nullopt;
}

// Why the protocol does not go with these surroundings.
std::optional<std::string> protocol_error(const Instance& instance, const Setup& setup) {
    const Facts& facts = instance.facts();
    const std::string name(facts.name);
    if (facts.replaces_messages && setup.copies == 0)
        return parse_number("copies", "0", 1, most_faults).error();
    if (auto error = links_error(setup.links, facts.links)) return error;
    if (setup.trust == Trust::anchor && !setup.anchor.site)
        return "--trust anchor: write --anchor SITE with it";
    if (setup.cancel && !facts.cancels) return "--cancel: " + name + " has no cancel";
    if (setup.leaves > 0 && !facts.leaves) return "--leaves: a site of " + name + " cannot leave";
    if (setup.crashes > 0 && !some_mortal(instance))
        return "--crashes " + std::to_string(setup.crashes) + ": no site of " + name +
               " may crash; leave the flag out";
    if (setup.restarts > 0 && !facts.sites_return)
        return "--restarts " + std::to_string(setup.restarts) + ": a site that is gone from " + name +
               " does not come back; for newcomers write --founders";
    return std::nullopt;
}

// Puts what the instance needs where nobody chose.
void choose(const Instance& instance, Setup& setup) {
    const Facts& facts = instance.facts();
    if (setup.founders == 0) setup.founders = setup.sites;
    if (const std::uint32_t founders = instance.founders()) setup.founders = founders;
    if (setup.anchor.own) setup.anchor = {.own = false, .site = default_anchor(instance)};
    const LinkChoice needed = facts.links == Links::fifo ? LinkChoice::fifo : LinkChoice::unordered;
    if (setup.links == LinkChoice::own) setup.links = needed;
    // A prompt message was declared for the protocol's own links. Behind another message in a FIFO channel
    // it cannot be taken at once, so narrowed links are explored in full.
    if (setup.links != needed) setup.full = true;
    // Where there are no stamps, there is nothing to rename.
    if (!facts.has_stamps) setup.ranks = Ranks::off;
}

}  // namespace

const std::vector<ParameterInfo>& setup_parameters() {
    static const auto list = parameters_of<Setup>(meanings);
    return list;
}

Result<Setup> take_setup(Parameters& given, const Instance& instance) {
    if (instance.facts().replaces_messages) given.try_emplace("copies", "1");
    if (instance.facts().asks_forever) given.try_emplace("requests", "any");
    auto setup = take_config<Setup>(given);
    if (!setup) return setup;
    setup->sites = instance.sites();
    if (auto error = count_error(*setup)) return Error{std::move(*error)};
    if (auto error = sites_error(*setup)) return Error{std::move(*error)};
    choose(instance, *setup);
    if (auto error = protocol_error(instance, *setup)) return Error{std::move(*error)};
    return setup;
}

std::optional<SiteId> default_anchor(const Instance& instance) {
    return instance.needs_anchor() ? std::optional<SiteId>(0) : std::nullopt;
}

std::optional<SiteId> some_mortal(const Instance& instance) {
    for (SiteId site = 0; site < instance.sites(); ++site)
        if (instance.mortal(site)) return site;
    return std::nullopt;
}

}  // namespace allot::world
