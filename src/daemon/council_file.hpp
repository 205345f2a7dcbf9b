// The durable part of the council (protocols/agreement/council.hpp) in the state folder. It is written beside
// the loop, one write after another: a slow disk delays votes, and neither leases nor grants.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "net/timer.hpp"
#include "protocols/agreement/council.hpp"

namespace allot::daemon {

class CouncilFile {
public:
    using Files = agreement::Council::Files;

    // `written`: everything that was to be written is on the disk.
    CouncilFile(boost::asio::io_context& loop, const std::string& folder, std::function<void()> written)
        : loop_(loop), path_(folder + "/council"), written_(std::move(written)), retry_(loop) {}
    ~CouncilFile() { disk_.join(); }
    CouncilFile(const CouncilFile&) = delete;
    CouncilFile& operator=(const CouncilFile&) = delete;

    // Nothing if there is no such file.
    Result<std::optional<Files>> read();
    void write(const Files& files, Edition edition);
    // The same, on the disk when it returns; no other write may be under way.
    Result<bool> write_now(const Files& files, Edition edition);
    // Why the last write failed; it is tried again.
    const std::string& problem() const { return problem_; }

private:
    struct Content {
        Edition edition = newest_edition;
        std::string bytes;
    };
    void begin();
    void ended(const Result<bool>& result);

    boost::asio::io_context& loop_;
    std::string path_;
    std::function<void()> written_;
    std::uint64_t sequence_ = 0;
    std::optional<Content> next_;  // to be written after the write that is under way
    bool busy_ = false;
    std::string problem_;
    net::Timer retry_;
    boost::asio::thread_pool disk_{1};
};

}  // namespace allot::daemon
