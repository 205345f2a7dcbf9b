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

// A site that has cancelled a request and made another keeps the earlier place: others may wait at that site
// for the token, because it was to come there before their turn. Once there it goes where it should.
void Token::enqueue(Waiter waiter) {
    const auto same = std::ranges::find(queue, waiter.site, &Waiter::site);
    if (same != queue.end()) {
        const Mark earlier = std::min(same->mark, waiter.mark);
        if (same->number > waiter.number)
            waiter = *same;
        else if (same->number == waiter.number && waiter.missing.empty())
            waiter.missing = same->missing;
        waiter.mark = earlier;
        queue.erase(same);
    }
    const auto place = std::ranges::find_if(queue, [&](const Waiter& one) { return waiter.before(one); });
    queue.insert(place, std::move(waiter));
}

void Token::dequeue(SiteId site) {
    std::erase_if(queue, [&](const Waiter& one) { return one.site == site; });
}

void Token::purge(SiteId self) {
    std::erase_if(queue, [&](const Waiter& one) { return one.site == self || past.covers(one); });
}

void Branch::keep(Ask ask) {
    ask.holder = 0;  // outdated when the token is here
    ask.hop = Stamp{};
    const auto [place, added] = pending.try_emplace({ask.site, ask.kind}, ask);
    if (added) return;
    Ask& kept = place->second;
    const Mark earlier = std::min(kept.mark, ask.mark);  // as in a queue
    if (ask.number >= kept.number) kept = std::move(ask);
    kept.mark = earlier;
}

}  // namespace allot::counters
