#include "daemon/state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.hpp"
#include "core/bytes.hpp"

namespace allot::daemon {

namespace {

constexpr const char* running = "running";
constexpr const char* stopped = "stopped";

std::optional<std::string> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Only then are the names of files in it on the disk.
Result<bool> sync_folder(const std::string& path) {
    const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || ::fsync(folder.get()) != 0)
        return Error{fmt::format("{}: {}", path, std::strerror(errno))};
    return true;
}

Result<bool> write_draft(const std::string& draft, std::string_view bytes) {
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    const auto failed = [&] { return Error{fmt::format("{}: {}", draft, std::strerror(errno))}; };
    if (!file) return failed();
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return failed();
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file.get()) != 0) return failed();
    return true;
}

// A crash leaves either the old content or the new one.
Result<bool> write_whole(const std::string& path, std::string_view bytes) {
    const std::string draft = path + ".new";
    if (auto written = write_draft(draft, bytes); !written) return written;
    if (std::rename(draft.c_str(), path.c_str()) != 0)
        return Error{fmt::format("{}: {}", path, std::strerror(errno))};
    return sync_folder(std::filesystem::path(path).parent_path());
}

}  // namespace

Result<Beginning> StateFolder::open(std::uint64_t agreement, bool fresh) {
    std::error_code failure;
    std::filesystem::create_directories(path_, failure);
    lock_ = Descriptor(::open(file("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_)
        return Error{fmt::format("{}: {}; write a folder that this user may write to, as in state = \"...\"",
                                 path_, std::strerror(errno))};
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{fmt::format("{}: another daemon runs with this state folder", path_)};

    const auto marked = read(file(running));
    const auto before = marked ? from_bytes<Mark>(*marked) : std::nullopt;
    if (fresh) return begin_anew(before);
    Beginning beginning;
    if (const auto bytes = read(file(stopped))) {
        auto saved = from_bytes<SavedState>(*bytes);
        if (!saved || saved->version != SavedState{}.version || saved->agreement != agreement)
            return Error{
                fmt::format("{}: this state belongs to another configuration or version; stop all hosts, "
                            "then start each with --fresh",
                            file(stopped))};
        mark_.incarnation = beginning.incarnation = saved->incarnation;
        beginning.saved = std::move(*saved);
    }
    if (marked) {
        if (!before)
            return Error{
                fmt::format("{}: cannot read this file; remove it if no daemon ran here", file(running))};
        mark_ = *before;
        beginning.life = mark_.life;
        beginning.epoch = mark_.epoch;
        beginning.refused = mark_.refused;
        beginning.forgetful = mark_.forgetful;
        if (!beginning.saved) {
            beginning.after_a_crash = beginning.holders_may_live = true;
            beginning.incarnation = ++mark_.incarnation;
            beginning.life = ++mark_.life;
        }
    }
    return beginning;
}

Beginning StateFolder::begin_anew(const std::optional<Mark>& before) {
    Beginning beginning;
    if (!before) return beginning;
    beginning.holders_may_live = true;
    mark_.epoch = beginning.epoch = before->epoch + 1;
    return beginning;
}

Result<bool> StateFolder::begin() {
    running_ = true;
    if (auto written = write_mark(); !written) return written;
    std::error_code failure;
    std::filesystem::remove(file(stopped), failure);
    if (failure) return Error{fmt::format("{}: {}", file(stopped), failure.message())};
    return sync_folder(path_);
}

// The folder may have been removed in the meantime.
Result<bool> StateFolder::write_mark() {
    std::error_code failure;
    if (std::filesystem::create_directories(path_, failure))
        log_warning(fmt::format(
            "{}: the state folder was removed while the daemon ran; the daemon makes it again", path_));
    return write_whole(file(running), to_bytes(mark_));
}

bool StateFolder::note() {
    if (!running_) return true;  // written when it begins
    const auto written = write_mark();
    const std::string problem = written ? "" : written.error();
    if (!problem.empty() && problem != problem_) log_error(problem);
    problem_ = problem;
    next_try_ = BootClock::now() + std::chrono::seconds(1);
    return problem_.empty();
}

void StateFolder::try_again() {
    if (problem_.empty() || BootClock::now() < next_try_) return;
    note();
    if (problem_.empty()) log_info(fmt::format("{}: writing works again", path_));
}

void StateFolder::note_life(std::uint32_t life) {
    mark_.life = life;
    note();
}

void StateFolder::note_loss(std::uint32_t incarnation) {
    mark_.incarnation = std::max(mark_.incarnation, incarnation);
    mark_.forgetful = true;
    note();
}

bool StateFolder::note_refused(const std::vector<std::uint32_t>& lives, bool forgetful) {
    if (lives == mark_.refused && forgetful == mark_.forgetful && problem_.empty()) return true;
    mark_.refused = lives;
    mark_.forgetful = forgetful;
    return note();
}

void StateFolder::note_epoch(std::uint32_t epoch) {
    if (epoch == mark_.epoch) return;
    mark_.epoch = epoch;
    note();
}

Result<bool> StateFolder::rehearse(const SavedState& state) const {
    if (!std::filesystem::exists(path_)) return true;  // it will be made again
    const std::string draft = file(stopped) + ".new";
    auto written = write_draft(draft, to_bytes(state) + to_bytes(mark_));
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    return written;
}

// The mark stays, because it holds the numbers. The saved state beside it says that nothing was lost.
Result<bool> StateFolder::save(const SavedState& state) {
    if (auto written = write_mark(); !written) return written;
    return write_whole(file(stopped), to_bytes(state));
}

}  // namespace allot::daemon
