#include "daemon/reader.hpp"

#include <algorithm>
#include <vector>

namespace allot::daemon {

using host::Reading;
using session::Party;
using session::ResourceStatus;
using session::Status;

namespace {

constexpr const char* what_is_hidden =
    "Users, processes and commands of others are not shown; a rule [[allow]] with read = \"all\" shows them.";

// A user of one host is nobody on another one, though somebody may have the same name there.
bool is_own(const StatusReader& reader, const Party& party) {
    if (reader.user.empty()) return false;
    if (party.gone) return party.user == reader.owner;
    return party.user == reader.user && (reader.host.empty() || party.host == reader.host);
}

bool has_own(const StatusReader& reader, const ResourceStatus& resource) {
    const auto own = [&](const Party& party) { return is_own(reader, party); };
    return std::ranges::any_of(resource.holders, own) || std::ranges::any_of(resource.waiters, own);
}

// Its place in the queue stays, and what the next holder must know: host, units, fence and mode.
void hide(Party& party) {
    party.pid = 0;
    party.user.clear();
    party.command.clear();
    party.wanted.clear();
}

bool hide_others(const StatusReader& reader, std::vector<Party>& parties) {
    bool hidden = false;
    for (Party& party : parties) {
        if (is_own(reader, party)) continue;
        hide(party);
        hidden = true;
    }
    return hidden;
}

}  // namespace

Status visible_to(const StatusReader& reader, Status status) {
    if (reader.others == Reading::all) return status;
    if (reader.others == Reading::none)
        std::erase_if(status.resources, [&](const auto& one) { return !has_own(reader, one); });
    bool hidden = false;
    for (ResourceStatus& resource : status.resources) {
        hidden = hide_others(reader, resource.holders) || hidden;
        hidden = hide_others(reader, resource.waiters) || hidden;
    }
    if (hidden) status.note += (status.note.empty() ? "" : " ") + std::string(what_is_hidden);
    return status;
}

}  // namespace allot::daemon
