#include "net/link_frames.hpp"

#include <fmt/format.h>

#include "base/frame.hpp"
#include "core/bytes.hpp"
#include "net/petition.hpp"

namespace allot::net {

void put_hello(const Hello& hello, std::string& out) {
    const std::size_t start = out.size();
    begin_frame(out);
    encode(hello, out, greeting_edition);
    end_frame(start, out);
}

void put_link_frame(const Head& head, std::string_view content, std::string& out) {
    put_link_head(head, content.size(), out);
    out.append(content);
}

void put_link_head(const Head& head, std::size_t content, std::string& out) {
    const std::size_t start = out.size();
    begin_frame(out);
    encode(head, out);
    end_frame(start, out, content);
}

template <class Greeting>
Result<Greeting> read_greeting(std::string_view frame, std::string_view magic) {
    const std::string_view whole = frame;
    Opening opening;
    if (!decode(frame, opening) || opening.magic != magic) return Error{"this is no link of allot"};
    if (!can_greet(opening.newest))
        return Error{
            fmt::format("it speaks edition {} of the link protocol, this host {} to {}; install a later "
                        "allot there",
                        opening.newest, first_edition, newest_edition)};
    auto greeting = from_bytes<Greeting>(whole, greeting_edition);
    if (!greeting) return Error{"its hello is malformed"};
    return std::move(*greeting);
}

template Result<Petition> read_greeting(std::string_view, std::string_view);

Result<Hello> read_hello(std::string_view frame) {
    return read_greeting<Hello>(frame, link_magic);
}

std::optional<LinkFrame> read_link_frame(std::string_view frame) {
    LinkFrame read;
    if (!decode(frame, read.head)) return std::nullopt;
    const bool bare = read.head.kind == FrameKind::acknowledge || read.head.kind == FrameKind::goodbye;
    if (bare && !frame.empty()) return std::nullopt;
    read.content = frame;
    return read;
}

std::vector<Setting> settings_for_hello(const std::vector<Setting>& all) {
    constexpr std::size_t lengths = 8;  // of both texts, as bytes of the frame
    std::vector<Setting> first;
    std::size_t room = settings_limit;
    for (const Setting& one : all) {
        const std::size_t size = one.name.size() + one.value.size() + lengths;
        if (size > room) break;
        room -= size;
        first.push_back(one);
    }
    return first;
}

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 200;
    std::string result(text.substr(0, longest));
    for (char& c : result)
        if (c < ' ' || c > '~') c = '?';
    return result;
}

}  // namespace allot::net
