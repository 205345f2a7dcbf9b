#include "guardian/stopping.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/resource.h>
#include <vector>

#include "base/processes.hpp"

namespace allot::guardian {

namespace {

// Descriptors that reading /proc and the connections of daemons need.
constexpr rlim_t reserve = 32;

bool leaves_room(const Descriptor& one) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<rlim_t>(one.get()) + reserve < limit.rlim_cur;
}

}  // namespace

void Stopping::look(const Charge& charge, const std::set<pid_t>& spared) {
    blind_ = false;
    forget_ended();
    if (charge.command) add(charge.command);
    if (charge.stoppable_owner) add(charge.owner);
    if (charge.group) add_members(*charge.group, spared);
    std::vector<pid_t> known;
    for (const auto& [number, process] : found_) known.push_back(number);
    add_descendants(charge.owner, spared);
    for (const pid_t number : known) add_descendants(found_.at(number), spared);
    quiet_looks_ = found_.empty() && !blind_ ? quiet_looks_ + 1 : 0;
}

pid_t Stopping::signal(int number) const {
    pid_t forbidden = 0;
    for (const auto& [pid, process] : found_)
        if (!signal_process(process, number) && errno == EPERM) forbidden = pid;
    return forbidden;
}

void Stopping::forget_ended() {
    std::erase_if(found_, [](const auto& one) { return process_ended(one.second); });
}

Descriptor Stopping::open(pid_t number) {
    Descriptor process = open_process(number);
    if (process && leaves_room(process)) return process;
    if (process || errno != ESRCH) blind_ = true;
    return {};
}

void Stopping::add(const Descriptor& process) {
    const auto number = process_number(process);
    if (!number || *number == 0 || found_.contains(*number)) return;
    Descriptor same = open(*number);
    // The number has belonged to this process all the time if it has not ended even now.
    if (same && !process_ended(process)) found_.emplace(*number, std::move(same));
}

// A number counts only if it was that of a member while we had its pidfd.
void Stopping::add_members(const ControlGroup& group, const std::set<pid_t>& spared) {
    std::map<pid_t, Descriptor> members;
    for (const pid_t number : group.processes()) {
        if (spared.contains(number) || found_.contains(number)) continue;
        if (Descriptor process = open(number)) members.emplace(number, std::move(process));
    }
    if (members.empty()) return;
    const auto again = group.processes();
    for (auto& [number, process] : members)
        if (std::ranges::find(again, number) != again.end() && !process_ended(process))
            found_.emplace(number, std::move(process));
}

void Stopping::add_descendants(const Descriptor& ancestor, const std::set<pid_t>& spared) {
    for (auto& [number, process] : new_children(ancestor, spared)) {
        const auto place = found_.emplace(number, std::move(process)).first;
        add_descendants(place->second, spared);
    }
}

// A number counts only if it was that of a child while we had its pidfd, and if the parent's number was the
// parent's: both processes live after the second reading.
std::map<pid_t, Descriptor> Stopping::new_children(const Descriptor& parent, const std::set<pid_t>& spared) {
    std::map<pid_t, Descriptor> children;
    const auto number = process_number(parent);
    if (!number || *number == 0) return children;
    for (const pid_t child : children_of(*number)) {
        if (spared.contains(child) || found_.contains(child)) continue;
        if (Descriptor process = open(child)) children.emplace(child, std::move(process));
    }
    if (children.empty()) return children;
    const auto again = children_of(*number);
    const bool same_parent = !process_ended(parent);
    std::erase_if(children, [&](const auto& one) {
        return !same_parent || std::ranges::find(again, one.first) == again.end() ||
               process_ended(one.second);
    });
    return children;
}

}  // namespace allot::guardian
