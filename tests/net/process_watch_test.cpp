// The watch of a process: it tells the end of the process, and nothing else.
#include "net/process_watch.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processes.hpp"
#include "net/support.hpp"

namespace allot::net {
namespace {

using boost::asio::posix::stream_descriptor;

int readable_descriptor() {
    return ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
}

TEST(ProcessWatch, Tells_the_end_of_a_process) {
    boost::asio::io_context loop;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    bool gone = false;
    const auto watch = watch_descriptor(loop, open_process(child), [&] { gone = true; });
    ASSERT_NE(watch, nullptr);
    EXPECT_TRUE(run_until(loop, [&] { return gone; }));
    ::waitpid(child, nullptr, 0);
}

// Of two descriptors that are ready at once, the first to be handled closes the other, and a watch begins.
// The event that is still queued for the closed one must not count for the process.
TEST(ProcessWatch, Does_not_take_an_event_of_a_closed_descriptor_for_the_end) {
    boost::asio::io_context loop;
    stream_descriptor one(loop, readable_descriptor());
    stream_descriptor other(loop, readable_descriptor());
    bool gone = false;
    std::unique_ptr<ProcessWatch> watch;
    const auto begin_instead_of = [&](stream_descriptor& closed) {
        return [&](const boost::system::error_code& failure) {
            if (failure) return;
            closed.close();
            watch = watch_descriptor(loop, open_process(::getpid()), [&] { gone = true; });
        };
    };
    one.async_wait(stream_descriptor::wait_read, begin_instead_of(other));
    other.async_wait(stream_descriptor::wait_read, begin_instead_of(one));
    ASSERT_TRUE(run_until(loop, [&] { return watch != nullptr; }));
    loop.restart();
    while (loop.poll_one() > 0) continue;
    EXPECT_FALSE(gone);
}

}  // namespace
}  // namespace allot::net
