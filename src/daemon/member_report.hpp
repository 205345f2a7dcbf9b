// A member as people see it: why it grants nothing, and where requests stand.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/overview.hpp"
#include "host/member.hpp"

namespace allot::daemon {

// Hosts in a sentence: each name once, in order, and the forms of words that agree with their number.
class HostNames {
public:
    explicit HostNames(std::set<std::string> names) : names_(std::move(names)) {}

    std::string text() const;
    const char* agree(const char* one, const char* several) const {
        return names_.size() == 1 ? one : several;
    }

private:
    std::set<std::string> names_;
};

class MemberReport {
public:
    using IsLinked = std::function<bool(SiteId)>;

    MemberReport(const Config& config, const host::Member& member, host::Member::Self self,
                 IsLinked is_linked)
        : config_(config), member_(member), self_(self), is_linked_(std::move(is_linked)) {}

    // Why nothing, or not everything, is granted here, and what helps; empty if all is well.
    std::string trouble() const;
    // The same as far as the register is the cause.
    std::string trouble_of_register() const;
    Report report() const;

private:
    PartyReport party(const host::Request& request) const;
    PartyReport kept_party(const agreement::Kept& kept) const;
    std::vector<QueueReport> tokens() const;
    static std::string awaits_memories(const HostNames& names);
    std::string awaits_majority() const;
    std::string why_frozen() const;
    std::string who_is_missed() const;
    std::string who_errs() const;
    std::string why_closed() const;
    // A voter may be gone from the configuration.
    bool is_known(SiteId host) const { return host < config_.hosts.size(); }
    std::string name_of(SiteId host) const { return config_.name_of(host); }
    HostNames names_of(const std::vector<SiteId>& hosts) const;
    HostNames places_of(const std::vector<SiteId>& hosts) const;

    const Config& config_;
    const host::Member& member_;
    const host::Member::Self self_;
    const IsLinked is_linked_;
};

}  // namespace allot::daemon
