#include "world/setup.hpp"

#include <limits>

#include "world/instance.hpp"

namespace allot::world {

namespace {

std::optional<std::string> count_error(const Parameters& given) {
    for (const char* flag : {"crashes", "restarts", "leaves", "duplicate", "lies", "lost-disks",
                             "restored-disks", "cuts", "skew", "pauses", "pause-ticks", "expulsions",
                             "lapses", "orphan-ticks", "false-claims", "backlog", "copies"})
        if (const auto text = given.find(flag); text != given.end())
            if (const auto count = parse_number(flag, text->second, 0, most_faults); !count)
                return count.error();
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

std::optional<std::string> disk_error(const Facts& facts, const Setup& setup) {
    const bool asked = setup.writes == Writes::late || setup.lost_disks > 0 || setup.restored_disks > 0;
    if (asked && !facts.durable)
        return "--writes, --lost-disks, --restored-disks: a site of " + std::string(facts.name) +
               " keeps nothing on a disk";
    if (std::max(setup.lost_disks, setup.restored_disks) > setup.crashes)
        return "--lost-disks, --restored-disks: a disk is lost in a crash; write more --crashes";
    return std::nullopt;
}

std::optional<std::string> views_error(const Facts& facts, const Setup& setup) {
    const std::string name(facts.name);
    if ((setup.expulsions > 0 || setup.lapses > 0) && !facts.sees_views)
        return "--expulsions, --lapses: sites of " + name + " see no agreed views";
    if (setup.orphan_ticks > 0 && (!setup.orphans || !facts.ticks))
        return "--orphan-ticks " + std::to_string(setup.orphan_ticks) +
               ": write --orphans with it, for a protocol with clocks that tick";
    if (setup.orphans && !facts.adopts) return "--orphans: a site of " + name + " adopts no programs";
    if (setup.false_claims > 0 && (!setup.orphans || !facts.sees_views))
        return "--false-claims " + std::to_string(setup.false_claims) +
               ": write --orphans with it, for a protocol with agreed views";
    return std::nullopt;
}

// Why the protocol does not go with these surroundings.
std::optional<std::string> protocol_error(const Instance& instance, const Setup& setup) {
    const Facts& facts = instance.facts();
    const std::string name(facts.name);
    if (facts.replaces_messages && setup.copies == 0)
        return parse_number("copies", "0", 1, most_faults).error();
    if (auto error = links_error(setup.links, facts.links)) return error;
    if (facts.replaces_messages && setup.lossy())
        return "--links lossy: timers of " + name +
               " wait until messages have arrived, and on lossy links they stay; write --lose N instead";
    if (setup.trust == Trust::anchor && !setup.anchor.site)
        return "--trust anchor: write --anchor SITE with it";
    if (setup.cancel && !facts.cancels) return "--cancel: " + name + " has no cancel";
    if (setup.leaves > 0 && !facts.leaves) return "--leaves: a site of " + name + " cannot leave";
    if (setup.crashes > 0 && !some_mortal(instance))
        return "--crashes " + std::to_string(setup.crashes) + ": no site of " + name +
               " may crash; leave the flag out";
    if (auto error = disk_error(facts, setup)) return error;
    if (auto error = views_error(facts, setup)) return error;
    if (setup.skew > 0 && !facts.ticks) return "--skew: " + name + " has no clock that ticks";
    if (setup.pauses > 0 && !facts.ticks && !facts.sees_views)
        return "--pauses: a site of " + name + " has neither clock nor lease, so a pause is only a delay";
    if (setup.cuts > 0 && setup.sites > most_sites_cut)
        return "--cuts: at most " + std::to_string(most_sites_cut) +
               " sites can be cut off; write fewer sites";
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
    static const auto list = parameters_of<Setup>();
    return list;
}

Result<Setup> take_setup(Parameters& given, const Instance& instance) {
    if (instance.facts().replaces_messages) given.try_emplace("copies", "1");
    if (instance.facts().asks_forever) given.try_emplace("requests", "any");
    if (auto error = count_error(given)) return Error{std::move(*error)};
    auto setup = take_config<Setup>(given);
    if (!setup) return setup;
    setup->sites = instance.sites();
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
