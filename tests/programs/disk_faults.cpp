// For LD_PRELOAD: while the file $SLOW_WHILE is there, a write to the disk takes until it is gone. While the
// file $FULL_WHILE is there, the disk is full.

#include <cerrno>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

bool is_there(const char* variable) {
    const char* const file = std::getenv(variable);
    return file != nullptr && ::access(file, F_OK) == 0;
}

}  // namespace

extern "C" int fsync(int descriptor) {
    while (is_there("SLOW_WHILE")) ::usleep(10'000);
    if (is_there("FULL_WHILE")) {
        errno = ENOSPC;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
