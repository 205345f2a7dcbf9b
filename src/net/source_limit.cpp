#include "net/source_limit.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <cstring>
#include <netinet/in.h>

namespace allot::net {

double SourceLimit::Debt::left(Clock::time_point now) const {
    const double paid = std::chrono::duration<double>(now - at).count() * per_second;
    return std::max(0.0, failures - paid);
}

std::size_t SourceLimit::Hash::operator()(const Source& source) const {
    return boost::hash_range(source.begin(), source.end());
}

SourceLimit::Source SourceLimit::source_of(const Endpoint& one) {
    Source source{};
    if (one.family() == AF_INET6)
        std::memcpy(source.data(), &reinterpret_cast<const sockaddr_in6*>(&one.storage)->sin6_addr, 8);
    else if (one.family() == AF_INET)
        std::memcpy(source.data() + 4, &reinterpret_cast<const sockaddr_in*>(&one.storage)->sin_addr, 4);
    return source;
}

bool SourceLimit::lets_in(const Endpoint& source, Clock::time_point now) {
    const auto known = debts_.find(source_of(source));
    if (known != debts_.end()) return known->second.left(now) < at_once;
    return debts_.size() < most_sources || others_.left(now) < at_once;
}

void SourceLimit::failed(const Endpoint& source, Clock::time_point now) {
    const Source key = source_of(source);
    const auto known = debts_.find(key);
    if (known == debts_.end() && debts_.size() >= most_sources) forget_paid(now);
    const bool has_room = known != debts_.end() || debts_.size() < most_sources;
    Debt& debt = has_room ? debts_[key] : others_;
    debt = {debt.left(now) + 1, now};
}

void SourceLimit::forget_paid(Clock::time_point now) {
    boost::unordered::erase_if(debts_, [now](const auto& one) { return one.second.left(now) == 0; });
}

}  // namespace allot::net
