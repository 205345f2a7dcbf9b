#include "view/layout.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "view/text.hpp"

namespace allot::view {

namespace {

// Further ends of messages at one event have no label.
constexpr std::size_t most_labelled_ends = 6;
constexpr double line_height = 19;
constexpr double least_step = 17;
constexpr double row_margin = 14;

Side side_of(const Message& message) {
    return message.from > message.to ? Side::before : Side::after;
}

class Spots {
public:
    explicit Spots(const Run& run) : run_(run), vanished_(run.events.size()) {
        for (std::uint32_t i = 0; i < run.messages.size(); ++i) {
            const Message& message = run.messages[i];
            if (message.fate == Fate::in_flight) in_flight_.push_back(i);
            if (message.fate == Fate::vanished && message.ended) vanished_[*message.ended].push_back(i);
        }
    }

    std::vector<Spot> all() {
        if (run_.verdict && !run_.verdict->event) add_verdict(std::nullopt);
        for (std::uint32_t i = 0; i < run_.events.size(); ++i) {
            if (run_.loop == i) add_loop();
            add_event(i);
            add_ends(vanished_[i], SpotKind::vanished, "");
            if (run_.verdict && run_.verdict->event == i) add_verdict(i);
        }
        add_ends(in_flight_, SpotKind::in_flight, " in flight");
        return std::move(spots_);
    }

private:
    void add_loop() {
        Spot spot{.kind = SpotKind::loop};
        spot.label = "from here on, this repeats forever";
        spots_.push_back(std::move(spot));
    }
    void add_verdict(std::optional<std::uint32_t> event) {
        spots_.push_back({.kind = SpotKind::verdict,
                          .event = event,
                          .label = fmt::format("violates {}", run_.verdict->property)});
    }

    void add_event(std::uint32_t index) {
        const Event& event = run_.events[index];
        Spot spot{.kind = SpotKind::event, .event = index, .message = event.received, .site = event.site};
        spot.label = event.label;
        if (event.received) spot.side = side_of(run_.messages[*event.received]);
        spots_.push_back(std::move(spot));
    }

    void add_ends(const std::vector<std::uint32_t>& messages, SpotKind kind, std::string_view remark) {
        for (std::size_t i = 0; i < std::min(messages.size(), most_labelled_ends); ++i) {
            const Message& message = run_.messages[messages[i]];
            spots_.push_back({.kind = kind,
                              .message = messages[i],
                              .site = message.to,
                              .side = side_of(message),
                              .label = fmt::format("{}{}", message.kind, remark)});
        }
        if (messages.size() > most_labelled_ends)
            spots_.push_back(
                {.kind = kind,
                 .label = fmt::format("and {} more messages{}", messages.size() - most_labelled_ends,
                                      kind == SpotKind::vanished ? " that vanish" : remark)});
    }

    const Run& run_;
    std::vector<std::vector<std::uint32_t>> vanished_;  // by event
    std::vector<std::uint32_t> in_flight_;
    std::vector<Spot> spots_;
};

void place_downwards(Layout& layout) {
    double at = line_height;
    for (Spot& spot : layout.spots) {
        spot.at = at;
        at += line_height;
    }
    layout.length = at;
}

// A spot of all sites has its label beside the first one, and stands clear of all other labels.
void place_to_the_right(Layout& layout, double width) {
    std::vector<std::array<double, 2>> free;  // by site and side: where the last label ends
    double at = row_margin;
    double furthest = at;
    for (Spot& spot : layout.spots) {
        const SiteId site = spot.site.value_or(0);
        if (!spot.site) spot.side = Side::before;
        if (free.size() <= site) free.resize(site + 1, {0, 0});
        double& taken = free[site][static_cast<std::size_t>(spot.side)];
        const double label = text_width(spot.label, label_size) * boldness + 10;
        double here = std::max(at, taken);
        if (!spot.site)
            for (const auto& sides : free) here = std::max({here, sides[0] - 4, sides[1] - 4});
        if (here + label > layout.rows.back() + width && here > layout.rows.back() + row_margin) {
            layout.rows.push_back(std::max(here, furthest));
            here = layout.rows.back() + row_margin;
        }
        spot.at = here;
        taken = here + label;
        furthest = std::max(here + 2, at);
        at = here + least_step;
    }
    layout.length = furthest + row_margin;
    for (const auto& sides : free) layout.length = std::max({layout.length, sides[0], sides[1]});
}

}  // namespace

Layout layout_of(const Run& run, Direction direction, double width) {
    Layout layout;
    layout.spots = Spots(run).all();
    if (direction == Direction::down)
        place_downwards(layout);
    else
        place_to_the_right(layout, width);
    layout.at_event.resize(run.events.size());
    for (const Spot& spot : layout.spots)
        if (spot.kind == SpotKind::event) layout.at_event[*spot.event] = spot.at;
    return layout;
}

}  // namespace allot::view
