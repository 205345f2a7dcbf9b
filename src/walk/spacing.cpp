#include "walk/spacing.hpp"

#include <algorithm>

namespace allot::walk {

using namespace world;

namespace {

constexpr std::uint64_t widest_kept = 3;
constexpr std::uint64_t wide = 16;
constexpr std::uint64_t most_increments_of_a_step = widest_kept;

}  // namespace

Spacing::Gap Spacing::real_gap(std::uint64_t distance) {
    return {distance <= widest_kept ? distance : wide};
}

// Names add up like distances where a stamp between them is gone, and an increment of the lower stamp takes
// one away.
Spacing::Gap Spacing::gap_after_step(std::uint64_t sum) {
    if (sum >= wide || sum < wide - most_increments_of_a_step) return real_gap(sum);
    return {widest_kept + 1 - (wide - sum), true};
}

void Spacing::measure(std::vector<std::uint64_t> stamps, std::uint64_t clock, Of what) {
    stamps_ = std::move(stamps);
    gaps_.clear();
    if (stamps_.empty()) return;
    // Zero stays zero: it is before every other stamp, also before those not yet made.
    std::uint64_t before = stamps_.front() == 0 ? 0 : stamps_.front() - 1;
    for (const std::uint64_t stamp : stamps_) {
        const std::uint64_t distance = stamp - before;
        if (before < clock)
            gaps_.push_back({std::min<std::uint64_t>(distance, 1)});
        else
            gaps_.push_back(what == Of::real_stamps ? real_gap(distance) : gap_after_step(distance));
        before = stamp;
    }
}

std::uint64_t Spacing::forms() const {
    std::uint64_t count = 1;
    for (const Gap& gap : gaps_)
        if (gap.or_more) count *= widest_kept - gap.name + 2;
    return count;
}

StampNames Spacing::names(std::uint64_t form) const {
    StampNames names;
    std::uint64_t name = 0;
    bool changed = false;
    for (std::size_t i = 0; i < stamps_.size(); ++i) {
        std::uint64_t gap = gaps_[i].name;
        if (gaps_[i].or_more) {
            const std::uint64_t choices = widest_kept - gap + 2;
            gap += form % choices;
            if (gap > widest_kept) gap = wide;
            form /= choices;
        }
        name += gap;
        names.emplace_back(stamps_[i], name);
        changed = changed || name != stamps_[i];
    }
    if (!changed) names.clear();
    return names;
}

bool Spacing::leaps(const std::vector<std::uint64_t>& known) const {
    auto next = known.begin();
    std::uint64_t last = 0;  // from zero stamps may always be made
    return std::ranges::any_of(stamps_, [&](std::uint64_t stamp) {
        for (; next != known.end() && *next <= stamp; ++next) last = *next;
        return stamp - last > most_increments_of_a_step;
    });
}

std::vector<std::uint64_t> Spacing::wide_distances() const {
    std::vector<std::uint64_t> distances;
    for (std::size_t i = 1; i < stamps_.size(); ++i)
        if (gaps_[i].name == wide) distances.push_back(stamps_[i] - stamps_[i - 1]);
    return distances;
}

}  // namespace allot::walk
