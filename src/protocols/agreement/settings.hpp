// The settings that all hosts have agreed on. The register keeps them beside the view: the first view of all
// has those of the host that makes it, and later ones change by orders of operators; except for `founded`.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/edition.hpp"
#include "core/types.hpp"

namespace allot::agreement {

struct SemaphoreSettings {
    std::uint32_t permits = 1;
    std::uint32_t max_request = 1;  // units of one request
    bool operator==(const SemaphoreSettings&) const = default;
};
BOOST_DESCRIBE_STRUCT(SemaphoreSettings, (), (permits, max_request))

// in: it takes part. drained: it serves no new request, and is no member once nothing is held there. leaving:
// the same, and it is out then. expected: an operator lets a host of this name join. out: it has left, or was
// expelled.
enum class Standing : std::uint8_t { in, drained, leaving, expected, out };
BOOST_DESCRIBE_ENUM(Standing, in, drained, leaving, expected, out)

struct HostSettings {
    std::string name;
    std::string address;  // for the other hosts
    Standing standing = Standing::in;

    bool takes_part() const { return standing != Standing::expected && standing != Standing::out; }
    bool may_vote() const { return takes_part() && standing != Standing::leaving; }
    bool operator==(const HostSettings&) const = default;
};
BOOST_DESCRIBE_STRUCT(HostSettings, (), (name, address, standing))

// A setting that does not change as long as the cluster lives, as people write it. This layer does not read
// it.
struct Founded {
    std::string name;
    std::string text;
    bool operator==(const Founded&) const = default;
};
BOOST_DESCRIBE_STRUCT(Founded, (), (name, text))

struct Settings {
    Edition agreed_edition = newest_edition;  // in which hosts write: all of them know it
    boost::container::flat_map<ResourceId, SemaphoreSettings> semaphores;
    // By number. A number belongs to one name for ever: a host that comes back has its former one. Empty: the
    // hosts are those of the configuration, as in the laboratory.
    std::vector<HostSettings> hosts;
    bool asks_operator = false;  // a host joins only if an operator expects it
    // Hosts that keep the register, as an operator chose them; empty: they follow from the number of hosts.
    std::vector<SiteId> voters;
    std::vector<Founded> founded;  // as the cluster was formed; empty in the laboratory

    // 0 for a semaphore that is not there: nobody may enter it, though programs may still use units of it.
    std::uint32_t permits_of(ResourceId semaphore) const {
        const auto place = semaphores.find(semaphore);
        return place == semaphores.end() ? 0 : place->second.permits;
    }
    // Whether that host may be a member, and whether it shall serve new requests.
    bool admits(SiteId host) const {
        return hosts.empty() || (host < hosts.size() && hosts[host].takes_part());
    }
    bool lets_serve(SiteId host) const {
        return hosts.empty() || (host < hosts.size() && hosts[host].standing == Standing::in);
    }
    // Whether that host may keep the register.
    bool may_vote(SiteId host) const {
        return hosts.empty() || (host < hosts.size() && hosts[host].may_vote());
    }
    Edition edition() const { return agreed_edition; }
    bool operator==(const Settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (agreed_edition, semaphores, hosts, asks_operator, voters, founded))

}  // namespace allot::agreement
