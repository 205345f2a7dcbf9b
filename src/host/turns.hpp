// The order in which a host serves its sessions, when more is to be done than can be done at once. Each user
// gets the same share of the host, whatever the number of its sessions, and each session of a user the same
// part of that share. Work is counted in names: a message costs one, and one more for each lock or semaphore
// that it asks for or gives back. So a request waits for one piece of work of each other user, and not for
// all that they have sent before it.
//
// The one that was served least comes first. One that comes back begins where the others are: nobody saves
// up a share for later.
//
// Complexity, with u users and s sessions of a user: `want`, `served` and `forget` O(log u + log s), and
// `next` O(1). The pieces are bounded by their callers: a message, or a part of a session's end
// (Sessions::go_on).
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace allot::host {

using SessionId = std::uint64_t;
using Cost = std::uint64_t;

// One level: users, or the sessions of a user.
template <class Id>
class Shares {
public:
    bool empty() const { return waiting_.empty(); }
    // The one that is served next.
    const Id& first() const { return waiting_.begin()->second; }

    void want(const Id& id) {
        const auto place = had_.try_emplace(id, 0).first;
        if (waiting_.contains({place->second, id})) return;
        place->second = std::max(place->second, floor_);
        waiting_.insert({place->second, id});
    }
    void served(const Id& id, Cost cost, bool wants_more) {
        const auto place = had_.find(id);
        if (place == had_.end()) return;
        if (waiting_.erase({place->second, id}) > 0) floor_ = std::max(floor_, place->second);
        place->second += cost;
        if (wants_more) waiting_.insert({place->second, id});
    }
    void forget(const Id& id) {
        const auto place = had_.find(id);
        if (place == had_.end()) return;
        waiting_.erase({place->second, id});
        had_.erase(place);
    }
    bool knows_none() const { return had_.empty(); }

    bool operator==(const Shares&) const = default;

private:
    std::map<Id, Cost> had_;
    std::set<std::pair<Cost, Id>> waiting_;
    Cost floor_ = 0;  // what the one had that was served last
};

class Turns {
public:
    // Something of this session is to be done. It always has the same user.
    void want(SessionId session, const std::string& user);
    bool empty() const { return order_.empty(); }
    std::optional<SessionId> next() const;
    // This session has been served. `wants_more`: and not with all that it wants.
    void served(SessionId session, Cost cost, bool wants_more);
    // The session is over.
    void forget(SessionId session);

    bool operator==(const Turns&) const = default;

private:
    std::map<SessionId, std::string> user_of_;
    std::map<std::string, Shares<SessionId>> users_;
    Shares<std::string> order_;
};

}  // namespace allot::host
