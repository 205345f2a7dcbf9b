#include "net/link_frames.hpp"

#include <fmt/format.h>

#include "base/frame.hpp"
#include "core/bytes.hpp"

namespace allot::net {

void put_hello(const Hello& hello, std::string& out) {
    const std::size_t start = out.size();
    begin_frame(out);
    encode(Opening{}, out);
    encode(hello, out);
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

Result<Hello> read_hello(std::string_view frame) {
    Opening opening;
    if (!decode(frame, opening) || opening.magic != link_magic) return Error{"this is no link of allot"};
    if (opening.version != link_version)
        return Error{fmt::format("it speaks version {} of the link protocol, this host version {}",
                                 opening.version, link_version)};
    auto hello = from_bytes<Hello>(frame);
    if (!hello) return Error{"its hello is malformed"};
    return std::move(*hello);
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
