// Streams: Unix sockets and TCP, with real sockets on this machine.

#include "net/stream.hpp"

#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/address.hpp"
#include "base/descriptor.hpp"
#include "net/support.hpp"

namespace allot::net {
namespace {

// A stream, and everything that it has told.
struct Heard {
    StreamPtr stream;
    std::string bytes;
    std::vector<int> descriptors;
    std::string why;
    bool closed = false;

    void listen_to(StreamPtr given) {
        stream = std::move(given);
        stream->start({.read = [this](std::string_view read) { bytes += read; },
                       .closed =
                           [this](std::string reason) {
                               closed = true;
                               why = std::move(reason);
                           },
                       .passed = [this](int descriptor) { descriptors.push_back(descriptor); }});
    }
};

// Two ends of one TCP connection.
class TcpStream : public testing::Test {
protected:
    void SetUp() override {
        auto made = listen_tcp(loop, "127.0.0.1:0", nullptr,
                               [this](StreamPtr stream) { accepted.listen_to(std::move(stream)); });
        ASSERT_TRUE(made) << made.error();
        listener = std::move(*made);
        attempt = connect_tcp(loop, fmt::format("127.0.0.1:{}", listener->port()), nullptr, "",
                              [this](Result<StreamPtr> result) {
                                  ASSERT_TRUE(result) << result.error();
                                  connected.listen_to(*result);
                              });
        ASSERT_TRUE(run_until(loop, [this] { return accepted.stream && connected.stream; }));
    }

