// The properties of `cluster`, and its entry in the registry.
#include <algorithm>
#include <map>
#include <set>

#include "core/model.hpp"
#include "core/stamps.hpp"
#include "host/cluster.hpp"
#include "protocols/agreement/register_properties.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

using host::Host;
using host::Program;

namespace {

constexpr PropertyName properties[]{
    {"one-user", "no lock is used by two programs"},
    {"at-most-k",
     "all programs that run use no more than k units of the semaphore, k when the last of them began"},
    {"fences-grow", "every grant of a resource has a higher fence than the one before"},
    {"kept-first", "a program uses what is sticky only while the register keeps it, for nobody else"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    {"one-token", "no epoch has two tokens of one lock"},
    {"claims-agree", "no two hosts report that their programs use one lock"},
    {"never-objected", "no host objects to a message of another one"},
    {"request-kept", "the daemon of a program that waits or runs knows its request"},
    {"kept-in-use", "a host keeps requests of programs that wait or run, and names that these want: no more"},
    {"overtaken-seldom", "no request for locks is overtaken on its host more often than it may be"},
    {"free-at-once",
     "at rest no program waits for a single lock that is free, unless a set that was overtaken often or has "
     "lent others keeps it, or a program of its host has waited for it since an earlier epoch"},
    {"owner-served", "no program waits for what another program of its owner has left behind on its host"},
    agreement::one_value,
    agreement::one_chain,
    agreement::promise_kept,
};

}  // namespace

// Those of the host, and of its part in the register.
constexpr auto probes = [] {
    std::array<std::string_view, std::size(host::probes) + 1> all{};
    std::ranges::copy(host::probes, all.begin());
    all.back() = agreement::probe::rolled_back;
    return all;
}();

struct ClusterProperties {
    const View<Cluster>& view;
    Report& report;

    SiteId hosts() const { return view.config.sites; }
    const Cluster& machine(SiteId id) const { return view.site(id).protocol; }
    bool up(SiteId id) const { return view.site(id).up(); }
    bool works(SiteId id) const {
        return up(id) && machine(id).alive_ && machine(id).daemon().views().works();
    }

    void check() const {
        if (!view.config.fenced) check_users();
        if (!view.config.fenced && !view.config.sticky) check_leases();
        if (view.config.sticky && view.config.engine == host::Engine::atomic) check_register();
        check_tokens();
        check_claims();
        check_requests();
        check_lines();
        check_rest();
        if (view.config.engine == host::Engine::hosts) agreement::check_values(view, report);
    }

    void check_claims() const {
        for (SiteId id = 0; id < hosts(); ++id)
            for (const auto& [host, misdeed] : machine(id).daemon().erring())
                misdeed == host::Misdeed::claim
                    ? report.violated("claims-agree", "host " + std::to_string(host.site) +
                                                          " reported a lock that another host uses")
                    : report.violated("never-objected", "host " + std::to_string(id) +
                                                            " objects to a message of host " +
                                                            std::to_string(host.site));
    }

    template <class F>
    void for_each_running(F&& f) const {
        for (SiteId id = 0; id < hosts(); ++id)
            for (const Program& program : machine(id).programs_)
                if (up(id) && program.phase == Phase::holding) f(id, program);
    }

    // Locks that a request has taken, though it may still wait for another kind.
    std::set<ResourceId> taken() const {
        std::set<ResourceId> all;
        for (SiteId id = 0; id < hosts(); ++id)
            for (const auto& request : machine(id).daemon().requests())
                if (request && request->taken > 0)
                    all.insert(request->want.locks.begin(), request->want.locks.end());
        return all;
    }

    void check_users() const {
        std::map<ResourceId, SiteId> users;
        for_each_running([&](SiteId host, const Program& program) {
            for (const ResourceId lock : program.want.locks) {
                const auto [place, first] = users.emplace(lock, host);
                if (!first)
                    report.violated("one-user", "programs of hosts " + std::to_string(place->second) +
                                                    " and " + std::to_string(host) + " use " + lock.name());
            }
        });
        check_units();
    }

    // Permits may have become fewer since a program got its own. But all that run when the last one of an
    // epoch was granted its own had to fit into the permits of that epoch.
    void check_units() const {
        std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> epochs;  // units, and permits
        for_each_running([&](SiteId, const Program& program) {
            const host::Granted grant = program.grant.value_or(host::Granted{0, 0});
            auto& [units, permits] = epochs[grant.epoch];
            for (const auto& [semaphore, used] : program.want.permits) units += used;
            permits = view.config.resizes > 0 ? std::max(permits, grant.permits) : view.config.permits;
        });
        std::uint32_t all = 0;
        for (const auto& [epoch, used] : epochs) {
            all += used.first;
            if (used.first > 0 && all > used.second)
                report.violated("at-most-k",
                                std::to_string(all) + " units are in use of " + std::to_string(used.second));
        }
    }

