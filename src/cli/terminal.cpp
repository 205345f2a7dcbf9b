#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace allot::cli {

std::size_t columns_of(int descriptor) {
    if (::isatty(descriptor) == 0) return 0;
    winsize size{};
    const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    constexpr std::size_t usual = 80;
    return known ? size.ws_col : usual;
}

}  // namespace allot::cli
