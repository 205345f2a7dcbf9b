#include "protocols/multilock/token.hpp"

#include <algorithm>

namespace allot::counters {

namespace {

bool reaches(const boost::container::flat_map<SiteId, Number>& newest, SiteId site, Number number) {
    const auto place = newest.find(site);
    return place != newest.end() && number <= place->second;
}

}  // namespace

bool Past::covers(const Ask& ask) const {
    return reaches(served, ask.site, ask.number) ||
           (ask.kind == Kind::counter && reaches(counted, ask.site, ask.number));
}

bool Past::covers(const Waiter& waiter) const {
    return reaches(served, waiter.site, waiter.number);
}

std::uint64_t Token::take(std::uint64_t clock) {
    const std::uint64_t value = std::max(counter, clock);
    counter = value + 1;
    return value;
}

void Token::enqueue(const Waiter& waiter) {
    const auto same = std::ranges::find(queue, waiter.site, &Waiter::site);
    if (same != queue.end()) {
        if (same->number == waiter.number && !waiter.missing.empty()) same->missing = waiter.missing;
        if (same->number >= waiter.number) return;
        queue.erase(same);
    }
    const auto place = std::ranges::find_if(queue, [&](const Waiter& one) { return waiter.before(one); });
    queue.insert(place, waiter);
}

void Token::dequeue(SiteId site) {
    std::erase_if(queue, [&](const Waiter& one) { return one.site == site; });
}

void Token::purge(SiteId self) {
    std::erase_if(queue, [&](const Waiter& one) { return one.site == self || past.covers(one); });
}

void Branch::keep(const Ask& ask) {
    Ask& kept = pending[{ask.site, ask.kind}];
    if (ask.number < kept.number) return;
    kept = ask;
    kept.holder = 0;  // by the time the token is here, nobody cares where it was
    kept.hop = Stamp{};
}

}  // namespace allot::counters
