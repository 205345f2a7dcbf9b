#include "daemon/state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.hpp"
#include "core/bytes.hpp"
#include "durable/record.hpp"

namespace allot::daemon {

namespace {

constexpr const char* running = "running";
constexpr const char* stopped = "stopped";

constexpr std::uint32_t format = 8;

// Only then are the names of files in it on the disk.
Result<bool> sync_folder(const std::string& path) {
    const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || ::fsync(folder.get()) != 0)
        return Error{fmt::format("{}: {}", path, std::strerror(errno))};
    return true;
}

template <class T>
Result<bool> write(const std::string& path, const char* kind, const T& content) {
    return durable::write_record(path, {kind, format, 0, to_bytes(content)});
}

// Nothing if there is no such file.
template <class T>
Result<std::optional<T>> read(const std::string& path, const char* kind) {
    const auto record = durable::read_record(path, kind, format);
    if (!record) return Error{record.error()};
    if (!*record) return std::optional<T>();
    auto content = from_bytes<T>((*record)->content);
    if (!content || (*record)->version != format)
        return Error{fmt::format("{}: it belongs to another version of allot", path)};
    return std::optional(std::move(*content));
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

    const auto before = read<Mark>(file(running), running);
    // Even of a damaged folder the mark counts, if it can be read.
    if (fresh) return begin_anew(before ? *before : std::nullopt);
    constexpr const char* advice = "; stop all hosts, then start each with --fresh";
    if (!before) return Error{before.error() + advice};
    auto saved = read<SavedState>(file(stopped), stopped);
    if (!saved) return Error{saved.error() + advice};
    if (*saved && (*saved)->agreement != agreement)
        return Error{fmt::format("{}: this state belongs to another configuration{}", file(stopped), advice)};
    Beginning beginning;
    beginning.saved = std::move(*saved);
    if (beginning.saved) mark_.incarnation = beginning.incarnation = beginning.saved->incarnation;
    if (*before) go_on_from(**before, beginning);
    return beginning;
}

void StateFolder::go_on_from(const Mark& before, Beginning& beginning) {
    mark_ = before;
    beginning.life = mark_.life;
    beginning.epoch = mark_.epoch;
    beginning.refused = mark_.refused;
    beginning.forgetful = mark_.forgetful;
    if (beginning.saved) return;
    beginning.after_a_crash = beginning.holders_may_live = true;
    beginning.incarnation = ++mark_.incarnation;
    beginning.life = ++mark_.life;
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
    return write(file(running), running, mark_);
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
    auto written = write(draft, stopped, std::pair(state, mark_));
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    return written;
}

// The mark stays, because it holds the numbers. The saved state beside it says that nothing was lost.
Result<bool> StateFolder::save(const SavedState& state) {
    if (auto written = write_mark(); !written) return written;
    return write(file(stopped), stopped, state);
}

}  // namespace allot::daemon
