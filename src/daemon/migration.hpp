// Configurations of the version that had failure detectors and no register: settings that are gone, and how a
// file with them is rewritten (`allot node --migrate FILE`).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "daemon/config.hpp"

namespace allot::daemon {

// A setting of [detector], and the one that replaces it.
struct Successor {
    std::string_view key;
    std::string_view table;  // empty: nothing replaces it
    std::string_view name;
    std::chrono::milliseconds least;
    std::string_view advice;
};

inline constexpr Successor successors[]{
    {"mode", "", "", {}, "engine = \"file\" in [register] says that all hosts run on one machine"},
    {"heartbeat", "", "", {}, "four signs of life come within register.silence"},
    {"dead_after", "register", "silence", Register::least_silence, "write register.silence"},
    {"stop_within", "register", "lease", Register::least_lease, "write register.lease"},
    {"resume_within", "limits", "resume_within", {}, "write limits.resume_within"},
};

struct Migration {
    std::string text;                  // the new file
    std::vector<std::string> changes;  // a line for people about each; none: there is nothing to change
};

// All other lines stay as they are, and in their order. The result is a configuration that this version
// reads; the error names the line of `text` that is wrong.
Result<Migration> migrate_config(const std::string& text, const std::string& path);

// The same with a file. The former file stays beside it under the name that `copy` gets, which no file had
// before. After an error the file is as it was.
Result<Migration> migrate_file(const std::string& path, std::string& copy);

}  // namespace allot::daemon
