// From a view to an epoch: which views a member has seen, whether it is frozen, whose reports it has, and
// when the next epoch begins (specs: views, sections 2 and 3). This is the part of a host that every kind of
// resource shares; `Part` is what a member reports, `Frame` a message of an epoch with a member `epoch`.
//
// The caller sees a view (see), sends the report once it is due (report_is_due, report), collects the reports
// of others (take), and begins the epoch when the last one has come (is_complete, begin_epoch). Between the
// report and the epoch it is frozen: it grants nothing and handles no message of the old epoch.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/describe.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "protocols/agreement/epoch_rules.hpp"

namespace allot::agreement {

template <class Part, class Frame>
class Views {
public:
    // The report of one member to all members of a view, made once.
    struct HostReport {
        std::uint32_t view = 0;
        bool fresh = false;  // the member has worked in no epoch yet
        Part part;
        bool operator==(const HostReport&) const = default;
        BOOST_DESCRIBE_CLASS(HostReport, (), (view, fresh, part), (), ())
    };

    bool has_seen() const { return !seen_.members.empty(); }
    const AgreedView& newest() const { return seen_; }
    // The epoch in which the member works, or worked before it froze; nothing: it is fresh.
    std::optional<std::uint32_t> epoch() const { return done_; }
    bool is_fresh() const { return !done_; }
    bool is_frozen() const { return frozen_; }
    bool works() const { return done_ && !frozen_; }
    const std::vector<Peer>& members() const { return members_; }  // of the epoch
    std::optional<SiteId> place_of(SiteId host) const;             // in the epoch
    const boost::container::flat_map<SiteId, HostReport>& reports() const { return reports_; }
    const boost::container::flat_set<Peer>& missing() const { return missing_; }
    // The own report to the newest view, if it is out and its epoch has not begun.
    const HostReport* sent(SiteId self) const {
        const auto mine = reports_.find(self);
        return mine == reports_.end() ? nullptr : &mine->second;
    }

    // A newer view; numbers between may be skipped.
    void see(const ViewRules& rules, const AgreedView& view);
    // The members of the first view of all need no reports: nobody has worked before them.
    void found();
    // Nobody runs any more under this member, which was removed; or under anybody who was removed before the
    // first view that this member saw.
    void stopped(Peer removed) { missing_.erase(removed); }
    void quiet() { quiet_ = true; }

    // True until the report to the newest view is out, if no removed member is waited for.
    bool report_is_due() const;
    // The report to the newest view. The member is frozen from now on.
    const HostReport& report(const ViewRules& rules, SiteId self, Part part);
    void take(SiteId from, HostReport report);
    // Whether the newest view needs the report of this host.
    bool is_awaited(SiteId host) const {
        return std::ranges::find(seen_.members, host, &Peer::site) != seen_.members.end();
    }

    bool is_complete(const ViewRules& rules) const;
    // Whether nobody can know who was removed before.
    bool all_fresh() const;
    // Works in the newest view from now on. Returns the parts of its members, in their order.
    std::vector<Part> begin_epoch();
    // The places in the old epoch of the members of the newest view; to be asked before it begins.
    std::vector<std::optional<SiteId>> former_places() const;
    // For protocols that forget the old epoch as soon as they are frozen.
    void forget_members() { members_.clear(); }

    // due: to be handled now. early: to be kept until the epoch begins. over: of an epoch that is void here.
    enum class Fate : std::uint8_t { due, early, over };
    Fate fate(const ViewRules& rules, const Frame& frame) const;
    bool is_void(const HostReport& report) const;
    bool is_void(const Frame& frame) const;
    void keep(SiteId from, Frame frame);
    std::vector<std::pair<SiteId, Frame>> take_early_frames() { return std::exchange(early_frames_, {}); }
    const std::vector<std::pair<SiteId, Frame>>& early_frames() const { return early_frames_; }
    bool is_early(const HostReport& report) const { return !has_seen() || report.view > seen_.number; }

    // Whether the member waits for a peer that was removed; for itself: for those whom it cannot know.
    bool watches(const ViewRules& rules, SiteId self, SiteId peer) const;

    bool operator==(const Views&) const = default;

private:
    void note_missing(const ViewRules& rules, const AgreedView& view);
    void take_early_reports();

    AgreedView seen_;                    // the newest view; no members: none yet
    std::optional<std::uint32_t> done_;  // the epoch
    std::vector<Peer> members_;          // of that epoch
    bool frozen_ = false;                // from the first report after `done` until a completion
    bool sent_ = false;                  // the report for the newest view is out
    boost::container::flat_map<SiteId, HostReport> reports_;  // for the newest view
    boost::container::flat_set<Peer> missing_;  // removed since the epoch; their programs may run
    bool quiet_ = false;                        // nobody runs who was removed before the first view
    boost::container::flat_map<SiteId, HostReport> early_reports_;  // the newest for a view to come
    std::vector<std::pair<SiteId, Frame>> early_frames_;            // of the epoch that others have begun

