// A thread with low priority that does the arithmetic of handshakes, for all connections of a loop. So
// strangers who begin many handshakes take the time of other cores, and not of the programs that are served.
#pragma once

#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace allot::net {

class HandshakeWorker final : public boost::asio::execution_context::service {
public:
    static const boost::asio::execution_context::id id;
    explicit HandshakeWorker(boost::asio::execution_context& loop);

    struct Job {
        std::function<void()> work;  // in the thread
        std::function<void()> done;  // then in the loop, where both are destroyed
    };
    void first(Job job) { put(std::move(job), beginnings_); }
    // The next part of a handshake. It comes before all first parts: what was begun ends soon.
    void next(Job job) { put(std::move(job), continuations_); }

    // It has so much to do that no further connections should be accepted now.
    bool is_busy();

private:
    using Work = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;
    struct Entry {
        Job job;
        Work keeps_loop_running;
    };
    void put(Job job, std::deque<Entry>& queue);
    void run(const std::stop_token& stop);
    std::optional<Entry> take(const std::stop_token& stop);
    void shutdown() override;

    boost::asio::io_context& loop_;
    std::mutex mutex_;  // of the queues
    std::condition_variable_any filled_;
    std::deque<Entry> beginnings_;
    std::deque<Entry> continuations_;
    std::jthread thread_;  // begins with the first job
};

}  // namespace allot::net
