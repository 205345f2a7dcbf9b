// The audit log, in the journal (journal.hpp) or as files: FILE, and what it was before it became too long,
// as FILE.1, FILE.2 and so on, the oldest with the highest number.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/entry.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::audit {

struct Settings {
    bool journal = false;                             // the log is there, and not in files
    std::string file;                                 // empty: there is none
    std::uint64_t longest = std::uint64_t{64} << 20;  // bytes, after which a new file begins
    std::uint32_t kept = 4;                           // earlier files

    bool is_on() const { return journal || !file.empty(); }
    bool operator==(const Settings&) const = default;
};

class Log {
public:
    static Result<std::unique_ptr<Log>> open(Settings settings);

    void add(const Entry& entry);
    // Why the last line is not in the log; empty if it is.
    const std::string& problem() const { return problem_; }
    std::uint64_t lost() const { return lost_; }

private:
    explicit Log(Settings settings) : settings_(std::move(settings)) {}
    std::optional<std::string> open_file();
    std::optional<std::string> write(const std::string& line);
    void rotate();

    Settings settings_;
    Descriptor file_;
    std::uint64_t length_ = 0;
    std::string problem_;
    std::uint64_t lost_ = 0;
};

// The files of a log, the oldest first.
std::vector<std::string> files_of(const std::string& file);
// Calls `f` for each line, the oldest first, until it returns false. An error names the file and the line.
Result<bool> read_log(const std::string& file, const std::function<bool(const Entry&)>& f);
// The same for the log of that host, in the journal or in files.
Result<bool> read_log(const Settings& settings, const std::string& host,
                      const std::function<bool(const Entry&)>& f);

}  // namespace allot::audit
