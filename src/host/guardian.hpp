// The guardian of a machine: it knows the programs that run under a lease, and stops them when the lease
// ends, though the daemon may be stopped or dead. The daemon tells it each grant, each end and each renewal;
// after a restart the next daemon asks it which programs still run.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "host/sessions.hpp"

namespace allot::host {

class Guardian {
public:
    struct Program {
        Lease lease;
        std::uint32_t keeper = 0;  // the incarnation of the host under whose lease it runs
        bool operator==(const Program&) const = default;
        BOOST_DESCRIBE_CLASS(Program, (), (lease, keeper), (), ())
    };

    const std::vector<Program>& programs() const { return programs_; }
    std::uint32_t left() const { return left_; }
    void begin(Program program) { programs_.push_back(std::move(program)); }
    void end(const Key& key) {
        std::erase_if(programs_, [&](const Program& one) { return one.lease.key == key; });
        if (programs_.empty()) left_ = 0;
    }
    // All programs may run for so many ticks from now, as programs of this incarnation.
    void renew(std::uint32_t left, std::uint32_t keeper) {
        if (programs_.empty()) return;
        left_ = std::max(left_, left);
        for (Program& one : programs_) one.keeper = keeper;
    }
    // A tick has passed. Returns the programs that it stops.
    std::vector<Program> tick() {
        if (left_ > 0 && --left_ > 0) return {};
        return std::exchange(programs_, {});
    }

    bool operator==(const Guardian&) const = default;

private:
    std::vector<Program> programs_;
    std::uint32_t left_ = 0;  // ticks until they must have stopped

    BOOST_DESCRIBE_CLASS(Guardian, (), (), (), (programs_, left_))
};

}  // namespace allot::host
