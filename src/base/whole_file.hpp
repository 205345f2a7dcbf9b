// A file that is written whole or not at all: what is written goes to a new file beside it, which takes its
// name only when everything is there, on the disk. An error, an interruption or a full disk leaves the old
// content as it was, and nothing beside it: until then the new file has no name, where the file system allows
// that.
//
//     auto file = WholeFile::open(path);       // early, so that a long run does not end in vain
//     if (!file) return file.error();
//     file->stream() << text;
//     if (const auto failure = file->commit()) return *failure;
//
// A device or a pipe (/dev/stdout, for one) is written directly, after what it has already.
#pragma once

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <sys/types.h>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot {

class WholeFile {
public:
    // `mode`: the permissions of a new file, if they are not the usual ones.
    static Result<WholeFile> open(const std::string& path, std::optional<mode_t> mode = std::nullopt);
    // Standard output, for this file alone: everything else that is printed goes to standard error from now
    // on.
    static Result<WholeFile> instead_of_standard_output();
    WholeFile(WholeFile&& other) noexcept;
    WholeFile& operator=(WholeFile&&) = delete;
    // Without commit() nothing remains.
    ~WholeFile();

    std::ostream& stream() { return stream_; }
    // Returns what went wrong, if anything did, as one line that names the file.
    std::optional<std::string> commit();
    // Both files take their names, or, if one of them is incomplete, none does.
    static std::optional<std::string> commit_both(WholeFile& first, WholeFile& second);

private:
    WholeFile(std::string path, const std::string& opened);
    static Result<WholeFile> replacing(const std::string& path, mode_t mode);
    std::optional<std::string> complete();
    std::optional<std::string> take_name();

    std::string path_;
    Descriptor file_;      // that takes the name; none if the path is written directly
    std::string written_;  // its name until then, if it must have one
    std::ofstream stream_;
};

}  // namespace allot
