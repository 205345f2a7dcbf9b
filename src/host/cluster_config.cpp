// The parameters of `cluster`: what may be written, the machines that follow from them, and random ones.
#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "host/cluster.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

using host::Member;

namespace {

constexpr std::uint32_t pauses_differ_by = 3;  // of two hosts that have refused each other

}  // namespace

std::optional<std::string> Cluster::config_error(const Config& config) {
    const auto error = [](const char* flag, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
        return "--" + std::string(flag) + " " + std::to_string(value) + ": write a number from " +
               std::to_string(least) + " to " + std::to_string(most);
    };
    if (config.voters < 1 || config.voters > config.sites)
        return error("voters", config.voters, 1, config.sites);
    if (config.successions > 0 && (config.engine != host::Engine::hosts || !config.first_start))
        return "--successions " + std::to_string(config.successions) +
               ": hosts learn each other's disks when the register is formed; add --engine hosts "
               "--first-start";
    if (config.programs < 1 || config.programs > most_programs)
        return error("programs", config.programs, 1, most_programs);
    if (config.latecomers >= config.sites) return error("latecomers", config.latecomers, 0, config.sites - 1);
    if (config.lives < 2) return error("lives", config.lives, 2, 1u << 16);
    if (config.seats < 1) return "--seats 0: nobody would be served; write 1 or more";
    if (config.lease < config.grace + 2)
        return "--lease " + std::to_string(config.lease) + ": with --grace " + std::to_string(config.grace) +
               " write " + std::to_string(config.grace + 2) + " or more";
    for (const auto& [name, ticks] :
         {std::pair("lease", config.lease), std::pair("tolerance", config.tolerance)})
        if (ticks > agreement::most_ticks) return error(name, ticks, 0, agreement::most_ticks);
    // The clock of a member that is up may stand still for so many ticks of another.
    const std::uint32_t standstill = 2 * config.tolerance + 1;
    if (config.silence > 0 && config.silence <= standstill)
        return "--silence " + std::to_string(config.silence) + ": with --tolerance " +
               std::to_string(config.tolerance) + " write 0, or " + std::to_string(standstill + 1) +
               " or more";
    if (config.resources == 0 && config.permits == 0)
        return "--resources 0: with --permits 0 there is nothing to ask for; write 1 or more";
    if (config.resources == 0) return std::nullopt;
    return multilock::resources_error(config.resources, config.max_request);
}

host::Config Cluster::host_config(const Config& config) {
    host::Config all;
    const host::Rules& rules = config.hosts;
    all.locks = {.seats = config.seats,
                 .loans = config.loans,
                 .line = {.most_overtakes = rules.bound_overtakes ? config.overtakes : ~0u,
                          .give_way = rules.give_way,
                          .look_again = rules.look_again,
                          .forget_names = rules.forget_names,
                          .owed_first = rules.owed_first},
                 .repairs = config.locks,
                 .keep_ends = rules.keep_ends};
    all.semaphores = {config.semaphores, rules.keep_ends};
    all.settings = settings_of(config, 0);
    all.hosts = config.sites;
    all.lease = config.lease;
    all.grace = config.grace;
    all.hold_off = config.lease + 2 * config.tolerance;
    all.renew_every = std::max(1u, (config.lease - config.grace) / 3);
    all.silence = config.silence;
    if (config.silence > 0) all.alive_every = std::max(1u, (config.silence - 2 * config.tolerance) / 2);
    all.return_within = config.return_within;
    all.lives = config.lives;
    all.most_weight = config.most_weight;
    all.views = config.views;
    all.adoption = config.adoption;
    all.rules = config.hosts;
    return all;
}

// The permits after so many orders of an operator. With none, the semaphore is removed.
agreement::Settings Cluster::settings_of(const Config& config, std::uint32_t resizes) {
    agreement::Settings settings;
    const std::uint32_t permits = (config.permits + resizes) % (config.permits + 2);
    if (config.permits > 0 && permits > 0) settings.semaphores[semaphore_name] = {permits, permits};
    return settings;
}

Member::Config Cluster::member_config(const Config& config) {
    Member::Config all{.sessions = {}, .host = host_config(config), .council = std::nullopt};
    if (config.fenced || config.sticky)
        all.sessions.modes = {{.names = {"*"}, .fence = config.fenced, .sticky = config.sticky}};
    if (config.engine == host::Engine::atomic) return all;
    agreement::CouncilConfig& council = all.council.emplace();
    council.hosts = config.sites;
    for (SiteId voter = 0; voter < config.voters; ++voter) council.voters.push_back(voter);
    council.formed = !config.first_start;
    council.spread = pauses_differ_by;
    council.voting = config.voting;
    council.sealing = config.sealing;
    council.succession = config.succession;
    council.forming = config.forming;
    council.try_again = config.hosts.try_again;
    council.succeeds = config.successions > 0;
    return all;
}

