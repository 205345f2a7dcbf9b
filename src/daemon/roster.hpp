// The list of hosts in the settings of the cluster: how orders of operators and the petitions of new hosts
// change it, and how a daemon uses it instead of the list in its file. Errors say what to do.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <set>
#include <string>

#include "base/result.hpp"
#include "daemon/config.hpp"
#include "net/petition.hpp"
#include "protocols/agreement/register.hpp"
#include "session/status.hpp"

namespace allot::daemon {

// A host that proved its name joins, comes back, or has another address.
Result<agreement::Settings> with_joined(agreement::Settings settings, const net::Petition& petition);
// A host of this name may join.
Result<agreement::Settings> with_expected(agreement::Settings settings, const std::string& name);
Result<agreement::Settings> with_drained(agreement::Settings settings, const std::string& name, bool drained);
Result<agreement::Settings> with_leaving(agreement::Settings settings, const std::string& name);
Result<agreement::Settings> with_expelled(agreement::Settings settings, const std::string& name);

// These hosts keep the register; or "auto": as many as the number of hosts asks for. Each of them must be
// among `members`, which can be reached, and none among the `voteless`.
Result<agreement::Settings> with_voters(agreement::Settings settings, const std::string& list,
                                        const std::vector<Peer>& members,
                                        const std::set<std::string>& voteless = {});
// The hosts that say that their votes are void.
std::set<std::string> voteless_of(const session::Status& status);

// The number of that host, if it is in the list and takes part.
Result<SiteId> number_of(const agreement::Settings& settings, const std::string& name);

// The content of the answer to a petition: a new host must know this to start.
struct Admission {
    agreement::Settings settings;
    std::optional<agreement::Record> record;  // of the register, if the hosts keep it
    agreement::Value sealed;                  // that named it, if it is not the first
};
BOOST_DESCRIBE_STRUCT(Admission, (), (settings, record, sealed))

// The hosts that the cluster has agreed on, instead of those of the file. The file is right about the address
// of its own host.
std::vector<Config::Host> agreed_hosts(const Config& file, const agreement::Settings& settings);
// The configuration with all that the cluster has agreed on, instead of its [bootstrap]; an error if this
// host is not in the cluster.
Result<Config> with_agreed(Config config, const agreement::Settings& settings);

}  // namespace allot::daemon
