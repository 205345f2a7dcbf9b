#include "view/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/reflect.hpp"
#include "view/text.hpp"

namespace allot::view {

namespace {

// A picture of a few sites has this width; in print, 16 cm, its labels then have 7 points.
constexpr double page_width = 720;
constexpr double margin = 10;
constexpr double number_size = 8;  // of lines or times, with time downwards
constexpr double least_gap = 46;
constexpr double usual_gap = 112;
constexpr double widest_gap = 150;
constexpr double lane_pitch = 48;  // with time to the right
constexpr double row_distance = 26;
constexpr double bar_width = 8;
constexpr double most_bar_width = 10;

std::string name_of(SiteId site) {
    return fmt::format("site {}", site);
}

bool is_there(Look look) {
    return look != Look::absent && look != Look::down && look != Look::left;
}

bool has_bar(Look look) {
    return is_there(look) && look != Look::idle;
}

class Drawing {
public:
    Drawing(const Run& run, Direction direction) : run_(run), down_(direction == Direction::down) {
        sites_ = static_cast<SiteId>(run.lanes.size());
        for (SiteId site = 0; site < sites_; ++site)
            names_width_ = std::max(names_width_, text_width(name_of(site), label_size));
        left_ = names_width_ + 2 * margin;
        layout_ = layout_of(run, direction, page_width - left_ - margin);
        for (const Spot& spot : layout_.spots)
            if (spot.message && spot.kind != SpotKind::event) at_end_[*spot.message] = spot.at;
    }

    Picture draw() {
        measure();
        write_heading();
        draw_lanes();
        for (const Message& message : run_.messages) draw_message(message);
        for (const Spot& spot : layout_.spots) draw_spot(spot);
        write_footing();
        picture_.title = run_.title.empty() ? run_.header : run_.title;
        picture_.height += margin;
        return std::move(picture_);
    }

private:
    // --- Places.

    double label_offset(const Spot& spot) const {
        return spot.side == Side::after ? label_distance
                                        : -label_distance - text_width(spot.label, label_size);
    }

    // The distance of lanes, and the space that labels need beside the outer ones.
    void measure() {
        if (!down_) {
            picture_.width = page_width;
            for (const Spot& spot : layout_.spots)
                picture_.width = std::max(picture_.width,
                                          x_along(spot.at) + 5 + margin + text_width(spot.label, label_size));
            return;
        }
        for (const Event& event : run_.events)
            gutter_ = std::max(gutter_, margin + text_width(number_of(event), number_size));
        double widest = 0;
        for (const Spot& spot : layout_.spots)
            if (spot.site) widest = std::max(widest, text_width(spot.label, label_size));
        gap_ = std::clamp(widest + 2 * label_distance + 8, usual_gap, widest_gap);
        while (extent() > page_width && gap_ - 2 >= std::max(least_gap, names_width_ + 8)) gap_ -= 2;
        picture_.width = std::max(360.0, extent());
    }

    // The width of the picture with this distance of lanes.
    double extent() {
        double least = -names_width_ / 2;
        double most = gap_ * (sites_ - 1) + names_width_ / 2;
        for (const Spot& spot : layout_.spots) {
            const double x = gap_ * spot.site.value_or(0) + label_offset(spot);
            least = std::min(least, x);
            most = std::max(most, x + text_width(spot.label, label_size));
        }
        left_ = gutter_ + margin - least;
        return left_ + most + margin;
    }

    std::size_t row_of(double at) const {
        const auto next = std::upper_bound(layout_.rows.begin(), layout_.rows.end(), at);
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, next - layout_.rows.begin())) - 1;
    }
    double end_of(std::size_t row) const {
        return row + 1 < layout_.rows.size() ? layout_.rows[row + 1] : layout_.length;
    }
    double x_along(double at) const { return left_ + at - layout_.rows[row_of(at)]; }
    double row_height() const { return lane_pitch * sites_ + row_distance; }

    Point place(double site, double at, std::size_t row) const {
        if (down_) return {left_ + gap_ * site, top_ + at};
        return {left_ + at - layout_.rows[row],
                top_ + row_height() * static_cast<double>(row) + lane_pitch * (site + 0.5)};
    }
    Point place(SiteId site, double at) const { return place(site, at, row_of(at)); }

    // Calls f(first end, second end, whether the second end is the real one) for the part of a line in each
    // row.
    template <class F>
    void for_each_part(double from_site, double from_at, double to_site, double to_at, F&& f) const {
        const auto site_at = [&](double at) {
            return to_at == from_at ? to_site
                                    : from_site + (to_site - from_site) * (at - from_at) / (to_at - from_at);
        };
        const std::size_t last = row_of(to_at);
        for (std::size_t row = row_of(from_at); row <= last; ++row) {
            const double begin = std::max(from_at, layout_.rows[row]);
            const double end = row == last ? to_at : end_of(row);
            f(place(site_at(begin), begin, row), place(site_at(end), end, row), row == last);
        }
    }