    boost::asio::io_context loop;
    std::unique_ptr<Listener> listener;
    std::unique_ptr<Attempt> attempt;
    Heard accepted;
    Heard connected;
};

TEST_F(TcpStream, Carries_bytes_both_ways) {
    connected.stream->write("question");
    ASSERT_TRUE(run_until(loop, [this] { return accepted.bytes == "question"; }));
    accepted.stream->write("ans");
    accepted.stream->write("wer");
    ASSERT_TRUE(run_until(loop, [this] { return connected.bytes == "answer"; }));
    EXPECT_EQ(accepted.stream->identity().address.substr(0, 10), "127.0.0.1:");
    EXPECT_EQ(accepted.stream->identity().program, "");
}

TEST_F(TcpStream, Tells_that_the_other_end_has_closed_after_its_last_bytes) {
    connected.stream->write("last words");
    connected.stream->close();
    ASSERT_TRUE(run_until(loop, [this] { return accepted.closed; }));
    EXPECT_EQ(accepted.bytes, "last words");
    EXPECT_FALSE(connected.closed);
}

TEST_F(TcpStream, Closes_when_it_is_dropped) {
    connected.stream.reset();
    EXPECT_TRUE(run_until(loop, [this] { return accepted.closed; }));
}

TEST_F(TcpStream, Finds_what_was_said_before_a_reset) {
    // The other end speaks and closes with bytes unread, so the kernel resets the connection.
    accepted.stream->pause(true);
    accepted.stream->write("refused: too old");
    connected.stream->write("something that nobody reads");
    ASSERT_TRUE(run_until(loop, [this] { return !connected.bytes.empty(); }));
    accepted.stream->close();
    connected.stream->write("more");
    ASSERT_TRUE(run_until(loop, [this] { return connected.closed; }));
    EXPECT_EQ(connected.bytes, "refused: too old");
}

TEST_F(TcpStream, Reads_nothing_while_it_is_paused) {
    accepted.stream->pause(true);
    std::size_t written = 0;
    // What is unsent can only grow once the kernel's buffers are full, as nobody reads.
    ASSERT_TRUE(run_until(loop, [&] {
        if (connected.stream->unsent() == 0) {
            connected.stream->write(std::string(100'000, 'x'));
            written += 100'000;
        }
        return written > 20'000'000 || (written > 1'000'000 && connected.stream->unsent() > 0);
    }));
    EXPECT_EQ(accepted.bytes, "");
    accepted.stream->pause(false);
    ASSERT_TRUE(run_until(loop, [&] { return accepted.bytes.size() == written; }));
    EXPECT_EQ(connected.stream->unsent(), 0u);
}

TEST_F(TcpStream, May_be_closed_by_what_it_tells) {
    StreamPtr other;
    const auto second = connect_tcp(
        loop, fmt::format("127.0.0.1:{}", listener->port()), nullptr, "", [&](Result<StreamPtr> result) {
            other = *result;
            other->start({.read = [&](std::string_view) { std::exchange(other, nullptr)->close(); }});
        });
    const StreamPtr first = accepted.stream;
    ASSERT_TRUE(run_until(loop, [&] { return other && accepted.stream != first; }));
    accepted.stream->write("go away");
    ASSERT_TRUE(run_until(loop, [this] { return accepted.closed; }));
    EXPECT_EQ(other, nullptr);
}

TEST(Connecting, Says_why_it_failed) {
    boost::asio::io_context loop;
    std::string why;
    // Port 1 of the loopback is not used by anything that a test machine runs.
    const auto attempt = connect_tcp(loop, "127.0.0.1:1", nullptr, "", [&](const Result<StreamPtr>& result) {
        why = result ? "none" : result.error();
    });
    ASSERT_TRUE(run_until(loop, [&] { return !why.empty(); }));
    EXPECT_EQ(why, "Connection refused");
}

TEST(Connecting, Resolves_names) {
    boost::asio::io_context loop;
    StreamPtr accepted;
    auto listener =
        listen_tcp(loop, "localhost:0", nullptr, [&](StreamPtr stream) { accepted = std::move(stream); });
    ASSERT_TRUE(listener) << listener.error();
    StreamPtr connected;
    const auto attempt = connect_tcp(loop, fmt::format("localhost:{}", (*listener)->port()), nullptr, "",
                                     [&](Result<StreamPtr> result) {
                                         ASSERT_TRUE(result) << result.error();
                                         connected = *result;
                                     });
    EXPECT_TRUE(run_until(loop, [&] { return accepted && connected; }));
}

TEST(Connecting, Is_given_up_when_the_handle_is_dropped) {
    boost::asio::io_context loop;
    bool told = false;
    auto attempt =
        connect_tcp(loop, "127.0.0.1:1", nullptr, "", [&](const Result<StreamPtr>&) { told = true; });
    attempt.reset();
    loop.run();
    EXPECT_FALSE(told);
}

TEST(Addresses, Are_host_and_port) {
    EXPECT_EQ(parse_host_port("db1.example:4711")->host, "db1.example");
    EXPECT_EQ(parse_host_port("[::1]:80")->host, "::1");
    EXPECT_EQ(parse_host_port("[::1]:80")->port, 80);
    for (const char* wrong :
         {"", "host", ":80", "host:", "host:x", "host:70000", "::1:80", "[]:1", "host:80 "})
        EXPECT_FALSE(parse_host_port(wrong)) << wrong;
}

TEST(Addresses, Of_the_loopback_are_known) {
    EXPECT_TRUE(is_loopback_address("127.0.0.1:1"));
    EXPECT_TRUE(is_loopback_address("127.9.9.9:1"));
    EXPECT_TRUE(is_loopback_address("[::1]:1"));
    EXPECT_TRUE(is_loopback_address("localhost:1"));
    EXPECT_FALSE(is_loopback_address("10.0.0.1:1"));
    EXPECT_FALSE(is_loopback_address("0.0.0.0:1"));
    EXPECT_FALSE(is_loopback_address("localhost.example:1"));
}

// --- Unix sockets

Descriptor dial(const std::string& path) {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
        return Descriptor();
    return socket;
}

void send_with_descriptor(int socket, std::string_view text, int passed) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &passed, sizeof passed);
    ASSERT_EQ(::sendmsg(socket, &message, 0), static_cast<ssize_t>(text.size()));
}

class UnixStream : public testing::Test {
protected:
    Result<std::unique_ptr<Listener>> listen(unsigned mode = 0600) {
        return listen_unix(loop, path, mode,
                           [this](StreamPtr stream) { accepted.listen_to(std::move(stream)); });
    }

