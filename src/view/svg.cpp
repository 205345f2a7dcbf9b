#include "view/svg.hpp"

#include <array>
#include <fmt/format.h>
#include <iterator>

#include "base/harmless.hpp"
#include "core/reflect.hpp"

namespace allot::view {

namespace {

// The colours are those of Okabe and Ito, which colour-blind readers can tell apart. Without colour, bars
// differ in their outline and pattern.
constexpr std::string_view style = R"svg(<style>
text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; fill: #1a1a1a; }
.plain, .strong, .title { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; }
.faint { fill: #666; } .strong, .title { font-weight: 600; }
.lane { stroke: #9a9a9a; stroke-width: 1.2; } .lane_down { stroke: #b5b5b5; stroke-dasharray: 1.5 4; }
.message { stroke: #333; stroke-width: 1; fill: none; }
.message_lost { stroke: #333; stroke-width: 1; stroke-dasharray: 4 3; fill: none; }
.rule { stroke: #777; stroke-width: 0.8; stroke-dasharray: 2 3; } .verdict { stroke: #d55e00; stroke-width: 2.5; }
.band { fill: #f9d9c5; }
.waiting { fill: #fbe3ad; stroke: #c98500; } .holding { fill: #0072b2; stroke: #00527f; }
.revoked { fill: url(#stripes); stroke: #d55e00; } .leaving { fill: #e3b5cf; stroke: #a3527f; stroke-dasharray: 2 1; }
.idle { fill: #fff; stroke: #9a9a9a; } .paused { fill: url(#dots); }
.sign { fill: #222; stroke: #fff; stroke-width: 0.8; } .open { fill: #fff; stroke: #222; stroke-width: 1.2; }
.cross { fill: none; stroke: #000; stroke-width: 2; } .detector { fill: #56b4e9; stroke: #1b4f6e; }
.view { fill: #009e73; stroke: #00583f; }
</style>
<defs>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0,0.8 L8,4 L0,7.2 Z" fill="#333"/></marker>
<pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#fff"/><rect width="2.5" height="5" fill="#d55e00"/></pattern>
<pattern id="dots" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#fff" fill-opacity="0.55"/><circle cx="2" cy="2" r="1" fill="#444"/></pattern>
</defs>
)svg";

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '&')
            result += "&amp;";
        else if (static_cast<unsigned char>(c) >= ' ')
            result += c;
        else
            result += ' ';
    }
    return result;
}

class Writer {
public:
    std::string write(const Picture& picture) {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
            "height=\"{:.0f}\" role=\"img\">\n",
            picture.width, picture.height, picture.width, picture.height);
        add("<title>{}</title>\n{}", escaped(harmless(picture.title)), style);
        add("<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#fff\"/>\n", picture.width, picture.height);
        for (const Line& line : picture.lines)
            if (line.stroke == Stroke::lane || line.stroke == Stroke::lane_down) draw(line);
        for (const Bar& bar : picture.bars) draw(bar);
        for (const Line& line : picture.lines)
            if (line.stroke != Stroke::lane && line.stroke != Stroke::lane_down) draw(line);
        for (const Sign& sign : picture.signs) draw(sign);
        for (const Box& band : picture.bands) rectangle(band, "band");
        for (const Label& label : picture.labels) draw(label);
        return text_ + "</svg>\n";
    }

private:
    template <class... Args>
    void add(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }

    void rectangle(const Box& box, std::string_view kind) {
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n", box.x,
            box.y, box.width, box.height, kind);
    }

    void draw(const Bar& bar) {
        rectangle(bar.box, enum_name(bar.look));
        if (bar.paused) rectangle(bar.box, "paused");
    }

    void draw(const Line& line) {
        static constexpr std::array names{"lane", "lane_down", "message", "message_lost", "rule", "verdict"};
        const char* kind = names[static_cast<std::size_t>(line.stroke)];
        const char* head = line.arrow ? " marker-end=\"url(#head)\"" : "";
        if (line.loop)
            add("<path d=\"M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" class=\"{}\"{}/>\n",
                line.from.x, line.from.y, line.from.x + 26, line.from.y + 4, line.to.x + 26, line.to.y - 4,
                line.to.x + 5, line.to.y, kind, head);
        else
            add("<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f}\" class=\"{}\"{}/>\n", line.from.x, line.from.y,
                line.to.x, line.to.y, kind, head);
    }

    void draw(const Sign& sign) {
        struct Shape {
            const char* kind;
            const char* path;
        };
        static constexpr std::array shapes{
            Shape{"sign", "M-3.5,0 a3.5,3.5 0 1,0 7,0 a3.5,3.5 0 1,0 -7,0 Z"},
            Shape{"sign", "M-2,0 a2,2 0 1,0 4,0 a2,2 0 1,0 -4,0 Z"},
            Shape{"open", "M-3.5,-4.2 L4.5,0 L-3.5,4.2 Z"},
            Shape{"cross", "M-5,-5 L5,5 M5,-5 L-5,5"},
            Shape{"open", "M-4.5,0 a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 Z M0,-3 L0,0 L2.4,1.2"},
            Shape{"detector", "M0,-5 L5,0 L0,5 L-5,0 Z"},
            Shape{"view", "M-4,-4 L4,-4 L4,4 L-4,4 Z"},
            Shape{"cross", "M-4,4 L0,-4 M0,4 L4,-4"},
            Shape{"open", "M-4.5,-3 a4.5,2 0 1,1 9,0 L4.5,3 a4.5,2 0 1,1 -9,0 Z"},
            Shape{"open", "M0,-4.8 L4.6,3.6 L-4.6,3.6 Z"}};
        const Shape lost{"cross", "M-3.5,-3.5 L3.5,3.5 M3.5,-3.5 L-3.5,3.5"};
        const Shape& shape = sign.lost ? lost : shapes[static_cast<std::size_t>(sign.mark)];
        add("<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" class=\"{}\"/>\n", sign.at.x, sign.at.y,
            shape.path, shape.kind);
    }

    // The length is that of the layout, whichever font there is.
    void draw(const Label& label) {
        static constexpr std::array inks{"plain", "faint", "strong", "title"};
        add("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.4g}\" textLength=\"{:.1f}\" "
            "lengthAdjust=\"spacingAndGlyphs\" class=\"{}\">{}</text>\n",
            label.box.x, label.box.y + label.box.height * 0.78, label.size, label.box.width,
            inks[static_cast<std::size_t>(label.ink)], escaped(harmless(label.text)));
    }

    std::string text_;
};

}  // namespace

std::string svg(const Picture& picture) {
    return Writer().write(picture);
}

}  // namespace allot::view
