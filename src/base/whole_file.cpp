#include "base/whole_file.hpp"

#include <cerrno>
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

}  // namespace

WholeFile::WholeFile(std::string path, std::string written)
    : path_(std::move(path)), written_(std::move(written)), stream_(written_.empty() ? path_ : written_) {}

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
    if (exists && !S_ISREG(old.st_mode)) {
        WholeFile file(path, "");
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
    WholeFile file(target, pattern);
    if (!file.stream_) return Error{problem(path)};
    return file;
}

std::optional<std::string> WholeFile::commit() {
    if (stream_) errno = 0;  // else it says why an earlier write failed
    stream_.close();
    if (!stream_) return problem(path_);
    if (written_.empty()) return std::nullopt;
    if (::rename(written_.c_str(), path_.c_str()) != 0) return problem(path_);
    written_.clear();
    return std::nullopt;
}

}  // namespace allot
