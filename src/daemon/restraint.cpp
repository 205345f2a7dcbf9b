#include "daemon/restraint.hpp"

#include <algorithm>

namespace allot::daemon {

using agreement::Change;
using agreement::Value;

namespace {

bool has(const std::vector<Peer>& members, SiteId host) {
    return std::ranges::find(members, host, &Peer::site) != members.end();
}

}  // namespace

void Restraint::see(const Here& here, const Value& newest) {
    if (has(newest.members, here.self)) {
        was_member_ = true;
        reason_.clear();
    }
    if (newest.version == newest_.version && newest.id == newest_.id) return;
    newest_ = newest;
    since_ = here.now;
}

bool Restraint::hears_any(const Here& here) const {
    return std::ranges::any_of(newest_.members, [&](const Peer& one) { return here.hears(one.site); });
}

bool Restraint::forbids(const Here& here, const Change& change) {
    reason_.clear();
    if (has(newest_.members, here.self)) return waits_to_remove(here, change);
    lonely_since_.reset();
    const bool was_removed = was_member_ && newest_.id.host != here.self && !newest_.members.empty();
    if (!was_removed || hears_any(here) || here.now - since_ >= here.patience) return false;
    reason_ =
        "the others have removed this host, and it has a link to none of them; it joins again when it hears "
        "one";
    return true;
}

bool Restraint::waits_to_remove(const Here& here, const Change& change) {
    const auto& members = newest_.members;
    const bool removes =
        std::ranges::any_of(members, [&](const Peer& one) { return !has(change.members, one.site); });
    const auto heard = std::ranges::count_if(
        members, [&](const Peer& one) { return one.site == here.self || here.hears(one.site); });
    const bool is_lonely = 2 * static_cast<std::size_t>(heard) < members.size();
    if (!removes || change.same_view || !is_lonely) {
        lonely_since_.reset();
        return false;
    }
    if (!lonely_since_) lonely_since_ = here.now;
    return here.now - *lonely_since_ < here.silence;
}

}  // namespace allot::daemon
