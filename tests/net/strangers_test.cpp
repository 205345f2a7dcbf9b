// Hosts on one machine without TLS: who is believed, and what the others learn. Only root can be somebody
// else.

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/fsuid.h>
#include <sys/socket.h>

#include "base/descriptor.hpp"
#include "base/frame.hpp"
#include "net/local_user.hpp"
#include "net/mesh_support.hpp"
#include "net/socket.hpp"

namespace allot::net {
namespace {

constexpr std::uint32_t nobody = 65534;

// Sockets that this thread makes meanwhile belong to another user.
class AsNobody {
public:
    AsNobody() : before_(::setfsuid(nobody)) {}
    ~AsNobody() { ::setfsuid(static_cast<uid_t>(before_)); }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;

private:
    const int before_;
};

sockaddr_in loopback_at(std::uint16_t port) {
    return {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
}

Descriptor tcp_socket() {
    return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

Descriptor connected_to(std::uint16_t port) {
    Descriptor socket = tcp_socket();
    const sockaddr_in address = loopback_at(port);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
}

Descriptor listening() {
    Descriptor socket = tcp_socket();
    const sockaddr_in address = loopback_at(0);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket.get(), 5), 0);
    return socket;
}

void make_non_blocking(const Descriptor& socket) {
    ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
}

class Strangers : public MeshTest {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
    }
    void start_bee(const MeshConfig& config = quick_config(bee)) {
        b = std::make_unique<TestHost>(loop, config);
        b->start();
    }
    // The answer of bee to these bytes, before it closes the connection.
    std::string said_to(const Descriptor& socket, const std::string& bytes) {
        EXPECT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
        make_non_blocking(socket);
        std::string said;
        EXPECT_TRUE(until([&] {
            char part[4096];
            const ssize_t size = ::recv(socket.get(), part, sizeof part, 0);
            if (size > 0) said.append(part, static_cast<std::size_t>(size));
            return size == 0;
        }));
        return said;
    }
    static Hello hello_of_ant() {
        return {.from = "ant",
                .from_number = ant,
                .to = "bee",
                .to_number = bee,
                .agreement = 42,
                .settings = quick_config(ant).settings,
                .payload_limit = quick_config(ant).frame_limit,
                .position = {.incarnation = 9},
                .process = 1,
                .connection = 1};
    }
    static std::string framed(const Hello& hello) {
        std::string out;
        put_hello(hello, out);
        return out;
    }
    static std::string refusal(std::string_view why) {
        std::string out;
        put_link_frame({.kind = FrameKind::refusal}, why, out);
        return out;
    }
    // Who ant says listens at that port instead of bee.
    std::string problem_with(std::uint16_t port) {
        auto config = quick_config(ant);
        config.hosts[bee].address = fmt::format("127.0.0.1:{}", port);
        a = std::make_unique<TestHost>(loop, config);
        a->start();
        EXPECT_TRUE(until([&] { return !a->problem(bee).empty(); }));
        return a->problem(bee);
    }
};

TEST_F(Strangers, Of_another_user_get_no_link_and_learn_nothing) {
    start_bee();
    const AsNobody somebody_else;
    auto wrong = hello_of_ant();
    wrong.agreement = 1;
    for (const Hello& hello : {hello_of_ant(), wrong}) {
        const Descriptor socket = connected_to(b->port);
        EXPECT_EQ(said_to(socket, framed(hello)), refusal(believed_without_tls));
    }
    EXPECT_TRUE(b->told.empty());
    EXPECT_EQ(b->problem(ant), "");
}

TEST_F(Strangers, Of_another_user_cannot_join) {
    start_bee();
    std::string petition;
    put_petition({.name = "wasp", .address = "127.0.0.1:1"}, petition);
    const AsNobody somebody_else;
    EXPECT_EQ(said_to(connected_to(b->port), petition), refusal(believed_without_tls));
}

TEST_F(Strangers, Who_have_closed_already_are_believed_as_little) {
    start_bee();
    const std::string hello = framed(hello_of_ant());
    {
        const AsNobody somebody_else;
        const Descriptor stranger = connected_to(b->port);
        ASSERT_EQ(::send(stranger.get(), hello.data(), hello.size(), 0), static_cast<ssize_t>(hello.size()));
    }
    // bee hears the stranger before this one.
    const Descriptor later = connected_to(b->port);
    EXPECT_EQ(said_to(later, std::string("\x08\0\0\0garbage!", 12)), refusal("this is no link of allot"));
    EXPECT_TRUE(b->told.empty());
}

TEST_F(Strangers, Who_listen_in_the_place_of_a_host_are_told_nothing) {
    const Descriptor listener = [] {
        const AsNobody somebody_else;
        return listening();
    }();
    EXPECT_THAT(problem_with(port_of(listener.get())), testing::HasSubstr("it belongs to user 65534"));
    const Descriptor accepted(::accept(listener.get(), nullptr, nullptr));
    make_non_blocking(accepted);
    char byte = 0;
    EXPECT_LE(::recv(accepted.get(), &byte, 1, 0), 0) << "ant has said something";
}

TEST_F(Strangers, Who_listen_and_close_at_once_are_not_taken_for_root) {
    Descriptor listener = [] {
        const AsNobody somebody_else;
        return listening();
    }();
    const Descriptor socket = connected_to(port_of(listener.get()));
    EXPECT_EQ(user_at_other_end(socket.get(), Side::connects), nobody);
    {
        const AsNobody somebody_else;
        const Descriptor accepted(::accept(listener.get(), nullptr, nullptr));
        EXPECT_EQ(user_at_other_end(socket.get(), Side::connects), nobody);
    }
    EXPECT_EQ(user_at_other_end(socket.get(), Side::connects), std::nullopt);
    listener = Descriptor();
    EXPECT_EQ(user_at_other_end(socket.get(), Side::connects), std::nullopt);
}

TEST_F(Strangers, Over_plaintext_that_is_allowed_explicitly_are_not_told_of_the_configuration) {
    auto config = quick_config(bee);
    config.plaintext = true;
    start_bee(config);
    auto hello = hello_of_ant();
    hello.agreement = 1;
    const AsNobody somebody_else;
    EXPECT_EQ(said_to(connected_to(b->port), framed(hello)), refusal("the log there says why"));
    EXPECT_THAT(b->problem(ant), testing::HasSubstr("its configuration differs"));
}

TEST(LocalUser, Is_known_at_both_ends_of_a_connection) {
    const Descriptor listener = listening();
    const Descriptor socket = connected_to(port_of(listener.get()));
    EXPECT_EQ(user_at_other_end(socket.get(), Side::connects), ::geteuid()) << "not accepted yet";
    const Descriptor accepted(::accept(listener.get(), nullptr, nullptr));
    EXPECT_EQ(user_at_other_end(socket.get(), Side::connects), ::geteuid());
    EXPECT_EQ(user_at_other_end(accepted.get(), Side::accepts), ::geteuid());
}

}  // namespace
}  // namespace allot::net
