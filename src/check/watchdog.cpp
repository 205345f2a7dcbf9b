#include "check/watchdog.hpp"

#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

#include "base/stop.hpp"

namespace allot::check {

std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t peak_resident_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string Watchdog::reason_to_stop(std::size_t extra_bytes) const {
    if (stop::due()) return stop::reason();
    return resident_bytes() + extra_bytes > options_.memory_bytes ? out_of_memory() : "";
}

std::string Watchdog::out_of_memory() const {
    const bool mebibytes = options_.memory_bytes >= 1 << 20;
    return fmt::format("the memory limit of {} {} was reached",
                       options_.memory_bytes >> (mebibytes ? 20 : 10), mebibytes ? "MiB" : "KiB");
}

void Watchdog::tell(const Progress& progress) const {
    if (options_.on_progress) options_.on_progress(progress);
}

}  // namespace allot::check
