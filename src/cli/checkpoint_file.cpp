#include "cli/checkpoint_file.hpp"

namespace allot::cli {

void CheckpointFile::offer(bool last, check::WriteCheckpoint write) {
    if (failure_ || (!last && Clock::now() < next_)) return;
    auto file = WholeFile::open(path_);
    if (!file) {
        failure_ = file.error();
        return;
    }
    write(file->stream());
    if (last)
        last_.emplace(std::move(*file));
    else
        commit(*file);
    next_ = Clock::now() + interval;
}

void CheckpointFile::commit(WholeFile& file) {
    failure_ = file.commit();
    kept_ = kept_ || !failure_;
}

std::optional<std::string> CheckpointFile::conclude(bool useful) {
    if (useful && last_) commit(*last_);
    last_.reset();
    return failure_;
}

}  // namespace allot::cli
