// The invariants of Epochs<P> (specs: views, section 5), by their numbers. 3 is the monitor FencesGrow, 6
// holds by the handler of frames, 9 is judged of every protocol as `deadlock` and `starvation`.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "core/model.hpp"
#include "protocols/agreement/epochs.hpp"
#include "protocols/multilock/resources.hpp"

namespace allot {

namespace agreement {

inline constexpr PropertyName epochs_properties[]{
    {"one-holder", "no resource is used by two programs"},
    {"one-token", "no epoch has two tokens of one resource"},
    {"one-epoch", "the properties of the inner protocol hold in an epoch that all its members work in"},
    {"fences-grow", "every grant of a resource has a higher fence than the one before"},
    {"frozen-before-next", "a host has seen the view of its epoch, and a newer one if it is frozen"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    {"one-claim", "no two reports for one view claim one resource"},
};

}  // namespace agreement

// `Named` derives from Epochs<P>.
template <class P, class Named>
struct EpochsProperties {
    using E = Epochs<P>;
    using Inner = typename P::Message;

    const View<Named>& view;
    Report& report;

    // For protocols with named resources.
    void check() const {
        multilock::check_one_holder(view, report);  // 1
        check_hosts();
        check_claims();
        check_tokens();
        check_epochs();
    }

    // For all protocols.
    void check_hosts() const {
        for (SiteId id = 0; id < sites(); ++id) check_host(id);
    }

    const E& site(SiteId id) const { return view.site(id).protocol; }
    const P& inner(SiteId id) const { return site(id).site_; }
    std::optional<std::uint32_t> epoch(SiteId id) const { return site(id).views_.epoch(); }
    bool works(SiteId id) const { return site(id).works(); }
    // Whether the epoch of site `id` has this incarnation of a host as a member.
    bool counts(SiteId id, SiteId host) const {
        return std::ranges::find(site(id).views_.members(), Peer{host, view.site(host).incarnation}) !=
               site(id).views_.members().end();
    }
    SiteId sites() const { return static_cast<SiteId>(view.sites.size()); }

    void check_host(SiteId id) const {  // 4, 5
        const Site& host = view.site(id);
        const E& here = site(id);
        const auto& views = here.views_;
        if (!host.up() || views.is_fresh()) return;
        const std::string name = "site " + std::to_string(id);
        if (*views.epoch() > views.newest().number)
            report.violated("frozen-before-next", name + " works in a view that it has not seen");
        if (views.is_frozen() && *views.epoch() == views.newest().number)
            report.violated("frozen-before-next", name + " is frozen and has seen no newer view");
        if (host.membership.lapsed && host.holding())
            report.violated("lease-holds", "a program of " + name + " runs without a lease");
    }

    using Claims = std::map<std::pair<std::uint32_t, ResourceId>, SiteId>;

    void claim(Claims& claims, SiteId host, const typename E::HostReport& one) const {
        for (const agreement::Holding& holding : one.part.holdings) {
            if (holding.phase != Phase::holding) continue;
            for (ResourceId resource : holding.demand.resources) {
                const auto [place, first] = claims.try_emplace({one.view, resource}, host);
                if (!first && place->second != host)
                    report.violated("one-claim", "sites " + std::to_string(place->second) + " and " +
                                                     std::to_string(host) + " report that they use " +
                                                     resource.name());
            }
        }
    }

    void check_claims() const {  // 7
        Claims claims;
        for_each_report([&](SiteId host, const typename E::HostReport& one) { claim(claims, host, one); });
    }

    template <class F>
    void for_each_report(F&& f) const {
        for (SiteId id = 0; id < sites(); ++id)
            for (const auto& [host, one] : site(id).views_.reports()) f(host, one);
        for (const auto* envelope : view.flight)
            if (const auto* one = std::get_if<typename E::HostReport>(&envelope->message))
                f(envelope->from, *one);
    }

    void check_tokens() const {  // 2, while only some members work in an epoch
        std::set<std::pair<std::uint32_t, ResourceId>> tokens;
        const auto add = [&](std::uint32_t epoch, ResourceId resource) {
            if (!tokens.emplace(epoch, resource).second)
                report.violated("one-token",
                                "epoch " + std::to_string(epoch) + " has two tokens of " + resource.name());
        };
        for (SiteId id = 0; id < sites(); ++id)
            if (site(id).works()) inner(id).for_each_token([&](ResourceId one) { add(*epoch(id), one); });
        for_each_frame([&](const typename E::Frame& frame) {
            P::for_each_token(frame.message, [&](ResourceId resource) { add(frame.epoch, resource); });
        });
    }

    // Those in flight, and those that a host keeps until it begins their epoch.
    template <class F>
    void for_each_frame(F&& f) const {
        for (SiteId id = 0; id < sites(); ++id)
            for (const auto& [from, frame] : site(id).views_.early_frames()) f(frame);
        for (const auto* envelope : view.flight)
            if (const auto* frame = std::get_if<typename E::Frame>(&envelope->message)) f(*frame);
    }

    // Whether all members of the epoch of this site work in it.
    bool is_whole(const E& one) const {
        return one.works() && std::ranges::all_of(one.views_.members(), [&](const Peer& member) {
                   const Site& host = view.site(member.site);
                   const E& other = site(member.site);
                   return host.up() && host.incarnation == member.incarnation && other.works() &&
                          other.views_.epoch() == one.views_.epoch();
               });
    }

    void check_epochs() const {  // 2 and 8, while all do
        for (SiteId id = 0; id < sites(); ++id)
            if (view.site(id).up() && site(id).views_.place_of(id) == SiteId(0) && is_whole(site(id)))
                check_epoch(site(id));
    }

    void check_epoch(const E& one) const {
        std::vector<SiteOf<P>> members;
        std::vector<EnvelopeOf<Inner>> flight;
        for (const Peer& member : one.views_.members()) {
            SiteOf<P>& inner = members.emplace_back();
            static_cast<Site&>(inner) = view.site(member.site);
            inner.protocol = site(member.site).site_;
        }
        for (const auto* outer : view.flight) {
            const auto* frame = std::get_if<typename E::Frame>(&outer->message);
            const auto sender = one.views_.place_of(outer->from);
            const auto receiver = one.views_.place_of(outer->to);
            if (frame == nullptr || frame->epoch != one.views_.epoch() || !sender || !receiver) continue;
            EnvelopeOf<Inner>& envelope = flight.emplace_back();
            envelope.from = *sender;
            envelope.to = *receiver;
            envelope.message = frame->message;
        }
        judge(*one.views_.epoch(), one.views_.members(), members, flight);
    }

    void judge(std::uint32_t number, const std::vector<Peer>& peers, const std::vector<SiteOf<P>>& members,
               const std::vector<EnvelopeOf<Inner>>& flight) const {
        const auto config = agreement::config_among<P>(view.config, peers, number);
        std::vector<const SiteOf<P>*> sites_of_p;
        std::vector<const EnvelopeOf<Inner>*> messages;
        for (const auto& one : members) sites_of_p.push_back(&one);
        for (const auto& one : flight) messages.push_back(&one);
        Report inner;
        P::on_state({config, sites_of_p, messages}, inner);
        if (!inner.clean()) report.violated("one-epoch", inner.property() + ": " + inner.detail());
    }
};

}  // namespace allot