    void check_leases() const {
        for_each_running([&](SiteId id, const Program&) {
            const Cluster& here = machine(id);
            if (here.daemon().has_lease() || here.guardian_.left() > 0) return;
            report.violated("lease-holds",
                            "a program runs at host " + std::to_string(id) + " without a lease");
        });
    }

    void check_register() const {
        const std::vector<agreement::Kept>& kept = machine(hosts()).value_.kept;
        for_each_running([&](SiteId id, const Program& program) {
            const bool is_kept = std::ranges::any_of(kept, [&](const agreement::Kept& one) {
                return one.ownership.id.host == id && one.want == program.want;
            });
            if (!is_kept)
                report.violated("kept-first", "the register does not keep what a program of host " +
                                                  std::to_string(id) + " uses");
        });
        std::set<ResourceId> locks;
        std::uint32_t units = 0;
        for (const agreement::Kept& one : kept) {
            for (const auto& [semaphore, used] : one.want.permits) units += used;
            for (const ResourceId lock : one.want.locks)
                if (!locks.insert(lock).second)
                    report.violated("kept-first", "the register keeps " + lock.name() + " twice");
        }
        if (units > view.config.permits + (view.config.resizes > 0 ? 1 : 0))
            report.violated("kept-first", "the register keeps " + std::to_string(units) + " units of " +
                                              std::to_string(view.config.permits));
    }

    void check_tokens() const {
        std::map<std::pair<std::uint32_t, ResourceId>, int> tokens;
        const auto add = [&](std::uint32_t epoch, ResourceId lock) {
            if (++tokens[{epoch, lock}] == 2)
                report.violated("one-token",
                                "epoch " + std::to_string(epoch) + " has two tokens of " + lock.name());
        };
        const auto add_all = [&](const host::Frame& frame) {
            if (const auto* message = std::get_if<host::Locks::Message>(&frame.message))
                Counters::for_each_token(message->message, [&](ResourceId lock) { add(frame.epoch, lock); });
        };
        for (SiteId id = 0; id < hosts(); ++id) {
            if (!works(id)) continue;
            const host::Host& here = machine(id).daemon();
            here.locks().for_each_token([&](ResourceId lock) { add(*here.views().epoch(), lock); });
            for (const auto& [from, frame] : here.views().early_frames()) add_all(frame);
        }
        for (const auto* envelope : view.flight)
            if (const auto* frame = std::get_if<host::Frame>(&envelope->message)) add_all(*frame);
    }

    void check_requests() const {
        for (SiteId id = 0; id < hosts(); ++id) {
            const Cluster& here = machine(id);
            if (!up(id) || !here.alive_ || here.leaving_) continue;
            std::size_t open = 0;
            for (std::size_t program = 0; program < here.programs_.size(); ++program) {
                if (here.programs_[program].phase == Phase::idle) continue;
                ++open;
                if (!here.daemon().find(Cluster::key_of(program)))
                    report.violated("request-kept", "the daemon of host " + std::to_string(id) +
                                                        " knows nothing of program " +
                                                        std::to_string(program));
            }
            check_kept(id, open);
            check_owners(id);
        }
    }

    void check_owners(SiteId id) const {
        const auto& requests = machine(id).daemon().requests();
        for (const auto& held : requests) {
            if (!held || !held->is_left_behind_at(id)) continue;
            const bool is_wanted = std::ranges::any_of(requests, [&](const auto& one) {
                return one && one->ownership && !one->complete() && one->want == held->want &&
                       one->ownership->owner == held->ownership->owner;
            });
            if (is_wanted)
                report.violated("owner-served",
                                "host " + std::to_string(id) +
                                    " holds for its owner what a program of the owner waits for");
        }
    }

    // Sticky requests without a program, which the register keeps or is to forget, as far as the host knows.
    static std::size_t held_for_owners(const host::Host& here) {
        const auto is_kept = [&](const host::Request& request) {
            return !here.views().has_seen() ||
                   std::ranges::any_of(here.known().kept, [&](const agreement::Kept& one) {
                       return one.ownership.id == request.ownership->id;
                   });
        };
        return static_cast<std::size_t>(std::ranges::count_if(here.requests(), [&](const auto& one) {
            return one && one->is_of_host() && (one->returned || is_kept(*one));
        }));
    }

