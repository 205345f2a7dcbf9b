#include "base/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
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

// The permissions of a new file.
mode_t usual_mode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

std::string parent_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

std::string name_of(const Descriptor& file) {
    return "/proc/self/fd/" + std::to_string(file.get());
}

}  // namespace

WholeFile::WholeFile(std::string path, const std::string& opened)
    : path_(std::move(path)), stream_(opened, std::ios::app) {}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      written_(std::exchange(other.written_, {})),
      stream_(std::move(other.stream_)) {}

WholeFile::~WholeFile() {
    if (!written_.empty()) ::unlink(written_.c_str());
}

Result<WholeFile> WholeFile::open(const std::string& path, std::optional<mode_t> mode) {
    errno = 0;
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return Error{path + ": cannot write this file: it is a directory"};
    if (exists && (!S_ISREG(old.st_mode) || is_open_already(path))) {
        WholeFile file(path, path);
        if (!file.stream_) return Error{problem(path)};
        return file;
    }
    if (!exists) return replacing(path, mode.value_or(usual_mode()));
    if (::access(path.c_str(), W_OK) != 0) return Error{problem(path)};
    // A link keeps pointing where it points: the file at its end is replaced.
    std::error_code unknown;
    const std::string target = std::filesystem::canonical(path, unknown).string();
    return replacing(unknown ? path : target, old.st_mode & 07777);
}

Result<WholeFile> WholeFile::replacing(const std::string& path, mode_t mode) {
    Descriptor unnamed(::open(parent_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    std::string pattern;
    if (!unnamed) {  // the file system has only files with names
        pattern = path + ".XXXXXX";
        unnamed = Descriptor(::mkostemp(pattern.data(), O_CLOEXEC));
        if (!unnamed) return Error{problem(path)};
    }
    ::fchmod(unnamed.get(), mode | S_IWUSR);
    WholeFile file(path, name_of(unnamed));
    ::fchmod(unnamed.get(), mode);
    file.file_ = std::move(unnamed);
    file.written_ = std::move(pattern);
    if (!file.stream_) return Error{problem(path)};
    return file;
}

Result<WholeFile> WholeFile::instead_of_standard_output() {
    const std::string name = "standard output";
    std::fflush(stdout);
    const int number = ::dup(STDOUT_FILENO);
    if (number < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return Error{problem(name)};
    WholeFile file(name, "/dev/fd/" + std::to_string(number));
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
    if (!stream_ || (file_ && ::fsync(file_.get()) != 0)) return problem(path_);
    return std::nullopt;
}

// A file without a name cannot replace another: it gets a name of its own first.
std::optional<std::string> WholeFile::take_name() {
    if (!file_) return std::nullopt;
    for (int number = 0; written_.empty(); ++number) {
        const std::string name = path_ + "." + std::to_string(::getpid()) + "." + std::to_string(number);
        if (::linkat(AT_FDCWD, name_of(file_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
            written_ = name;
        else if (errno != EEXIST)  // a file of somebody else keeps its name
            return problem(path_);
    }
    if (::rename(written_.c_str(), path_.c_str()) != 0) return problem(path_);
    written_.clear();
    const Descriptor folder(::open(parent_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) ::fsync(folder.get());  // the new name is on the disk
    return std::nullopt;
}

}  // namespace allot
