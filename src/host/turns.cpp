#include "host/turns.hpp"

namespace allot::host {

void Turns::want(SessionId session, const std::string& user) {
    const auto known = user_of_.try_emplace(session, user).first;
    users_[known->second].want(session);
    order_.want(known->second);
}

std::optional<SessionId> Turns::next() const {
    if (order_.empty()) return std::nullopt;
    return users_.at(order_.first()).first();
}

void Turns::served(SessionId session, Cost cost, bool wants_more) {
    const auto known = user_of_.find(session);
    if (known == user_of_.end()) return;
    Shares<SessionId>& sessions = users_.at(known->second);
    sessions.served(session, cost, wants_more);
    order_.served(known->second, cost, !sessions.empty());
}

// A user without sessions begins anew with the next one.
void Turns::forget(SessionId session) {
    const auto known = user_of_.extract(session);
    if (!known) return;
    const auto place = users_.find(known.mapped());
    place->second.forget(session);
    if (place->second.empty()) order_.served(place->first, 0, false);
    if (!place->second.knows_none()) return;
    order_.forget(place->first);
    users_.erase(place);
    if (users_.empty()) order_ = {};
}

}  // namespace allot::host
