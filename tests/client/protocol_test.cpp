// docs/session-protocol.md shows a conversation byte by byte. It must be what the code writes and
// understands.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "session/frames.hpp"
#include "session/speak.hpp"

namespace allot::session {
namespace {

std::string hex(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
    return text;
}

// What was written is read back as a message of the language, too.
template <class Language, class Message>
std::string line(char direction, const char* name, const Message& message) {
    std::string frame;
    put_message<Language>(message, newest_edition, frame);
    EXPECT_EQ(from_bytes<Language>(std::string_view(frame).substr(frame_head), newest_edition),
              Language(message));
    std::string framed;
    put_frame(to_bytes(Language(message), newest_edition), framed);
    EXPECT_EQ(frame, framed);
    return fmt::format("{} {:9}{}\n", direction, name, hex(frame));
}

template <class Message>
std::string said(const char* name, const Message& message) {
    return line<ClientMessage>('>', name, message);
}

template <class Message>
std::string heard(const char* name, const Message& message) {
    return line<DaemonMessage>('<', name, message);
}

std::string conversation() {
    return said("Hello", Hello{.command = "./migrate"}) +
           heard("Welcome", Welcome{.session = "alpha-7",
                                    .host = "alpha",
                                    .stop_within_us = 3'000'000,
                                    .resume_within_us = 10'000'000,
                                    .valid_us = 2'900'000}) +
           said("Acquire", Acquire{.ticket = 1,
                                   .locks = {"db", "gpu0"},
                                   .permits = {{"builds", 2}},
                                   .patience_us = 30'000'000}) +
           heard("Granted", Granted{.ticket = 1,
                                    .held = {{"db", 17}, {"gpu0", 4}, {"builds", 300}},
                                    .valid_us = 2'900'000}) +
           said("Release", Release{.ticket = 1}) + heard("Released", Released{.ticket = 1});
}

TEST(SessionProtocol, The_documented_bytes_are_those_of_the_code) {
    std::ifstream file(ALLOT_SOURCE_DIR "/docs/session-protocol.md");
    std::ostringstream page;
    page << file.rdbuf();
    EXPECT_NE(page.str().find("```hex\n" + conversation() + "```"), std::string::npos)
        << "docs/session-protocol.md should show\n"
        << conversation();
}

}  // namespace
}  // namespace allot::session
