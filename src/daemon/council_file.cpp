#include "daemon/council_file.hpp"

#include <utility>

#include "core/bytes.hpp"
#include "daemon/host_folder.hpp"

namespace allot::daemon {

namespace {

constexpr const char* kind = "council";

}  // namespace

CouncilFile::CouncilFile(boost::asio::io_context& loop, const std::string& folder,
                         std::function<void()> written)
    : folder_(folder), record_(loop, folder + "/council", [this, written = std::move(written)] {
          if (problem().empty()) written();
      }) {}

Result<std::optional<CouncilFile::Files>> CouncilFile::read() {
    const auto record = durable::read_record(record_.path(), kind);
    if (!record) return with_way_back({record.error()}, folder_, kind);
    if (!*record) return std::optional<Files>();
    auto files = from_bytes<Files>((*record)->content, (*record)->edition);
    if (!files) return Error{record_.path() + ": it belongs to another version of allot"};
    sequence_ = (*record)->sequence;
    return std::optional(std::move(*files));
}

void CouncilFile::write(const Files& files, Edition edition) {
    record_.write(next(files, edition));
}

Result<bool> CouncilFile::write_now(const Files& files, Edition edition) {
    return record_.write_now(next(files, edition));
}

durable::Record CouncilFile::next(const Files& files, Edition edition) {
    return {kind, edition, ++sequence_, to_bytes(files, edition)};
}

}  // namespace allot::daemon