    BOOST_DESCRIBE_CLASS(Views, (), (), (),
                         (seen_, done_, members_, frozen_, sent_, reports_, missing_, quiet_, early_reports_,
                          early_frames_))
};

template <class Part, class Frame>
std::optional<SiteId> Views<Part, Frame>::place_of(SiteId host) const {
    const auto place = std::ranges::find(members_, host, &Peer::site);
    if (place == members_.end()) return std::nullopt;
    return SiteId(place - members_.begin());
}

// --- A new view.

template <class Part, class Frame>
void Views<Part, Frame>::see(const ViewRules& rules, const AgreedView& view) {
    note_missing(rules, view);
    seen_ = view;
    seen_.certified.clear();
    reports_.clear();
    sent_ = false;
    if (rules.numbered_messages) early_frames_.clear();
    if (!rules.stay_frozen && done_) frozen_ = false;
    take_early_reports();
}

template <class Part, class Frame>
void Views<Part, Frame>::found() {
    done_ = seen_.number;
    members_ = seen_.members;
}

// Members of the epoch, and of every view seen since, that the new view lacks.
template <class Part, class Frame>
void Views<Part, Frame>::note_missing(const ViewRules& rules, const AgreedView& view) {
    if (!rules.remember_missing) missing_.clear();
    for (const Peer& member : seen_.members)
        if (!view.has(member)) missing_.insert(member);
    if (!rules.hold_off) missing_.clear();
    for (const Peer& certified : view.certified) missing_.erase(certified);
}

template <class Part, class Frame>
bool Views<Part, Frame>::report_is_due() const {
    return !sent_ && has_seen() && done_ != seen_.number && missing_.empty();
}

template <class Part, class Frame>
auto Views<Part, Frame>::report(const ViewRules& rules, SiteId self, Part part) -> const HostReport& {
    sent_ = true;
    frozen_ = rules.freeze;
    return reports_[self] = {.view = seen_.number, .fresh = is_fresh(), .part = std::move(part)};
}

// --- Reports, and the next epoch.

template <class Part, class Frame>
void Views<Part, Frame>::take(SiteId from, HostReport report) {
    if (is_early(report))
        early_reports_[from] = std::move(report);
    else if (!is_void(report) && is_awaited(from))
        reports_[from] = std::move(report);
}

template <class Part, class Frame>
void Views<Part, Frame>::take_early_reports() {
    for (auto early = early_reports_.begin(); early != early_reports_.end();) {
        const auto& [host, report] = *early;
        if (report.view == seen_.number && is_awaited(host)) reports_[host] = report;
        early = report.view > seen_.number ? early + 1 : early_reports_.erase(early);
    }
}

template <class Part, class Frame>
bool Views<Part, Frame>::is_complete(const ViewRules& rules) const {
    if (!sent_ || done_ == seen_.number) return false;
    const std::size_t members = seen_.members.size();
    const std::size_t needed = rules.all_reports ? members : members / 2 + 1;
    if (reports_.size() < needed) return false;
    return !all_fresh() || quiet_ || !rules.cold_start;
}

template <class Part, class Frame>
bool Views<Part, Frame>::all_fresh() const {
    return std::ranges::all_of(reports_, [](const auto& one) { return one.second.fresh; });
}

template <class Part, class Frame>
std::vector<Part> Views<Part, Frame>::begin_epoch() {
    std::vector<Part> parts;
    for (const Peer& member : seen_.members) parts.push_back(std::move(reports_[member.site].part));
    done_ = seen_.number;
    members_ = seen_.members;
    frozen_ = false;
    reports_.clear();
    return parts;
}

template <class Part, class Frame>
std::vector<std::optional<SiteId>> Views<Part, Frame>::former_places() const {
    std::vector<std::optional<SiteId>> places;
    for (const Peer& member : seen_.members) places.push_back(place_of(member.site));
    return places;
}

// --- Messages of an epoch.

template <class Part, class Frame>
auto Views<Part, Frame>::fate(const ViewRules& rules, const Frame& frame) const -> Fate {
    if (works() && (frame.epoch == done_ || !rules.numbered_messages)) return Fate::due;
    return rules.numbered_messages && is_void(frame) ? Fate::over : Fate::early;
}

template <class Part, class Frame>
bool Views<Part, Frame>::is_void(const HostReport& report) const {
    return has_seen() && (report.view < seen_.number || report.view == done_);
}

// Nobody sends a message of an epoch before this member has reported to its view.
template <class Part, class Frame>
bool Views<Part, Frame>::is_void(const Frame& frame) const {
    const bool is_due = works() && frame.epoch == done_;
    const bool is_early = sent_ && frame.epoch == seen_.number && frame.epoch != done_;
    return !is_due && !is_early;
}

template <class Part, class Frame>
void Views<Part, Frame>::keep(SiteId from, Frame frame) {
    const auto after = std::ranges::upper_bound(early_frames_, from, {}, &std::pair<SiteId, Frame>::first);
    early_frames_.emplace(after, from, std::move(frame));
}

template <class Part, class Frame>
bool Views<Part, Frame>::watches(const ViewRules& rules, SiteId self, SiteId peer) const {
    if (peer == self) return sent_ && reports_.size() == seen_.members.size() && !is_complete(rules);
    return std::ranges::any_of(missing_, [&](const Peer& one) { return one.site == peer; });
}

}  // namespace allot::agreement