    void check_kept(SiteId id, std::size_t open) const {
        const host::Host& here = machine(id).daemon();
        open += held_for_owners(here);
        const auto kept = std::ranges::count_if(here.requests(), [](const auto& one) { return !!one; });
        if (static_cast<std::size_t>(kept) > open)
            report.violated("kept-in-use", "host " + std::to_string(id) + " keeps " + std::to_string(kept) +
                                               " requests of " + std::to_string(open) + " programs");
        const host::Line& line = here.locks().line();
        std::vector<ResourceId> wanted;
        std::size_t waiting = 0;
        line.for_each([&](const host::Line::Entry& entry) {
            ++waiting;
            wanted.insert(wanted.end(), entry.demand.resources.begin(), entry.demand.resources.end());
        });
        std::ranges::sort(wanted);
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        if (waiting > open || line.names() > wanted.size())
            report.violated("kept-in-use", "the line of host " + std::to_string(id) + " keeps " +
                                               std::to_string(waiting) + " requests and " +
                                               std::to_string(line.names()) + " names");
    }

    void check_lines() const {
        for (SiteId id = 0; id < hosts(); ++id)
            machine(id).daemon().locks().line().for_each([&](const host::Line::Entry& entry) {
                if (entry.overtaken > view.config.overtakes)
                    report.violated("overtaken-seldom", "a request of host " + std::to_string(id) +
                                                            " was overtaken " +
                                                            std::to_string(entry.overtaken) + " times");
            });
    }

    // Nothing is under way between hosts that work in one epoch and have their leases.
    bool at_rest() const {
        for (const auto* envelope : view.flight)
            if (std::holds_alternative<host::Frame>(envelope->message) ||
                std::holds_alternative<host::HostReport>(envelope->message))
                return false;
        for (SiteId id = 0; id < hosts(); ++id) {
            const host::Host& here = machine(id).daemon();
            if (!works(id) || here.lease_left() <= view.config.grace ||
                here.views().epoch() != machine(0).daemon().views().epoch() ||
                here.views().members().size() != hosts())
                return false;
        }
        return true;
    }

    void check_rest() const {
        if (!at_rest()) return;
        const auto used = taken();
        for (SiteId id = 0; id < hosts(); ++id) {
            const host::Host& here = machine(id).daemon();
            for (host::RequestId number = 0; number < here.requests().size(); ++number) {
                const auto& request = here.requests()[number];
                if (!request || request->taken > 0 || request->want.locks.size() != 1) continue;
                if (here.locks().is_carried(number)) continue;
                const ResourceId lock = request->want.locks.front();
                if (used.contains(lock) || is_kept(lock) || is_owed(here, lock)) continue;
                report.violated("free-at-once", "a program of host " + std::to_string(id) + " waits for " +
                                                    lock.name() + ", which is free");
            }
        }
    }

    bool is_kept(ResourceId lock) const {
        for (SiteId id = 0; id < hosts(); ++id)
            if (machine(id).daemon().locks().is_kept_by_lender(lock)) return true;
        return false;
    }

    // Whether a request waits for the lock on this host that was overtaken as often as it may be, or that has
    // waited since an earlier epoch; or whether all seats are taken.
    bool is_owed(const host::Host& here, ResourceId lock) const {
        bool owed = false;
        std::uint32_t seated = 0;
        here.locks().line().for_each([&](const host::Line::Entry& entry) {
            const bool wants =
                std::ranges::find(entry.demand.resources, lock) != entry.demand.resources.end();
            seated += entry.stage != host::Line::Entry::Stage::waits;
            owed |= wants && (entry.overtaken >= view.config.overtakes ||
                              here.locks().is_carried(static_cast<host::RequestId>(entry.claim)));
        });
        return owed || seated >= view.config.seats;
    }
};

void Cluster::on_state(const View<Cluster>& view, Report& report) {
    ClusterProperties{view, report}.check();
}

constinit const Model<Cluster, FencesGrow> Cluster::model{
    .name = "cluster",
    .problem = "host",
    .summary = "whole hosts: programs, locks and permits, views, leases, the register",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sites =
        [](const Config& config) { return config.sites + (config.engine == host::Engine::atomic ? 1 : 0); },
    .sample = &sample,
    .requests = {.asks = &may_ask,
                 .demands = &demands,
                 .resources = [](const Config& config) { return config.resources; }},
    .timers = {.fair =
                   [](Timer timer) {
                       return timer == Timer::second || timer == Timer::third || timer == Timer::rise ||
                              timer == Timer::room || timer == Timer::free;
                   }},
    .faults = {.mortal = &is_mortal},
    .durability = {.after_crash = &Cluster::after_crash},
};

}  // namespace allot
