// For LD_PRELOAD: as soon as the file $SUSPENDED is there, the machine has been suspended for an hour, as the
// clocks tell it: the one that counts suspended time has gone on, all others have not.

#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the names in glibc are reserved
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const long result = ::syscall(SYS_clock_gettime, clock, time);
    const char* const file = std::getenv("SUSPENDED");
    if (result == 0 && clock == CLOCK_BOOTTIME && file != nullptr && ::access(file, F_OK) == 0)
        time->tv_sec += 3600;
    return static_cast<int>(result);
}
