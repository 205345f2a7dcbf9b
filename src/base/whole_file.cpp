#include "base/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace allot {

namespace {

std::string problem(const std::string& path) {
    return path + ": cannot write this file: " + std::strerror(errno != 0 ? errno : EIO);
}

// A file that is open already, as in `--out /dev/stdout >FILE`: even if it is regular, it must not be
// replaced.
bool is_open_already(const std::string& path) {
    return path.starts_with("/dev/std") || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

}  // namespace

WholeFile::WholeFile(std::string path, std::string written, const std::string& opened)
    : path_(std::move(path)), written_(std::move(written)), stream_(opened, std::ios::app) {}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      written_(std::exchange(other.written_, {})),
      stream_(std::move(other.stream_)) {}

WholeFile::~WholeFile() {
    if (!written_.empty()) ::unlink(written_.c_str());
}

Result<WholeFile> WholeFile::open(const std::string& path) {
    errno = 0;
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return Error{path + ": cannot write this file: it is a directory"};
    if (exists && (!S_ISREG(old.st_mode) || is_open_already(path))) {
        WholeFile file(path, "", path);
        if (!file.stream_) return Error{problem(path)};
        return file;
    }
    if (exists && ::access(path.c_str(), W_OK) != 0) return Error{problem(path)};
    // A link keeps pointing where it points: the file at its end is replaced.
    const std::string target = exists ? std::filesystem::canonical(path).string() : path;
    std::string pattern = target + ".XXXXXX";
    const int number = ::mkstemp(pattern.data());
    if (number < 0) return Error{problem(path)};
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(number, exists ? old.st_mode & 07777 : 0666 & ~mask);
    ::close(number);
    WholeFile file(target, pattern, pattern);
    if (!file.stream_) return Error{problem(path)};
    return file;
}

Result<WholeFile> WholeFile::instead_of_standard_output() {
    const std::string name = "standard output";
    std::fflush(stdout);
    const int number = ::dup(STDOUT_FILENO);
    if (number < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return Error{problem(name)};
    WholeFile file(name, "", "/dev/fd/" + std::to_string(number));
    if (!file.stream_) return Error{problem(name)};
    ::close(number);
    return file;
}

std::optional<std::string> WholeFile::commit() {
    if (auto failure = complete()) return failure;
    return take_name();
}

std::optional<std::string> WholeFile::commit_both(WholeFile& first, WholeFile& second) {
    for (WholeFile* file : {&first, &second})
        if (auto failure = file->complete()) return failure;
    for (WholeFile* file : {&first, &second})
        if (auto failure = file->take_name()) return failure;
    return std::nullopt;
}

std::optional<std::string> WholeFile::complete() {
    std::fflush(stdout);     // first, if this file is standard output as well
    if (stream_) errno = 0;  // else it says why an earlier write failed
    stream_.close();
    if (!stream_) return problem(path_);
    return std::nullopt;
}

std::optional<std::string> WholeFile::take_name() {
    if (written_.empty()) return std::nullopt;
    if (::rename(written_.c_str(), path_.c_str()) != 0) return problem(path_);
    written_.clear();
    return std::nullopt;
}

}  // namespace allot