    // --- Text.

    void write(double x, double y, const std::string& text, double size = label_size, Ink ink = Ink::plain) {
        if (text.empty()) return;
        const double height = size * label_height / label_size;
        const double width = text_width(text, size) * (is_bold(ink) ? boldness : 1);
        picture_.labels.push_back({{x, y, width, height}, text, size, ink});
        picture_.height = std::max(picture_.height, y + height);
    }

    static bool is_bold(Ink ink) { return ink == Ink::strong || ink == Ink::title; }

    double write_wrapped(double y, const std::string& text, double size, Ink ink) {
        for (const std::string& line : wrapped(text, size * boldness, picture_.width - 2 * margin)) {
            write(margin, y, line, size, ink);
            y += size * 1.35;
        }
        return y;
    }

    void write_heading() {
        double y = margin;
        if (!run_.title.empty()) y = write_wrapped(y, run_.title, 12, Ink::title) + 3;
        y = write_wrapped(y, run_.header, 10, Ink::faint) + 8;
        top_ = y + (down_ ? label_height : 0);
        for (SiteId site = 0; site < sites_; ++site) write_name(site, y);
    }

    void write_name(SiteId site, double y) {
        const std::string name = name_of(site);
        const double width = text_width(name, label_size);
        if (down_) return write(left_ + gap_ * site - width / 2, y, name, label_size, Ink::strong);
        for (std::size_t row = 0; row < layout_.rows.size(); ++row)
            write(margin, place(site, layout_.rows[row], row).y - label_height / 2, name, label_size,
                  Ink::strong);
    }

    void write_footing() {
        double y = place(sites_ - 0.5, layout_.length, layout_.rows.size() - 1).y + margin;
        if (down_) y = top_ + layout_.length + margin;
        picture_.height = y;
        if (run_.verdict) {
            const Verdict& verdict = *run_.verdict;
            y = write_wrapped(y, fmt::format("Violates {}: {}", verdict.property, verdict.detail), 12,
                              Ink::title) +
                6;
        }
        write_legend(y);
    }

    // The meanings of the bars and signs of this picture, as many in a line as fit.
    void write_legend(double y) {
        double x = margin;
        const auto begin = [&](const std::string& text) {
            const double width = text_width(text, 10) + 34;
            if (x > margin && x + width > picture_.width - margin) {
                x = margin;
                y += 17;
            }
            const double at = x;
            write(x + 18, y, text, 10, Ink::faint);
            x += width;
            return Point{at, y + 6};
        };
        for (const Look look : looks_) {
            const Point at = begin(std::string(enum_name(look)));
            picture_.bars.push_back({{at.x, at.y - bar_width / 2, 14, bar_width}, look, false});
        }
        if (paused_) {
            const Point at = begin("paused");
            picture_.bars.push_back({{at.x, at.y - bar_width / 2, 14, bar_width}, Look::idle, true});
        }
        static constexpr std::array names{"program",        "message",          "start",         "crash",
                                          "timer or clock", "failure detector", "view or lease", "links",
                                          "disk",           "by hand"};
        for (const Mark mark : marks_) {
            const Point at = begin(names[static_cast<std::size_t>(mark)]);
            picture_.signs.push_back({{at.x + 7, at.y}, mark, false});
        }
        if (lost_) {
            const Point at = begin("a message ends");
            picture_.signs.push_back({{at.x + 7, at.y}, Mark::message, true});
        }
    }

    // --- Lanes.

    void draw_lanes() {
        struct Since {
            Look look{};
            bool paused = false;
            double at = 0;
        };
        std::vector<Since> now;
        for (const Lane& lane : run_.lanes) now.push_back({lane.look, lane.paused, 0});
        const auto close = [&](SiteId site, double at) {
            draw_stay(site, now[site].look, now[site].paused, now[site].at, at);
            now[site].at = at;
        };
        for (std::size_t i = 0; i < run_.events.size(); ++i) {
            for (const Change& change : run_.events[i].changes) {
                close(change.site, layout_.at_event[i]);
                now[change.site].look = change.look;
                now[change.site].paused = change.paused;
            }
        }
        for (SiteId site = 0; site < sites_; ++site) close(site, layout_.length);
    }

