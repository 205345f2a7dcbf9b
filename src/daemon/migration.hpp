// Configurations of earlier versions: settings that have another place now or are gone, and how a file with
// them is rewritten (`allot node --migrate FILE`). One version had failure detectors and no register; the
// next one had no [bootstrap].
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "daemon/config.hpp"

namespace allot::daemon {

// A setting or table of an earlier version, and the one that replaces it.
struct Successor {
    std::string_view former_table;  // empty: the top of the file
    std::string_view former_key;
    std::string_view table;  // empty: nothing replaces it, for the reason in `advice`
    std::string_view key;
    std::string_view advice{};
    std::chrono::milliseconds least{};  // of a time whose range was larger
    bool is_table = false;

    // Names for people, as in register.lease and [semaphores].
    std::string former() const;
    std::string name() const;
    std::string what_to_do() const;
    // Its node in a file of TOML; null if it is not there.
    template <class Table>
    auto found_in(const Table& file) const {
        return former_table.empty() ? file.get(former_key) : file[former_table][former_key].node();
    }
};

inline constexpr Successor successors[]{
    {"register", "voters", "bootstrap", "voters"},
    {"register", "lease", "bootstrap", "lease"},
    {"register", "grace", "bootstrap", "grace"},
    {"register", "silence", "bootstrap", "silence"},
    {"register", "return_within", "bootstrap", "return_within"},
    {"locks", "seats", "bootstrap", "seats"},
    {.former_table = "cluster",
     .former_key = "hosts",
     .table = "bootstrap",
     .key = "hosts",
     .is_table = true},
    {.former_table = "",
     .former_key = "semaphores",
     .table = "bootstrap",
     .key = "semaphores",
     .is_table = true},
    {.former_table = "", .former_key = "mode", .table = "bootstrap", .key = "mode", .is_table = true},
    {"detector", "mode", "", "", "engine = \"file\" in [register] says that all hosts run on one machine"},
    {"detector", "heartbeat", "", "", "four signs of life come within bootstrap.silence"},
    {"detector", "dead_after", "bootstrap", "silence", "", Register::least_silence},
    {"detector", "stop_within", "bootstrap", "lease", "", Register::least_lease},
    {"detector", "resume_within", "limits", "resume_within"},
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
