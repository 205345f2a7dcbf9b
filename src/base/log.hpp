// The daemon's log for its operator, one line per message, on standard error. The header is light on purpose:
// the library behind it is not.
#pragma once

#include <string>
#include <string_view>

namespace allot {

enum class LogLevel { debug, info, warning, error };

void set_log_level(LogLevel level);
// Each later line begins with the name of the host.
void set_log_name(const std::string& name);
void log(LogLevel level, std::string_view line);

inline void log_info(std::string_view line) {
    log(LogLevel::info, line);
}
inline void log_warning(std::string_view line) {
    log(LogLevel::warning, line);
}
inline void log_error(std::string_view line) {
    log(LogLevel::error, line);
}

}  // namespace allot
