#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/harmless.hpp"

namespace allot {

namespace {

// Not the library's default logger: programs that link this code may use that.
spdlog::logger& logger() {
    static spdlog::logger one("allot", std::make_shared<spdlog::sinks::stderr_sink_st>());
    return one;
}

spdlog::level::level_enum as_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

}  // namespace

void set_log_level(LogLevel level) {
    logger().set_level(as_spdlog(level));
}

void set_log_name(const std::string& name) {
    logger().set_pattern("%Y-%m-%d %H:%M:%S.%e " + name + " %l: %v");
}

void log(LogLevel level, std::string_view line) {
    logger().log(as_spdlog(level), harmless(line));
}

}  // namespace allot
