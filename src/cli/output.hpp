// Files that a command writes beside its report.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/whole_file.hpp"

namespace allot::cli {

// A flag that names a file, without its dashes, and the file; empty if the flag is not given.
struct FileFlag {
    const char* name;
    const std::string& path;
};

// The error of two flags that name one file: one output would replace the other.
std::optional<std::string> shared_file(FileFlag first, FileFlag second);

// Opens the file of a flag such as --out, if one is given, before the long run that fills it. `-` is standard
// output: the report then goes to standard error, so that a pipe gets the file alone. There is no such report
// with --json.
Result<std::optional<WholeFile>> open_beside_report(const std::string& flag, const std::string& path,
                                                    bool json);

}  // namespace allot::cli
