// The processes of one charge while they are being stopped.
#pragma once

#include <map>
#include <set>
#include <sys/types.h>

#include "base/descriptor.hpp"
#include "guardian/charge.hpp"

namespace allot::guardian {

class Stopping {
public:
    // Finds all processes of the charge that live and must stop, and keeps a pidfd of each: an orphan that
    // leaves the tree later stays known. Nobody in `spared` is found, nor any descendant of theirs.
    void look(const Charge& charge, const std::set<pid_t>& spared);

    // Signals all that the last look() has found. Returns one that may not be signalled, or 0.
    pid_t signal(int number) const;

    std::size_t count() const { return found_.size(); }
    // A process that forks, or whose parent ends, during a look() can escape it, but not the next one too.
    bool nobody_left() const { return quiet_looks_ >= 2; }

private:
    void forget_ended();
    void add(const Descriptor& process);
    void add_members(const ControlGroup& group, const std::set<pid_t>& spared);
    void add_descendants(const Descriptor& ancestor, const std::set<pid_t>& spared);
    std::map<pid_t, Descriptor> new_children(const Descriptor& parent, const std::set<pid_t>& spared);
    Descriptor open(pid_t number);

    std::map<pid_t, Descriptor> found_;
    bool blind_ = false;  // the last look() has left out somebody for want of descriptors
    int quiet_looks_ = 0;
};

}  // namespace allot::guardian
