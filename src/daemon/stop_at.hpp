// For tests: the daemon stops itself (SIGSTOP) at the moment that the file $ALLOT_STOP_AT names.
#pragma once

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace allot::daemon {

inline void stop_at(std::string_view moment) {
    static const char* const file = std::getenv("ALLOT_STOP_AT");
    if (file == nullptr) return;
    std::string named;
    std::ifstream(file) >> named;
    if (named == moment) std::raise(SIGSTOP);
}

}  // namespace allot::daemon
