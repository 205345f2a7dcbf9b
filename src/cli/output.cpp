#include "cli/output.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace allot::cli {

namespace {

// A device such as /dev/null takes several outputs; standard output (-) takes one.
bool same_file(const std::string& one, const std::string& other) {
    std::error_code ignored;
    const auto place = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    const auto kind = std::filesystem::status(one, ignored).type();
    const bool replaced =
        kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
    return replaced && place(one) == place(other);
}

}  // namespace

std::optional<std::string> shared_file(FileFlag first, FileFlag second) {
    if (first.path.empty() || second.path.empty() || !same_file(first.path, second.path)) return std::nullopt;
    return fmt::format("--{} {}: --{} names this file, too; write two files", second.name, second.path,
                       first.name);
}

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
