#include "cli/output.hpp"

#include <fmt/format.h>

namespace allot::cli {

Result<std::optional<WholeFile>> open_beside_report(const std::string& flag, const std::string& path,
                                                    bool json) {
    if (path.empty()) return std::optional<WholeFile>();
    if (path == "-" && json)
        return Error{fmt::format(
            "--{0} -: standard output has the report; write --{0} FILE, or leave out --json", flag)};
    auto file = path == "-" ? WholeFile::instead_of_standard_output() : WholeFile::open(path);
    if (!file) return Error{fmt::format("--{} {}", flag, file.error())};
    return std::optional<WholeFile>(std::move(*file));
}

}  // namespace allot::cli
