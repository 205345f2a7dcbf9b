#include "daemon/council_file.hpp"

#include <boost/asio/post.hpp>

#include "base/log.hpp"
#include "core/bytes.hpp"
#include "durable/record.hpp"

namespace allot::daemon {

namespace {

constexpr const char* kind = "council";

}  // namespace

Result<std::optional<CouncilFile::Files>> CouncilFile::read() {
    const auto record = durable::read_record(path_, kind);
    if (!record) return Error{record.error()};
    if (!*record) return std::optional<Files>();
    auto files = from_bytes<Files>((*record)->content, (*record)->edition);
    if (!files) return Error{path_ + ": it belongs to another version of allot"};
    sequence_ = (*record)->sequence;
    return std::optional(std::move(*files));
}

void CouncilFile::write(const Files& files, Edition edition) {
    next_ = Content{edition, to_bytes(files, edition)};
    if (!busy_) begin();
}

Result<bool> CouncilFile::write_now(const Files& files, Edition edition) {
    return durable::write_record(path_, {kind, edition, ++sequence_, to_bytes(files, edition)});
}

void CouncilFile::begin() {
    busy_ = true;
    Content content = *std::exchange(next_, std::nullopt);
    durable::Record record{kind, content.edition, ++sequence_, std::move(content.bytes)};
    boost::asio::post(disk_, [this, record = std::move(record)] {
        auto result = durable::write_record(path_, record);
        boost::asio::post(loop_, [this, result = std::move(result), record] {
            if (!result && !next_) next_ = Content{record.edition, record.content};
            ended(result);
        });
    });
}

void CouncilFile::ended(const Result<bool>& result) {
    constexpr std::chrono::seconds pause{1};
    busy_ = false;
    const std::string why = result ? "" : result.error();
    if (!why.empty() && why != problem_) log_error("cannot write what must survive a crash: " + why);
    problem_ = why;
    if (!result) {
        busy_ = true;
        return retry_.set(pause, [this] { begin(); });
    }
    if (next_) return begin();
    written_();
}

}  // namespace allot::daemon