    TemporaryFolder folder;
    std::string path = folder / "socket";
    boost::asio::io_context loop;
    Heard accepted;
};

TEST_F(UnixStream, Knows_the_process_at_the_other_end) {
    const auto listener = listen();
    ASSERT_TRUE(listener) << listener.error();
    const Descriptor client = dial(path);
    ASSERT_TRUE(run_until(loop, [this] { return accepted.stream != nullptr; }));
    const auto process = accepted.stream->identity().process;
    ASSERT_TRUE(process);
    EXPECT_EQ(process->pid, ::getpid());
    EXPECT_EQ(process->uid, ::getuid());
}

TEST_F(UnixStream, Hands_over_descriptors_before_their_bytes) {
    const auto listener = listen();
    ASSERT_TRUE(listener) << listener.error();
    const Descriptor client = dial(path);
    ASSERT_TRUE(run_until(loop, [this] { return accepted.stream != nullptr; }));
    send_with_descriptor(client.get(), "one", client.get());
    send_with_descriptor(client.get(), "two", client.get());
    ASSERT_TRUE(run_until(loop, [this] { return accepted.bytes == "onetwo"; }));
    ASSERT_EQ(accepted.descriptors.size(), 2u);
    for (const int descriptor : accepted.descriptors) {
        const Descriptor owned(descriptor);
        EXPECT_NE(::fcntl(owned.get(), F_GETFD) & FD_CLOEXEC, 0);
    }
}

TEST_F(UnixStream, Has_the_mode_that_was_asked_for) {
    const auto listener = listen(0660);
    ASSERT_TRUE(listener) << listener.error();
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0660u);
}

TEST_F(UnixStream, Is_not_taken_from_a_live_process) {
    const auto first = listen();
    ASSERT_TRUE(first) << first.error();
    const auto second = listen();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), path + ": another process listens there already");
    EXPECT_TRUE(dial(path));
}

TEST_F(UnixStream, Replaces_what_a_dead_process_left) {
    const pid_t child = ::fork();
    if (child == 0) {
        // Ends without its destructors, as a process that was killed.
        boost::asio::io_context own;
        const auto listener = listen_unix(own, path, 0600, [](const StreamPtr&) {});
        ::_exit(listener ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(std::filesystem::exists(path));
    const auto listener = listen();
    ASSERT_TRUE(listener) << listener.error();
    EXPECT_TRUE(dial(path));
}

TEST_F(UnixStream, Spares_a_file_that_is_no_socket) {
    ASSERT_GE(Descriptor(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)).get(), 0);
    const auto listener = listen();
    ASSERT_FALSE(listener);
    EXPECT_EQ(listener.error(), path + ": the file exists and is no socket; choose another");
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(UnixStream, Leaves_nothing_behind) {
    {
        const auto listener = listen();
        ASSERT_TRUE(listener) << listener.error();
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(UnixStream, Refuses_a_path_that_is_too_long) {
    path = folder / std::string(120, 'x');
    EXPECT_FALSE(listen());
}

// As long as the process may open no descriptor, connections wait; then they are served.
TEST_F(UnixStream, Survives_a_lack_of_descriptors) {
    const auto listener = listen();
    ASSERT_TRUE(listener) << listener.error();
    const Descriptor client = dial(path);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    // A turn finds no descriptor, and the next one ends a rest; three rests take their time.
    const auto began = std::chrono::steady_clock::now();
    std::size_t turns = 0;
    for (int i = 0; i < 6; ++i) turns += loop.run_one();
    const auto took = std::chrono::steady_clock::now() - began;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(accepted.stream, nullptr);
    EXPECT_EQ(turns, 6u);
    EXPECT_GE(took, 3 * std::chrono::milliseconds(100));
    EXPECT_TRUE(run_until(loop, [this] { return accepted.stream != nullptr; }));
}

}  // namespace
}  // namespace allot::net