// Every set of locks, each of them with a unit of the semaphore as well, and the unit alone.
std::vector<Demand> Cluster::demands(const Context& ctx) {
    std::vector<Demand> all;
    if (is_register(ctx)) return all;
    if (ctx.config.resources > 0) all = multilock::demands(multilock::resources_of(ctx.config), ctx.self);
    if (ctx.config.permits == 0) return all;
    const std::size_t sets = all.size();
    for (std::size_t i = 0; i < sets; ++i) {
        Demand with_unit = all[i];
        with_unit.resources.emplace_back(semaphore_name);
        all.push_back(std::move(with_unit));
    }
    all.push_back({1, {semaphore_name}});
    return all;
}

Want Cluster::want_of(const Demand& demand) {
    Want want;
    for (const ResourceId resource : demand.resources) {
        if (resource == ResourceId(semaphore_name))
            want.permits[resource] = demand.units;
        else
            want.locks.push_back(resource);
    }
    return want;
}

// A program beside the application asks for one lock; if there are none, for a unit of the semaphore.
Want Cluster::own_want(const Context& ctx, std::size_t program) const {
    Demand demand;
    if (ctx.config.resources > 0)
        demand.resources.emplace_back("r" + std::to_string((program - 1) % ctx.config.resources));
    else
        demand.resources.emplace_back(semaphore_name);
    return want_of(demand);
}

void Cluster::sample(Draw& draw) {
    // Runs of many hosts are long, so most runs have few.
    std::uint32_t most = 2;
    for (const std::uint32_t more : {3u, 4u, 7u}) {
        if (!draw.coin()) break;
        most = more;
    }
    const auto sites = draw.number("sites", 2, most);
    // An operation of the hosts' own register takes several ticks, more among many hosts; and a lease takes
    // several operations.
    std::uint32_t longer = 0;
    std::uint32_t voters = 0;
    if (draw.choice("engine", {"atomic", "hosts"}) == "hosts") {
        longer = 2 + sites / 2;
        voters = draw.number("voters", 1, std::min(sites, 5u));
        draw.choice("writes", {"instant", "late"});
        if (draw.toggle("first-start")) draw.faults("successions", 2);
        draw.faults("full-disks", 2);
    }
    draw.faults("latecomers", sites - 1);
    const auto resources = draw.number("resources", 1, 3);
    draw.number("max-request", 0, resources);
    if (draw.number("permits", 0, 2) > 0) draw.faults("resizes", 3);
    draw.number("programs", 1, most_programs);
    draw.number("program-requests", 1, 4);
    draw.number("seats", 1, 4);
    draw.number("overtakes", 1, 4);
    draw.number("loans", 1, 2);
    draw.choice("most-weight", {"40", "100000"});
    const auto grace = draw.number("grace", 0, 1);
    draw.number("lease", grace + 2 + longer, grace + 5 + longer);
    const auto skew = draw.number("skew", 0, 1);
    const auto tolerance = draw.number("tolerance", skew, 1);
    draw.number("silence", 2 * tolerance + 2 + longer, 2 * tolerance + 4 + longer);
    draw.faults("whims", 2);
    draw.faults("daemon-deaths", 2);
    draw.faults("stops", 2);
    draw.number("return-within", 0, 2 * tolerance + 6);
    draw.choice("lives", {"2", "256"});
    draw.toggle("kernel");
    const auto crashes = draw.faults("crashes", 4);
    // A machine that dies for good keeps what is sticky, and nobody else is served.
    if (crashes == 0) draw.choice("sticky", {"off", "off", "on"});
    draw.faults("restarts", crashes);
    const auto lost = longer > 0 ? draw.faults("lost-disks", crashes) : 0;
    draw.faults("cuts", 4);
    // A longer pause may outlast the hold-off.
    if (skew < tolerance && draw.faults("pauses", 2) > 0) draw.number("pause-ticks", 1, 2);
    draw.toggle("cancel");
    draw.choice("backlog", {"3", "6"});
    draw.requests(6);
    // The limits of Recall: a host that lost its disk may have been the one who knew, and a lone voter tells
    // nobody.
    if (crashes > 0 && lost == 0 && voters > 1) draw.faults("restored-disks", 1);
}

}  // namespace allot
