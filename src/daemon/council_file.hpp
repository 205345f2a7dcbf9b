// The durable part of the council (protocols/agreement/council.hpp) in the state folder. It is written beside
// the loop: a slow disk delays votes, and neither leases nor grants.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "daemon/later_record.hpp"
#include "protocols/agreement/council.hpp"

namespace allot::daemon {

class CouncilFile {
public:
    using Files = agreement::Council::Files;

    // `written`: everything that was to be written is on the disk.
    CouncilFile(boost::asio::io_context& loop, const std::string& folder, std::function<void()> written);

    // Nothing if there is no such file.
    Result<std::optional<Files>> read();
    void write(const Files& files, Edition edition);
    // The same, on the disk when it returns; no other write may be under way.
    Result<bool> write_now(const Files& files, Edition edition);
    // Why the last write failed; it is tried again.
    const std::string& problem() const { return record_.problem(); }

private:
    durable::Record next(const Files& files, Edition edition);

    std::string folder_;
    std::uint64_t sequence_ = 0;
    LaterRecord record_;
};

}  // namespace allot::daemon
