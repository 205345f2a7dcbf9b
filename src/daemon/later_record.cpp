#include "daemon/later_record.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

#include "base/log.hpp"

namespace allot::daemon {

void LaterRecord::write(durable::Record record) {
    next_ = std::move(record);
    if (!busy_ && !rests_) begin();
}

// One thread writes, so this is the last of all that were begun.
Result<bool> LaterRecord::write_now(const durable::Record& record) {
    next_.reset();
    auto written = boost::asio::post(
        disk_, boost::asio::use_future([&] { return durable::write_record(path_, record); }));
    const Result<bool> result = written.get();
    if (result) written_now_ = record.sequence;
    note_problem(result);
    return result;
}

void LaterRecord::begin() {
    busy_ = true;
    boost::asio::post(disk_, [this, record = *std::exchange(next_, std::nullopt)] {
        auto result = durable::write_record(path_, record);
        boost::asio::post(loop_, [this, result = std::move(result), record] {
            // One that failed must not replace a later one that was written meanwhile.
            if (record.sequence < written_now_) return completed(true);
            if (!result && !next_) next_ = record;
            completed(result);
        });
    });
}

void LaterRecord::completed(const Result<bool>& result) {
    constexpr std::chrono::seconds pause{1};
    busy_ = false;
    note_problem(result);
    if (result && next_) return begin();
    if (!result) {
        rests_ = true;
        retry_.set(pause, [this] {
            rests_ = false;
            if (next_) begin();
        });
    }
    ended_();
}

void LaterRecord::note_problem(const Result<bool>& result) {
    const std::string why = result ? "" : result.error();
    if (!why.empty() && why != problem_) log_error("cannot write what must survive a crash: " + why);
    problem_ = why;
}

}  // namespace allot::daemon
