// The file of `allot check --checkpoint`: written every ten minutes and when the check is stopped, each time
// whole or not at all.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/whole_file.hpp"
#include "check/checker.hpp"

namespace allot::cli {

class CheckpointFile {
public:
    explicit CheckpointFile(std::string path) : path_(std::move(path)), next_(Clock::now() + interval) {}

    // Writes a checkpoint if one is due. The last one waits for conclude(): whether the check is stopped
    // after the exploration is not known yet. A checkpoint that cannot be written is said at once, and the
    // next one is tried all the same.
    void offer(bool last, check::WriteCheckpoint write);
    // Keeps the last checkpoint, if it is of use. Returns what went wrong, if anything did.
    std::optional<std::string> conclude(bool useful);

    const std::string& path() const { return path_; }
    // True if there is something to resume.
    bool kept() const { return kept_; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::minutes interval{10};

    std::optional<std::string> write_one(bool last, check::WriteCheckpoint write);
    std::optional<std::string> commit(WholeFile& file);

    std::string path_;
    Clock::time_point next_;
    std::optional<WholeFile> last_;
    std::optional<std::string> failure_;
    bool kept_ = false;
};

}  // namespace allot::cli