    void draw_stay(SiteId site, Look look, bool paused, double from, double to) {
        for_each_part(site, from, site, to, [&](Point begin, Point end, bool) {
            const Stroke stroke = is_there(look) ? Stroke::lane : Stroke::lane_down;
            picture_.lines.push_back({begin, end, stroke});
            if (!has_bar(look) && !paused) return;
            const double half = bar_width / 2;
            const Box box = down_ ? Box{begin.x - half, begin.y, bar_width, end.y - begin.y}
                                  : Box{begin.x, begin.y - half, end.x - begin.x, bar_width};
            picture_.bars.push_back({box, look, paused});
            if (has_bar(look)) looks_.insert(look);
            paused_ = paused_ || paused;
        });
    }

    // --- Messages.

    double begin_of(const Message& message) const {
        return message.sent ? layout_.at_event[*message.sent] : 0;
    }

    // Messages without a spot of their own have no end to draw: it is said how many there are.
    std::optional<double> end_of(const Message& message) const {
        const auto index = static_cast<std::uint32_t>(&message - run_.messages.data());
        if (const auto at = at_end_.find(index); at != at_end_.end()) return at->second;
        if (message.ended && message.fate != Fate::vanished) return layout_.at_event[*message.ended];
        return std::nullopt;
    }

    void draw_message(const Message& message) {
        const auto to = end_of(message);
        if (!to) return;
        const bool lost = message.fate == Fate::lost || message.fate == Fate::vanished;
        const Stroke stroke = message.fate == Fate::delivered ? Stroke::message : Stroke::message_lost;
        const double from = begin_of(message);
        if (message.from == message.to) {
            picture_.lines.push_back({place(message.from, from), place(message.to, *to), stroke, true, true});
            return;
        }
        for_each_part(message.from, from, message.to, *to, [&](Point begin, Point end, bool last) {
            if (last) end = shortened(begin, end, lost ? 12 : most_bar_width / 2);
            picture_.lines.push_back({begin, end, stroke, last && !lost});
            if (!last || !lost) return;
            picture_.signs.push_back({end, Mark::message, true});
            lost_ = true;
        });
    }

    static Point shortened(Point from, Point to, double by) {
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        if (length <= by) return to;
        const double part = (length - by) / length;
        return {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
    }

    // --- Events.

    void draw_rule(double at, Stroke stroke) {
        const std::size_t row = row_of(at);
        const double first = down_ ? -0.25 : -0.5;
        picture_.lines.push_back({place(first, at, row), place(sites_ - 1 - first, at, row), stroke});
    }

    void draw_spot(const Spot& spot) {
        if (spot.kind == SpotKind::verdict) return draw_verdict(spot);
        const Point at = place(spot.site.value_or(0), spot.at);
        if (!spot.site) draw_rule(spot.at, Stroke::rule);
        if (spot.kind == SpotKind::event) {
            const Event& event = run_.events[*spot.event];
            if (spot.site && event.mark != Mark::message) {
                picture_.signs.push_back({at, event.mark, false});
                marks_.insert(event.mark);
            }
            if (down_) write_line_number(event, at.y);
        }
        write_label(spot, at, Ink::plain);
    }

    static std::string number_of(const Event& event) {
        return event.time.empty() ? std::to_string(event.line) : event.time;
    }

    void write_line_number(const Event& event, double y) {
        const std::string text = number_of(event);
        write(gutter_ - text_width(text, number_size), y - number_size * 0.6, text, number_size, Ink::faint);
    }

    void write_label(const Spot& spot, Point at, Ink ink) {
        if (down_)
            return write(at.x + label_offset(spot), at.y - label_height / 2, spot.label, label_size, ink);
        const double y = spot.side == Side::before ? at.y - most_bar_width / 2 - label_height - 1
                                                   : at.y + most_bar_width / 2 + 1;
        write(at.x + 5, y, spot.label, label_size, ink);
    }

    void draw_verdict(const Spot& spot) {
        if (down_) {
            picture_.bands.push_back({0, top_ + spot.at - 9, picture_.width, 18});
            return write(margin, top_ + spot.at - label_height / 2, spot.label, label_size, Ink::title);
        }
        draw_rule(spot.at, Stroke::verdict);
        write_label(spot, place(0, spot.at), Ink::title);
    }

    const Run& run_;
    const bool down_;
    SiteId sites_ = 0;
    Layout layout_;
    Picture picture_;
    double names_width_ = 0;
    double left_ = 0;
    double top_ = 0;
    double gap_ = 0;
    double gutter_ = 24;                      // for the numbers of lines, with time downwards
    std::map<std::uint32_t, double> at_end_;  // of messages that were not delivered
    std::set<Look> looks_;
    std::set<Mark> marks_;
    bool paused_ = false;
    bool lost_ = false;
};

}  // namespace

Picture draw(const Run& run, Direction direction) {
    return Drawing(run, direction).draw();
}

}  // namespace allot::view
