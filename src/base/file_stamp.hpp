// Tells whether a file was written or replaced since the last look, without reading it.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace allot {

struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::int64_t size = -1;
    std::int64_t written_ns = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileStamp&) const = default;

    // Follows symbolic links. All files that cannot be found have the same stamp.
    static FileStamp of(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) != 0) return {};
        const auto ns = [](const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
        return {.device = found.st_dev,
                .number = found.st_ino,
                .size = found.st_size,
                .written_ns = ns(found.st_mtim),
                .changed_ns = ns(found.st_ctim)};
    }
};

}  // namespace allot
