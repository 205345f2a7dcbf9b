#include "net/handshake_worker.hpp"

#include <boost/asio/post.hpp>
#include <csignal>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace allot::net {

namespace {

constexpr std::size_t busy_from = 64;  // jobs: some 20 ms of work
// Other threads of a full machine come first, but a host that reconnects does not wait for ever.
constexpr int niceness = 10;

// Signals are for the loop.
void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void lower_priority_of_this_thread() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

}  // namespace

const boost::asio::execution_context::id HandshakeWorker::id;

HandshakeWorker::HandshakeWorker(boost::asio::execution_context& loop)
    : service(loop), loop_(static_cast<boost::asio::io_context&>(loop)) {}

void HandshakeWorker::put(Job job, std::deque<Entry>& queue) {
    {
        const std::scoped_lock lock(mutex_);
        queue.push_back({std::move(job), Work(loop_.get_executor())});
    }
    filled_.notify_one();
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

bool HandshakeWorker::is_busy() {
    const std::scoped_lock lock(mutex_);
    return beginnings_.size() + continuations_.size() >= busy_from;
}

void HandshakeWorker::run(const std::stop_token& stop) {
    block_signals();
    lower_priority_of_this_thread();
    while (auto entry = take(stop)) {
        entry->job.work();
        boost::asio::post(loop_, [entry = std::move(*entry)] { entry.job.done(); });
    }
}

std::optional<HandshakeWorker::Entry> HandshakeWorker::take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!filled_.wait(lock, stop, [this] { return !beginnings_.empty() || !continuations_.empty(); }) ||
        stop.stop_requested())
        return std::nullopt;
    auto& queue = continuations_.empty() ? beginnings_ : continuations_;
    std::optional<Entry> entry(std::move(queue.front()));
    queue.pop_front();
    return entry;
}

void HandshakeWorker::shutdown() {
    thread_ = std::jthread();
    beginnings_.clear();
    continuations_.clear();
}

}  // namespace allot::net
