#include "audit/log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/journal.hpp"
#include "base/log.hpp"

namespace allot::audit {

namespace {

std::string earlier(const std::string& file, std::uint32_t number) {
    return file + "." + std::to_string(number);
}

}  // namespace

Result<std::unique_ptr<Log>> Log::open(Settings settings) {
    std::unique_ptr<Log> log(new Log(std::move(settings)));
    if (log->settings_.journal) return log;
    if (auto failure = log->open_file())
        return Error{"audit.file: " + *failure + "; write a file in a folder that the daemon may write to"};
    return log;
}

std::optional<std::string> Log::open_file() {
    file_ = Descriptor(::open(settings_.file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
    struct stat state {};
    if (!file_ || ::fstat(file_.get(), &state) != 0) return settings_.file + ": " + std::strerror(errno);
    length_ = static_cast<std::uint64_t>(state.st_size);
    return std::nullopt;
}

// A log that cannot be written stops nobody.
void Log::add(const Entry& entry) {
    const std::string problem =
        (settings_.journal ? send_to_journal(entry) : write(line_of(entry))).value_or("");
    if (!problem.empty()) ++lost_;
    if (!problem.empty() && problem_.empty()) log_error("the audit log has gaps: " + problem);
    if (problem.empty() && !problem_.empty())
        log_info(fmt::format("{}: writing works again; {} lines are missing",
                             settings_.journal ? "the journal" : settings_.file, lost_));
    problem_ = problem;
}

// A line is written by one call, so that lines never mix.
std::optional<std::string> Log::write(const std::string& line) {
    if (length_ >= settings_.longest) rotate();
    const ssize_t written = file_ ? ::write(file_.get(), line.data(), line.size()) : -1;
    if (written > 0) length_ += static_cast<std::uint64_t>(written);
    if (written == static_cast<ssize_t>(line.size())) return std::nullopt;
    return settings_.file + ": " + (written < 0 ? std::strerror(errno) : "full");
}

void Log::rotate() {
    std::error_code ignored;
    std::filesystem::remove(earlier(settings_.file, settings_.kept), ignored);
    for (std::uint32_t number = settings_.kept; number > 1; --number)
        std::filesystem::rename(earlier(settings_.file, number - 1), earlier(settings_.file, number),
                                ignored);
    if (settings_.kept > 0)
        std::filesystem::rename(settings_.file, earlier(settings_.file, 1), ignored);
    else
        std::filesystem::remove(settings_.file, ignored);
    if (auto failure = open_file()) log_error("the audit log has gaps: " + *failure);
}

std::vector<std::string> files_of(const std::string& file) {
    std::vector<std::string> files;
    std::error_code unreadable;
    for (std::uint32_t number = 1; std::filesystem::exists(earlier(file, number), unreadable); ++number)
        files.push_back(earlier(file, number));
    std::ranges::reverse(files);
    files.push_back(file);
    return files;
}

Result<bool> read_log(const std::string& file, const std::function<bool(const Entry&)>& f) {
    for (const std::string& name : files_of(file)) {
        std::ifstream in(name);
        const std::string why = in ? "this is a folder" : std::strerror(errno);
        std::error_code ignored;
        if (!in || std::filesystem::is_directory(name, ignored))
            return Error{
                fmt::format("{}: {}; write the path of an audit log that this user may read", name, why)};
        std::string line;
        for (std::uint64_t number = 1; std::getline(in, line); ++number) {
            // A daemon that was killed, or a full disk, may have left part of a line.
            if (line.empty() || (in.eof() && line.back() != '}')) continue;
            const auto entry = parse_line(line);
            if (!entry) return Error{fmt::format("{}:{}: {}", name, number, entry.error())};
            if (!f(*entry)) return true;
        }
    }
    return true;
}

Result<bool> read_log(const Settings& settings, const std::string& host,
                      const std::function<bool(const Entry&)>& f) {
    return settings.journal ? read_journal(host, f) : read_log(settings.file, f);
}

}  // namespace allot::audit
