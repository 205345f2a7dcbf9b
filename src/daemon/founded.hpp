// The part of [bootstrap] that stays as long as a cluster lives: times, seats and modes. The register keeps
// each of them as people write it in TOML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "daemon/config.hpp"
#include "daemon/section.hpp"
#include "protocols/agreement/settings.hpp"

namespace allot::daemon {

struct FoundedSetting {
    enum class Kind : std::uint8_t { time, seats, modes };
    std::string_view name;  // its key in [bootstrap]
    Kind kind;
    std::chrono::milliseconds Register::*time = nullptr;
};

inline constexpr FoundedSetting founded_settings[]{
    {"lease", FoundedSetting::Kind::time, &Register::lease},
    {"grace", FoundedSetting::Kind::time, &Register::grace},
    {"silence", FoundedSetting::Kind::time, &Register::silence},
    {"return_within", FoundedSetting::Kind::time, &Register::return_within},
    {"seats", FoundedSetting::Kind::seats},
    {"mode", FoundedSetting::Kind::modes},
};

bool is_founded(std::string_view name);

// Those of a configuration, in the order of the table above; several modes come one after another.
std::vector<agreement::Founded> founded_of(const Config& config);
// The text of all settings with that name, as there may be several modes.
std::string founded_text(const std::vector<agreement::Founded>& founded, std::string_view name);
// These settings, except for those that the file of the configuration has written.
std::vector<agreement::Founded> with_written(const std::vector<agreement::Founded>& founded,
                                             const Config& file);

// Reads them from [bootstrap], and the error in those that a configuration has.
void read_founded(Section& bootstrap, Config& config);
std::string wrong_founded(const Config& config);

// The configuration with these settings in the place of its own; absent ones are the usual ones. They may
// come from other hosts: the error says what is wrong with them.
Result<Config> with_founded(Config config, const std::vector<agreement::Founded>& founded);

}  // namespace allot::daemon
