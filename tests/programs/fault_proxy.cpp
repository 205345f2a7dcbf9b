// fault_proxy LISTEN TARGET: stands between two programs and misbehaves as the lines on its standard input
// say (see net/fault_proxy.hpp). It first prints the port it listens on, then one line per command, and ends
// with its input.
//
//   fault_proxy 127.0.0.1:0 127.0.0.1:4711

#include "net/fault_proxy.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <fmt/format.h>
#include <istream>
#include <unistd.h>

namespace {

using allot::net::FaultProxy;

class Console {
public:
    Console(boost::asio::io_context& loop, FaultProxy& proxy)
        : loop_(loop), proxy_(proxy), input_(loop, ::dup(STDIN_FILENO)) {}

    void read() {
        boost::asio::async_read_until(input_, buffer_, '\n',
                                      [this](const boost::system::error_code& failure, std::size_t) {
                                          if (failure) return loop_.stop();
                                          obey();
                                          read();
                                      });
    }

private:
    void obey() {
        std::istream lines(&buffer_);
        std::string line;
        std::getline(lines, line);
        const auto answer = proxy_.command(line);
        fmt::print("{}\n", answer ? *answer : "error " + answer.error());
        std::fflush(stdout);
    }

    boost::asio::io_context& loop_;
    FaultProxy& proxy_;
    boost::asio::posix::stream_descriptor input_;
    boost::asio::streambuf buffer_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr,
                   "usage: fault_proxy LISTEN TARGET, as in fault_proxy 127.0.0.1:0 127.0.0.1:4711\n");
        return 2;
    }
    boost::asio::io_context loop;
    const auto proxy = FaultProxy::make(loop, argv[1], argv[2]);
    if (!proxy) {
        fmt::print(stderr, "fault_proxy: {}\n", proxy.error());
        return 2;
    }
    fmt::print("{}\n", (*proxy)->port());
    std::fflush(stdout);
    Console console(loop, **proxy);
    console.read();
    loop.run();
    return 0;
}
