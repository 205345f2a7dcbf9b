// For LD_PRELOAD: while the file $SLOW_WHILE is there, a write to the disk takes until it is gone.

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int fsync(int descriptor) {
    const char* const file = std::getenv("SLOW_WHILE");
    while (file != nullptr && ::access(file, F_OK) == 0) ::usleep(10'000);
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
