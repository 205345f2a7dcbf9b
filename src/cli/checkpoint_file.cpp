#include "cli/checkpoint_file.hpp"

#include <fmt/format.h>

namespace allot::cli {

void CheckpointFile::offer(bool last, check::WriteCheckpoint write) {
    if (!last && Clock::now() < next_) return;
    try {
        failure_ = write_one(last, write);
    } catch (const std::exception& problem) {  // the checker's threads meet here and must not throw
        failure_ = path_ + ": " + problem.what();
    }
    if (failure_ && !last) fmt::print(stderr, "allot: --checkpoint {}\n", *failure_);
    next_ = Clock::now() + interval;
}

std::optional<std::string> CheckpointFile::write_one(bool last, check::WriteCheckpoint write) {
    auto file = WholeFile::open(path_);
    if (!file) return file.error();
    write(file->stream());
    if (!last) return commit(*file);
    last_.emplace(std::move(*file));
    return std::nullopt;
}

std::optional<std::string> CheckpointFile::commit(WholeFile& file) {
    auto failure = file.commit();
    kept_ = kept_ || !failure;
    return failure;
}

std::optional<std::string> CheckpointFile::conclude(bool useful) {
    if (useful && last_) failure_ = commit(*last_);
    last_.reset();
    return failure_;
}

}  // namespace allot::cli
