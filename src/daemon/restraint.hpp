// Keeps hosts from fighting over the view. If the register is outside of the hosts, one that is cut off from
// the others can still change it: it could remove members that are well, or join views that are never
// complete because nobody gets its report. Each such view would stop all hosts for the time of a lease.
//
//     removal   a host that hears less than half of the members waits a moment: those who hear each other
//               remove it first;
//     entry     a host that others have removed, and that hears no member of their view, stays away until it
//               hears one. If that view has been the newest for long, its members may have died: it joins.
//
// An engine may answer any change with the newest value, so this costs time and never safety.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "protocols/agreement/register.hpp"

namespace allot::daemon {

class Restraint {
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Here {
        SiteId self;
        std::function<bool(SiteId)> hears;
        std::chrono::milliseconds silence;   // more than the others need to remove this host first
        std::chrono::milliseconds patience;  // with members that nobody hears
        Time now;
    };

    // The newest value of the register, in each answer.
    void see(const Here& here, const agreement::Value& newest);
    bool forbids(const Here& here, const agreement::Change& change);
    // Why this host stays away; empty if it does not.
    const std::string& reason() const { return reason_; }

private:
    bool hears_any(const Here& here) const;
    bool waits_to_remove(const Here& here, const agreement::Change& change);

    agreement::Value newest_;
    Time since_;               // it is the newest
    bool was_member_ = false;  // this host, of a value that was seen
    std::optional<Time> lonely_since_;
    std::string reason_;
};

}  // namespace allot::daemon
