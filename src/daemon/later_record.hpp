// A durable record that is written beside the loop, one write after another: a slow disk delays what must
// wait for it, and nothing else. A write that fails is tried again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "durable/record.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class LaterRecord {
public:
    // `ended`: a write has ended, and none is under way or waits to begin. Unless there is a problem, the
    // newest record is on the disk.
    LaterRecord(boost::asio::io_context& loop, std::string path, std::function<void()> ended)
        : loop_(loop), path_(std::move(path)), ended_(std::move(ended)), retry_(loop) {}
    ~LaterRecord() { disk_.join(); }
    LaterRecord(const LaterRecord&) = delete;
    LaterRecord& operator=(const LaterRecord&) = delete;

    const std::string& path() const { return path_; }
    // In place of one that has not begun yet.
    void write(durable::Record record);
    // On the disk when this returns, after a write that is under way.
    Result<bool> write_now(const durable::Record& record);
    // The newest record is not on the disk: it is being written, or will be tried again.
    bool is_behind() const { return busy_ || next_; }
    // Why the last write failed.
    const std::string& problem() const { return problem_; }

private:
    void begin();
    void completed(const Result<bool>& result);
    void note_problem(const Result<bool>& result);

    boost::asio::io_context& loop_;
    std::string path_;
    std::function<void()> ended_;
    std::optional<durable::Record> next_;  // to be written after the write that is under way
    std::uint64_t written_now_ = 0;        // the sequence number of the last record that write_now() wrote
    bool busy_ = false;
    bool rests_ = false;  // after a write that failed
    std::string problem_;
    net::Timer retry_;
    boost::asio::thread_pool disk_{1};
};

}  // namespace allot::daemon
