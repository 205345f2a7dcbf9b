// The changes that a host proposes to the register: who comes, who goes, and why.
#include <algorithm>

#include "host/host.hpp"

namespace allot::host {

using agreement::Standing;

namespace {

// A member that skips a view must not wait for those that were certified in it.
void keep_certified(const std::vector<Peer>& certified, agreement::Change& change) {
    for (const Peer& one : certified)
        if (std::ranges::find(change.members, one) == change.members.end()) change.certified.push_back(one);
    std::ranges::sort(change.certified);
    change.certified.erase(std::unique(change.certified.begin(), change.certified.end()),
                           change.certified.end());
}

}  // namespace

void Host::call_register(const Self& self, Effects& fx) {
    asked_ = 0;
    renewed_ = 0;
    fx.call = Call{wanted_change(self)};
    if (!fx.call->change) {
        fx.call->change = renewal(self);
        if (fx.call->change) fx.reached("forgotten-names");
    }
    if (!fx.call->change) return;
    fx.call->change->kept = wanted_kept(self);
    fx.call->change->of = {known_.id, known_.version};
    const bool removes = fx.call->change->members.size() < known_.members.size();
    if (removes && !fx.call->change->same_view) fx.reached("removed-peer");
}

// The value that this host would like to have; nothing if it likes the newest.
std::optional<agreement::Change> Host::wanted_change(const Self& self) const {
    std::optional<agreement::Change> change;
    const bool goes = leaving_ || !settings().lets_serve(self.host);
    if (!is_member(self, known_))
        change = entry(self);
    else if (goes)
        change = exit(self);
    const bool removes = is_member(self, known_) && (!goes || self.config.rules.remove_until_gone);
    if (!change && removes) change = removal(self);
    if (!change) change = resettling(self);
    // All members of a view that is complete have seen it, and who was certified in it.
    if (change && self.config.rules.carry_certified && !works_in_newest())
        keep_certified(known_.certified, *change);
    if (change) change->quiet = !self.config.rules.prove_quiet || stays_quiet(*change);
    if (!change && wants_to_keep(self)) change = {.same_view = true};
    return change;
}

// Replaces the incarnation before this one, if that is still a member. A host that cannot exchange reports
// with all members would hold up every view.
std::optional<agreement::Change> Host::entry(const Self& self) const {
    // Programs of this host go on under its next daemon, though it serves no new ones.
    const bool was_member = std::ranges::find(known_.members, self.host, &Peer::site) != known_.members.end();
    const bool may_enter = settings().lets_serve(self.host) || (was_member && settings().admits(self.host));
    if (leaving_ || !may_enter) return std::nullopt;
    if (self.config.rules.enter_with_links && hearing_.would_quarrel(here(self))) return std::nullopt;
    agreement::Change change{.members = known_.members};
    for (const Peer& member : known_.members)
        if (member.site == self.host && knows_programs_) change.certified.push_back(member);
    std::erase_if(change.members, [&](const Peer& one) { return one.site == self.host; });
    change.members.push_back(myself(self));
    std::ranges::sort(change.members);
    if (!known_.settings) change.settings = settings_;
    return change;
}

// Only from an epoch that has begun: nobody waits for the report of this host, or for programs that it knows
// of.
std::optional<agreement::Change> Host::exit(const Self& self) const {
    const bool runs_none = ids_.empty() || ids_.begin()->first.session == host_session;
    const bool owes_none = disowned_.empty() && std::ranges::none_of(sticky_, [&](RequestId id) {
                               return requests_[id]->returned;
                           });
    const bool drained = (runs_none && owes_none) || !self.config.rules.drain_first;
    if (!works_in_newest() || !drained || stays_) return std::nullopt;
    agreement::Change change{.members = known_.members, .certified = {myself(self)}};
    std::erase(change.members, myself(self));
    let_out(change);
    return change;
}

// Hosts that shall leave are out when they are no members, also if they are lost before.
bool Host::let_out(agreement::Change& change) const {
    agreement::Settings next = settings();
    for (SiteId host = 0; host < next.hosts.size(); ++host) {
        const bool is_member = std::ranges::find(change.members, host, &Peer::site) != change.members.end();
        if (next.hosts[host].standing == Standing::leaving && !is_member)
            next.hosts[host].standing = Standing::out;
    }
    if (next == settings()) return false;
    change.settings = std::move(next);
    return true;
}

std::optional<agreement::Change> Host::removal(const Self& self) const {
    if (!has_lease()) return std::nullopt;
    agreement::Change change = without(
        self, settings(), [&](SiteId host) { return is_lost(self, host) || unwanted_.contains(host); });
    const bool lets_out = let_out(change);
    if (change.members == known_.members && !lets_out) return std::nullopt;
    return change;
}

// The members that these settings admit and that are not lost.
template <class Lost>
agreement::Change Host::without(const Self& self, const agreement::Settings& settings, Lost lost) const {
    agreement::Change change{.members = known_.members};
    std::erase_if(change.members, [&](const Peer& one) {
        const bool certified = certified_.contains(one);
        const bool removed =
            one.site != self.host && (certified || !settings.admits(one.site) || lost(one.site));
        if (removed && (certified || !self.config.rules.certify_own)) change.certified.push_back(one);
        return removed;
    });
    return change;
}

void Host::propose(const Self& self, agreement::Settings settings, Effects& fx) {
    if (settings == this->settings()) return;
    proposed_ = std::move(settings);
    if (!asked_ && wanted_change(self)) call_register(self, fx);
}

// Other settings, and the members that they admit.
std::optional<agreement::Change> Host::resettling(const Self& self) const {
    if (!proposed_ || !is_member(self, known_) || !has_lease() || leaving_) return std::nullopt;
    agreement::Change change = without(self, *proposed_, [](SiteId) { return false; });
    change.settings = proposed_;
    return change;
}

std::string Host::closed(SiteId host) const {
    if (settings().lets_serve(host)) return "";
    const bool stays = host < settings().hosts.size() && settings().hosts[host].standing == Standing::drained;
    return stays ? "an operator drains this host; ask at another one"
                 : "this host leaves the cluster; ask at another one";
}

// The same members, whose next epoch forgets names that nobody uses, numbers its fences from the beginning,
// and has all tokens. To weigh takes time, so only calls that are due anyway ask for it.
std::optional<agreement::Change> Host::renewal(const Self& self) const {
    const bool may_propose = is_member(self, known_) && has_lease() && !leaving_;
    if (!may_propose) return std::nullopt;
    // A host that is not heard is soon no member, which ends the epoch as well; until then it would hold up
    // the next one.
    const bool all_report =
        std::ranges::all_of(known_.members, [&](const Peer& member) { return hears(self, member.site); });
    const bool is_urgent = numbers_run_out_ || (frame_lost_in_ == known_.view && all_report);
    const std::size_t used = self.config.weight_of_used * locks_.line().names();
    if (!is_urgent && weight() <= std::max(self.config.most_weight, 2 * kept_weight_) + used)
        return std::nullopt;
    agreement::Change change{.members = known_.members};
    change.quiet = !self.config.rules.prove_quiet || stays_quiet(change);
    return change;
}

bool Host::works_in_newest() const {
    return views_.works() && views_.epoch() == known_.view;
}

// A host that works in an epoch knows that nobody runs but under its members. Programs of members go on under
// a member, or their host is certified.
bool Host::stays_quiet(const agreement::Change& change) const {
    if (!known_.quiet && !works_in_newest()) return false;
    return std::ranges::all_of(known_.members, [&](const Peer& one) {
        return std::ranges::find(change.members, one) != change.members.end() ||
               std::ranges::find(change.certified, one) != change.certified.end();
    });
}

bool Host::is_lost(const Self& self, SiteId member) const {
    if (self.config.silence == 0) return false;
    const Hearing::Here now = here(self);
    return hearing_.is_dead(now, member) ||
           (self.config.rules.end_quarrels && hearing_.loses_quarrel(now, member)) || holds_up(self, member);
}

// A member may see the view later than this host does, and hold off for one that this host never knew.
Ticks Host::report_patience(const Self& self) {
    return self.config.renew_every + self.config.hold_off + self.config.silence;
}

// The report of this member alone has been missing for long.
bool Host::holds_up(const Self& self, SiteId member) const {
    const bool is_long = views_.sent(self.host) != nullptr && awaited_ == report_patience(self);
    return is_long && self.config.rules.report_in_time && !views_.reports().contains(member) &&
           views_.reports().size() + 1 == views_.newest().members.size();
}

}  // namespace allot::host
